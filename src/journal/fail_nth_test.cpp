// The same small life of a journal, again and again: with its first call to the disk failing, its second, and so on
// until a run passes untouched. Whatever fails, opening again and going on from `durable` ends in the same contents.

#include <random>

#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

constexpr std::uint64_t transactions = 14;

class Life {
 public:
  explicit Life(test::MemoryDisk& disk) : disk_(disk) {
    options_.segment_bytes_max = 700;
    options_.write_bytes_wanted = 200;
  }

  /// Until all transactions are durable; opens again after each failure, by way of a power cut if `crash`.
  void live(std::mt19937_64* crash) {
    for (int attempt = 0; attempt < 5; ++attempt) {
      const Status lived = once();
      if (lived.ok()) return;
      ++failures_;
      ASSERT_NE(lived.error().kind, ErrorKind::bad_data) << to_text(lived.error());
      ASSERT_NE(lived.error().kind, ErrorKind::lost_history) << to_text(lived.error());
      journal_.reset();
      if (crash != nullptr) disk_.crash(*crash);
    }
    FAIL() << "one failure, and five attempts were not enough";
  }

  int failures() const { return failures_; }

 private:
  Status once() {
    TRY(opened, journal::open(disk_, "state/journal", {"m", "s", "l"}, options_));
    journal_ = std::move(opened);
    const std::uint64_t done = journal_->durable().last.value;
    if (done < acknowledged_) return Error{ErrorKind::lost_history, "a durable transaction is gone"};
    for (std::uint64_t i = done + 1; i <= transactions; ++i) TRY_DO(one_transaction(i));
    return check();
  }

  Status one_transaction(std::uint64_t i) {
    TRY_DO(journal_->append_part(Xid{i}, Xid{i}, true, note(std::string(i * 20, 'a'))));
    TRY_DO(journal_->append_part(Xid{i}, Xid{i + 100}, false, note("taken back")));
    TRY_DO(journal_->abort(Xid{i}, Xid{i + 100}));
    TRY(state, journal_->commit(Xid{i}, at(i * 10), UnixMicros{}));
    EXPECT_EQ(state.value_or(StateId{}).value, i);
    if (i % 3 != 0) return Done{};
    TRY(durable, journal_->sync());
    acknowledged_ = durable.last.value;
    return i < 8 ? journal_->release(StateId{i - 1}) : Status(Done{});
  }

  Status check() {
    TRY(durable, journal_->sync());
    EXPECT_EQ(durable.last.value, transactions);
    std::string why;
    static_cast<void>(journal_->has_room(&why));
    TRY(seen, read_all(*journal_, StateId{8}));
    EXPECT_EQ(seen.size(), transactions - 8);
    for (const Seen& one : seen) EXPECT_EQ(one.notes, (std::vector<std::string>{std::string(one.state * 20, 'a')}));
    TRY(commit, journal_->commit_at(StateId{9}));
    EXPECT_EQ(commit.end, at(90));
    return Done{};
  }

  test::MemoryDisk& disk_;
  Options options_;
  std::unique_ptr<Journal> journal_;
  std::uint64_t acknowledged_ = 0;
  int failures_ = 0;
};

/// Gives how many calls had to fail before a run passed untouched.
int fail_each_call(bool crash, ErrorKind kind) {
  for (int nth = 1; nth < 1000; ++nth) {
    SCOPED_TRACE("call " + std::to_string(nth));
    test::MemoryDisk disk;
    std::mt19937_64 chance(static_cast<std::uint64_t>(nth));
    disk.fail_call(static_cast<std::uint64_t>(nth), kind);
    const std::uint64_t target = static_cast<std::uint64_t>(nth);
    Life life(disk);
    life.live(crash ? &chance : nullptr);
    if (::testing::Test::HasFailure() || disk.calls() < target) return nth;
  }
  return 1000;
}

TEST(JournalFailNth, EachCallMayFailOnce) {
  const int calls = fail_each_call(false, ErrorKind::unexpected);
  EXPECT_GT(calls, 50) << "the life became too short to prove anything";
  EXPECT_LT(calls, 1000);
}

TEST(JournalFailNth, EachCallMayFindTheDiskFull) { EXPECT_LT(fail_each_call(false, ErrorKind::no_space), 1000); }

TEST(JournalFailNth, ThePowerMayGoAfterEachFailure) { EXPECT_LT(fail_each_call(true, ErrorKind::unexpected), 1000); }

}  // namespace
}  // namespace lockstep::journal
