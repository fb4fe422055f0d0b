#include "journal/recovery.hpp"

#include "base/crc32c.hpp"
#include "base/failpoint.hpp"
#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

using JournalDamage = JournalStory;
using JournalFailure = JournalStory;
using JournalOwner = JournalStory;

const std::string first_file = "state/journal/0000000001.journal";

/// One synced frame a transaction; gives where each frame ends.
std::vector<std::uint64_t> ends_of_frames(test::MemoryDisk& disk, const std::function<void(std::uint64_t)>& write,
                                          int count) {
  std::vector<std::uint64_t> ends;
  for (int i = 1; i <= count; ++i) {
    write(static_cast<std::uint64_t>(i));
    ends.push_back(disk.content(first_file).size());
  }
  return ends;
}

TEST_F(JournalOwner, AnotherMirrorsJournalIsRefused) {
  open_again();
  owner_.source = "pg 9999 shop";
  const Error error = open_error();
  EXPECT_EQ(error.kind, ErrorKind::bad_data);
  EXPECT_NE(error.what.find("pg 7012 shop"), std::string::npos) << error.what;
}

TEST_F(JournalOwner, ANewerFormatIsUnsupportedNotDamaged) {
  open_again();
  auto content = disk_.content(first_file);
  std::vector<std::byte> preamble(content.begin(), content.begin() + 11);
  WireWriter out(preamble);
  out.u8(format_version + 1);
  out.u32(crc32c(preamble));
  std::copy(preamble.begin(), preamble.end(), content.begin());
  disk_.set_content(first_file, content);
  EXPECT_EQ(open_error().kind, ErrorKind::unsupported);
}

TEST_F(JournalDamage, ATornTailIsCutWhereverItBreaks) {
  open_again();
  const auto ends = ends_of_frames(
      disk_,
      [&](std::uint64_t i) {
        whole(i, i, "text");
        sync();
      },
      3);
  const auto content = disk_.content(first_file);
  for (std::uint64_t size = ends[1]; size < ends[2]; ++size) {
    disk_.set_content(first_file, {content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)});
    open_again();
    ASSERT_EQ(journal_->durable().last, StateId{2}) << size;
    ASSERT_EQ(disk_.content(first_file).size(), ends[1]);
    whole(9, 30, "again");
    sync();
    ASSERT_EQ(all(2), (std::vector<Seen>{{3, 9, {"again"}}}));
  }
}

TEST_F(JournalDamage, ABadBitInTheMiddleIsRefusedAndNothingIsCut) {
  open_again();
  const auto ends = ends_of_frames(
      disk_,
      [&](std::uint64_t i) {
        whole(i, i, "text");
        sync();
      },
      4);
  for (std::uint64_t offset = 0; offset < ends[2]; ++offset) {
    disk_.flip_bit(first_file, offset);
    const Error error = open_error();
    ASSERT_EQ(error.kind, ErrorKind::bad_data) << offset;
    ASSERT_NE(error.what.find(first_file), std::string::npos) << error.what;
    ASSERT_NE(error.what.find("offset"), std::string::npos) << error.what;
    ASSERT_EQ(disk_.content(first_file).size(), ends[3]);
    disk_.flip_bit(first_file, offset);
  }
  open_again();
  EXPECT_EQ(all().size(), 4u);
}

// Pages of writes that were never synced reach a disk in any order: a hole there is no damage.
TEST_F(JournalDamage, AHoleInWhatWasNeverSyncedIsATornTail) {
  options_.write_bytes_wanted = 1;  // every record is a write of its own
  open_again();
  whole(1, 10, "kept");
  sync();
  const std::uint64_t durable = disk_.content(first_file).size();
  for (std::uint64_t i = 2; i < 9; ++i) whole(i, i * 10, "not synced");
  disk_.flip_bit(first_file, durable + 50);
  open_again();
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 1, {"kept"}}}));
  EXPECT_EQ(disk_.content(first_file).size(), durable);
}

TEST_F(JournalDamage, AnEarlierSegmentMayNotBeShortLongOrMissing) {
  options_.segment_bytes_max = 2048;
  open_again();
  fill_segments(4, 1);
  const auto content = disk_.content(first_file);
  auto shorter = content;
  shorter.pop_back();
  disk_.set_content(first_file, shorter);
  EXPECT_EQ(open_error().kind, ErrorKind::bad_data);
  auto longer = content;
  longer.push_back(std::byte{0});
  disk_.set_content(first_file, longer);
  EXPECT_EQ(open_error().kind, ErrorKind::bad_data);
  disk_.set_content(first_file, content);
  ASSERT_TRUE(disk_.remove("state/journal/0000000002.journal").ok());
  const Error error = open_error();
  EXPECT_EQ(error.kind, ErrorKind::bad_data);
  EXPECT_NE(error.what.find("0000000002.journal is missing"), std::string::npos) << error.what;
}

