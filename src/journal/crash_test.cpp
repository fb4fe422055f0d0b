// Random work, random failures and power cuts, compared with a model that is a list of transactions. What must hold:
// what was said to be durable is there after every crash, nothing is there that was never committed, state ids never
// name two commits, aborted savepoints are not shown, and whatever is not released can be read.

#include <map>
#include <random>

#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

struct Kept {
  std::uint64_t xid = 0;
  std::uint64_t lsn = 0;
  std::vector<std::string> notes;
};

struct OpenNote {
  std::uint64_t sub = 0;
  std::string text;
};

/// How often the rare things happened, over all seeds.
struct Reached {
  int crashes = 0, lost = 0, survived = 0, failures = 0, trimmed = 0, refused_syncs = 0, repeats = 0, aborted = 0;
};

class CrashRun {
 public:
  CrashRun(std::uint64_t seed, Reached& reached) : chance_(seed), reached_(reached) {
    options_.segment_bytes_max = 300 + below(2000);
    options_.write_bytes_wanted = below(3) == 0 ? 256u << 10 : 1 + below(400);
  }

  void run() {
    open();
    for (int step = 0; step < 120 && !::testing::Test::HasFailure(); ++step) {
      if (below(12) == 0) disk_.stop_at_call(1 + below(8));
      if (below(12) == 0) disk_.fail_call(1 + below(8));
      if (!one_step().ok()) {
        ++reached_.failures;
        recover(below(3) != 0);
      } else if (below(40) == 0) {
        recover(true);
      } else if (below(40) == 0) {
        recover(false);
      }
    }
    recover(true);
    check_contents();
  }

 private:
  std::uint64_t below(std::uint64_t end) { return chance_() % end; }

  void open() {
    journal_.reset();
    while (journal_ == nullptr) {
      auto opened = journal::open(disk_, "state/journal", {"m", "s", "l"}, options_);
      if (opened.ok()) {
        journal_ = std::move(opened).value();
        break;
      }
      ASSERT_NE(opened.error().kind, ErrorKind::bad_data) << to_text(opened.error());
      if (below(2) == 0) disk_.crash(chance_);  // the disk was still failing
      disk_.fail_call(0);
    }
    open_.clear();
  }

  /// Opens again, after a power cut or a kill, and takes back from the model what was lost, if it might be.
  void recover(bool power_cut) {
    if (power_cut) {
      ++reached_.crashes;
      disk_.crash(chance_);
      if (below(8) == 0) disk_.stop_at_call(1 + below(8));
    } else {
      disk_.fail_call(0);
    }
    open();
    if (journal_ == nullptr) return;
    const Durable durable = journal_->durable();
    ASSERT_GE(durable.last.value, durable_);
    ASSERT_LE(durable.last.value, commits_.size());
    if (durable_through_.has_value()) {
      ASSERT_GE(durable.through, durable_through_);
    }
    ASSERT_LE(durable.through, through_);
    (durable.last.value < commits_.size() ? reached_.lost : reached_.survived) += 1;
    commits_.resize(durable.last.value);
    durable_ = commits_.size();
    durable_through_ = through_ = durable.through;
    check_contents();
  }

  Status one_step() {
    switch (below(10)) {
      case 0:
      case 1:
      case 2: return append();
      case 3: return abort();
      case 4:
      case 5: return commit();
      case 6: return repeat();
      case 7: return release();
      case 8: return progress();
      default: return sync();
    }
  }

  Status append() {
    const std::uint64_t xid = 1 + below(4);
    const bool first = open_.count(xid) == 0 || below(10) == 0;
    const std::uint64_t sub = first ? xid : xid + 10 * below(4);
    if (first) open_[xid].clear();
    const std::string text = std::to_string(++texts_) + std::string(below(150), '.');
    const Status appended = journal_->append_part(Xid{xid}, Xid{sub}, first, note(text));
    open_[xid].push_back({sub, text});
    return appended;
  }

  Status abort() {
    const std::uint64_t xid = 1 + below(4);
    const std::uint64_t sub = xid + 10 * below(4);
    ++reached_.aborted;
    if (sub == xid) {
      open_.erase(xid);
    } else if (open_.count(xid) != 0) {
      // The source never uses the number of an aborted savepoint again; here it gets new parts the numbers of others.
      std::erase_if(open_[xid], [&](const OpenNote& kept) { return kept.sub == sub; });
      const Status taken_back = journal_->abort(Xid{xid}, Xid{sub});
      return taken_back.ok() ? commit_of(xid) : taken_back;
    }
    return journal_->abort(Xid{xid}, Xid{sub});
  }

  Status commit() { return commit_of(1 + below(4)); }

