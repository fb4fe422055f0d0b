// The receiver writes, another thread syncs, a third reads and releases: what journal.hpp allows. For the data race
// check too.

#include <atomic>
#include <thread>

#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

constexpr std::uint64_t transactions = 3000;

void write_all(Journal& journal) {
  for (std::uint64_t i = 1; i <= transactions; ++i) {
    ASSERT_TRUE(journal.append_part(Xid{i}, Xid{i}, true, note(std::to_string(i))).ok());
    ASSERT_TRUE(journal.commit(Xid{i}, at(i), UnixMicros{}).ok());
  }
}

void read_to_the_end(Journal& journal) {
  auto reader = journal.reader(StateId{0}).value();
  std::uint64_t expected = 1;
  while (expected <= transactions) {
    const auto seen = read_next(*reader);
    ASSERT_TRUE(seen.ok()) << to_text(seen.error());
    if (!seen.value().has_value()) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(*seen.value(), (Seen{expected, expected, {std::to_string(expected)}}));
    if (expected % 50 == 0) {
      ASSERT_TRUE(journal.release(StateId{expected}).ok());
    }
    ++expected;
  }
}

TEST_F(JournalStory, OneWritesOneSyncsOneReadsAndReleases) {
  options_.segment_bytes_max = 20'000;
  options_.write_bytes_wanted = 500;
  open_again();
  std::atomic<bool> written{false};
  std::thread syncer([&] {
    while (!written || journal_->dirty()) ASSERT_TRUE(journal_->sync().ok());
  });
  std::thread reader([&] { read_to_the_end(*journal_); });
  write_all(*journal_);
  written = true;
  syncer.join();
  reader.join();
  EXPECT_EQ(journal_->durable().last.value, transactions);
  EXPECT_LE(disk_.paths().size(), 2u) << "released as it was read";
}

}  // namespace
}  // namespace lockstep::journal