TEST_F(JournalDamage, AnEarlierSegmentsBodyIsCheckedWhenItIsRead) {
  options_.segment_bytes_max = 2048;
  open_again();
  fill_segments(3, 1);
  const std::uint64_t middle = 1024;
  for (std::uint64_t offset = middle; offset < middle + 60; ++offset) {
    disk_.flip_bit(first_file, offset);
    journal_.reset();
    auto opened = journal::open(disk_, "state/journal", owner_, options_);
    if (opened.ok()) {
      const auto seen = read_all(*opened.value(), StateId{0});
      ASSERT_FALSE(seen.ok());
      ASSERT_EQ(seen.error().kind, ErrorKind::bad_data);
      ASSERT_NE(seen.error().what.find(first_file), std::string::npos) << seen.error().what;
    } else {
      ASSERT_EQ(opened.error().kind, ErrorKind::bad_data);
    }
    disk_.flip_bit(first_file, offset);
  }
}

TEST_F(JournalDamage, ASegmentThatWasBeingMadeIsNoDamage) {
  options_.segment_bytes_max = 1024;
  open_again();
  const std::uint64_t end = fill_segments(3, 1);
  const std::string last = disk_.paths().back();
  const auto content = disk_.content(last);
  // Only the header is in the newest one at first; a crash may leave any part of it.
  for (std::size_t size = 0; size < 60; ++size) {
    disk_.set_content("state/journal/0000000004.journal",
                      {content.begin(), content.begin() + static_cast<std::ptrdiff_t>(size)});
    open_again();
    ASSERT_EQ(disk_.paths().back(), last);
    ASSERT_EQ(all().size(), end - 1);
  }
}

TEST_F(JournalDamage, TheLastFileOfATrimmedJournalMayNotBeEmptied) {
  options_.segment_bytes_max = 1024;
  open_again();
  const std::uint64_t end = fill_segments(3, 1);
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  ASSERT_EQ(disk_.paths().size(), 1u);
  disk_.set_content(disk_.paths().front(), {});
  EXPECT_EQ(open_error().kind, ErrorKind::bad_data);
}

TEST_F(JournalFailure, AfterAFailedSyncTheJournalIsBrokenUntilItIsOpenedAgain) {
  open_again();
  whole(1, 10, "a");
  sync();
  whole(2, 20, "b");
  disk_.fail_call(2);  // the append works, the sync does not
  ASSERT_FALSE(journal_->sync().ok());
  EXPECT_FALSE(journal_->sync().ok()) << "a second sync would say yes to bytes that the kernel has dropped";
  EXPECT_FALSE(journal_->append_part(Xid{3}, Xid{3}, true, note("c")).ok());
  EXPECT_FALSE(journal_->commit(Xid{3}, at(30), UnixMicros{}).ok());
  EXPECT_EQ(journal_->durable().last, StateId{1});
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 1, {"a"}}})) << "what is durable can still be applied";
  open_again();
  EXPECT_EQ(journal_->durable().last, StateId{2}) << "what the failed sync left in the kernel was written again";
  std::mt19937_64 chance(1);
  disk_.crash(chance);
  open_again();
  EXPECT_EQ(all().size(), 2u);
}

TEST_F(JournalFailure, AFullDiskLosesNothingThatWasDurable) {
  open_again();
  whole(1, 10, "a");
  sync();
  disk_.limit_bytes(disk_.content(first_file).size() + 100);
  whole(2, 20, std::string(500, 'b'));
  const auto failed = journal_->sync();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().kind, ErrorKind::no_space);
  EXPECT_EQ(all().size(), 1u);
  disk_.limit_bytes(1 << 20);
  open_again();
  whole(2, 20, "b");
  sync();
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 1, {"a"}}, {2, 2, {"b"}}}));
}

TEST_F(JournalFailure, EveryFailpointLeavesAJournalThatOpens) {
  options_.segment_bytes_max = 1024;
  for (const char* name : {"before_write", "before_fsync", "after_fsync", "segment_created", "before_trim"}) {
    open_again();
    std::uint64_t last = journal_->durable().last.value;
    ASSERT_TRUE(set_failpoints("journal." + std::string(name) + "=fail").ok());
    Status status = Done{};
    for (std::uint64_t i = last + 1; i < last + 40 && status.ok(); ++i) {
      status = journal_->append_part(Xid{i}, Xid{i}, true, note(std::string(100, 'n')));
      if (status.ok()) status = journal_->commit(Xid{i}, at(i), UnixMicros{}).ok() ? Status(Done{}) : Status(Error{});
      const auto synced = journal_->sync();
      if (synced.ok()) status = journal_->release(StateId{i - 1});
      if (!synced.ok()) status = synced.error();
    }
    EXPECT_FALSE(status.ok()) << name << " was not passed";
    ASSERT_TRUE(set_failpoints("").ok());
    const StateId durable = journal_->durable().last;
    open_again();
    EXPECT_GE(journal_->durable().last, durable);
  }
}

}  // namespace
}  // namespace lockstep::journal