  Status commit_of(std::uint64_t xid) {
    const std::uint64_t after = std::max(commits_.empty() ? 0 : commits_.back().lsn, last_lsn());
    Kept kept{xid, after + 1 + below(5), {}};
    for (const OpenNote& opened : open_[xid]) kept.notes.push_back(opened.text);
    open_.erase(xid);
    commits_.push_back(kept);
    through_ = at(kept.lsn);
    TRY(state, journal_->commit(Xid{xid}, at(kept.lsn), UnixMicros{7}));
    EXPECT_TRUE(state.has_value());
    if (state.has_value()) {
      EXPECT_EQ(state->value, commits_.size());
    }
    return Done{};
  }

  std::uint64_t last_lsn() const { return through_.has_value() ? std::get<PgPosition>(*through_).end.value : 0; }

  /// The source sends again what was committed before.
  Status repeat() {
    if (commits_.empty()) return Done{};
    ++reached_.repeats;
    const Kept& old = commits_[below(commits_.size())];
    open_.erase(old.xid);
    TRY_DO(journal_->append_part(Xid{old.xid}, Xid{old.xid}, true, note("repeated")));
    TRY(state, journal_->commit(Xid{old.xid}, at(old.lsn), UnixMicros{7}));
    EXPECT_FALSE(state.has_value());
    return Done{};
  }

  Status progress() {
    through_ = at(last_lsn() + below(10));
    return journal_->received_through(*through_);
  }

  Status sync() {
    const auto durable = journal_->sync();
    if (!durable.ok()) {
      ++reached_.refused_syncs;
      return durable.error();
    }
    EXPECT_EQ(durable.value().last.value, commits_.size());
    EXPECT_EQ(durable.value().through, through_);
    durable_ = commits_.size();
    durable_through_ = through_;
    if (below(4) == 0) check_contents();
    return Done{};
  }

  Status release() {
    if (durable_ == 0) return Done{};
    released_ = std::max(released_, below(durable_ + 1));
    const Status released = journal_->release(StateId{released_});
    if (journal_->first_held().value > 1) ++reached_.trimmed;
    return released;
  }

  /// Everything durable that may still be needed, as the model has it.
  void check_contents() {
    const std::uint64_t first = journal_->first_held().value;
    ASSERT_LE(first, released_ + 1);
    const std::uint64_t after = first - 1 + below(durable_ + 2 - first);
    const auto seen = read_all(*journal_, StateId{after});
    if (!seen.ok()) {
      ASSERT_NE(seen.error().kind, ErrorKind::bad_data) << to_text(seen.error());
      return;  // the disk was asked to fail
    }
    ASSERT_EQ(seen.value().size(), durable_ - after);
    for (std::uint64_t i = after; i < durable_; ++i) {
      const Seen expected{i + 1, commits_[i].xid, commits_[i].notes};
      ASSERT_EQ(seen.value()[i - after], expected);
    }
    if (after == 0) return;
    const auto at_start = journal_->commit_at(StateId{after});
    if (at_start.ok()) {
      ASSERT_EQ(at_start.value().end, at(commits_[after - 1].lsn));
    }
    if (!at_start.ok()) {
      ASSERT_EQ(at_start.error().kind, ErrorKind::unexpected) << to_text(at_start.error());
    }
  }

  std::mt19937_64 chance_;
  Reached& reached_;
  test::MemoryDisk disk_;
  Options options_;
  std::unique_ptr<Journal> journal_;

  std::vector<Kept> commits_;  // all that may be in the journal
  std::uint64_t durable_ = 0;  // of them, these must be
  std::uint64_t released_ = 0;
  std::optional<Position> through_, durable_through_;
  std::map<std::uint64_t, std::vector<OpenNote>> open_;
  std::uint64_t texts_ = 0;
};

TEST(JournalCrash, WhatWasDurableIsThereAndNothingElseWhateverHappens) {
  Reached reached;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  constexpr std::uint64_t seeds = 300;  // each takes twenty times as long
#else
  constexpr std::uint64_t seeds = 3000;
#endif
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CrashRun(seed, reached).run();
    ASSERT_FALSE(HasFailure());
  }
  std::printf(
      "crashes %d, lost a tail %d, kept all %d, failures %d, failed syncs %d, trimmed %d, repeats %d, aborts %d\n",
      reached.crashes, reached.lost, reached.survived, reached.failures, reached.refused_syncs, reached.trimmed,
      reached.repeats, reached.aborted);
  for (const int count : {reached.crashes, reached.lost, reached.survived, reached.failures, reached.refused_syncs,
                          reached.trimmed, reached.repeats, reached.aborted}) {
    EXPECT_GT(count, 100) << "a rare branch was hardly reached";
  }
}

}  // namespace
}  // namespace lockstep::journal
