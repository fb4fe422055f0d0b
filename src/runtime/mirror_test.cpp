#include "runtime/mirror.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "catalog/memory/memory.hpp"
#include "destination/memory/memory_destination.hpp"
#include "runtime/fake_source_test.hpp"
#include "support/scratch_folder.hpp"

namespace lockstep::runtime {
namespace {

using destination::MemoryDestination;

/// Hands out what outlives a process: the test keeps the destination and the catalog.
class Lent final : public destination::Destination {
 public:
  explicit Lent(MemoryDestination& to) : to_(to) {}
  Status open(const destination::MirrorIdentity& identity) override { return to_.open(identity); }
  Result<destination::Contents> contents() override { return to_.contents(); }
  Status create_hidden(const destination::CopyLedger& ledger) override { return to_.create_hidden(ledger); }
  Result<destination::CopyCounts> copy_into(TableId hidden, const std::string& snapshot,
                                            std::span<const std::uint32_t> done,
                                            std::span<const std::unique_ptr<RowStream>> streams) override {
    return to_.copy_into(hidden, snapshot, done, streams);
  }
  Status drop_hidden(TableId hidden) override { return to_.drop_hidden(hidden); }
  Result<std::unique_ptr<destination::Step>> begin(const std::optional<destination::Shown>& expected) override {
    return to_.begin(expected);
  }
  Status drop_live(const TableName& table) override { return to_.drop_live(table); }
  Status tidy_up() override { return to_.tidy_up(); }
  Status forget() override { return to_.forget(); }
  void close() override { to_.close(); }

 private:
  MemoryDestination& to_;
};

class LentCatalog final : public catalog::Catalog {
 public:
  explicit LentCatalog(catalog::Catalog& to) : to_(to) {}
  Result<std::optional<catalog::Mirror>> load() override { return to_.load(); }
  Status save(const catalog::Mirror& mirror) override { return to_.save(mirror); }
  Status forget() override { return to_.forget(); }

 private:
  catalog::Catalog& to_;
};

class MirrorTest : public testing::Test {
 protected:
  void SetUp() override {
    adapters_.make_source = [this](const std::string&, const Selection&) -> Result<source::Source> {
      return fake_source(server_);
    };
    adapters_.plan_setup = [](const source::Identity&, const std::string&) {
      return source::Setup{"slot", "publication", {}, {}};
    };
    adapters_.make_destination = [this](const std::string&, const DestinationOptions&) -> Result<OpenDestination> {
      return OpenDestination{std::make_unique<Lent>(copy_), nullptr};
    };
    adapters_.open_catalog = [this](const std::string&) -> Result<std::unique_ptr<catalog::Catalog>> {
      return std::unique_ptr<catalog::Catalog>(std::make_unique<LentCatalog>(*catalog_));
    };
    server_.add_table(1, "a");
    server_.add_table(2, "b");
    server_.commit(1, "1", "old");
  }
  void TearDown() override { mirror_.reset(); }

  void start(bool until_caught_up = false) {
    MirrorOptions options;
    options.mirror = "shop";
    options.destination = "memory:";
    options.state_folder = folder_.path();
    options.until_caught_up = until_caught_up;
    options.journal.free_disk_percent_min = 0;
    options.journal.bytes_max = journal_bytes_max_;
    auto made = Mirror::make(std::move(options), adapters_, {silent_log(), system_clock()});
    ASSERT_TRUE(made.ok()) << to_text(made.error());
    mirror_ = std::move(made).value();
    outcome_.reset();
    mirror_->start([this](const Outcome& outcome) {
      const std::lock_guard lock(mutex_);
      outcome_ = outcome;
      ended_.notify_all();
    });
  }
  Outcome wait_for_end() {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(ended_.wait_for(lock, std::chrono::seconds{30}, [&] { return outcome_.has_value(); }));
    return outcome_.value_or(Outcome{});
  }
  Outcome stop() {
    mirror_->request_stop();
    const Outcome outcome = wait_for_end();
    mirror_.reset();
    return outcome;
  }
  /// Waits until the status is as wanted.
  template <class Condition>
  void wait_until(Condition condition) {
    std::mutex mutex;
    std::condition_variable changed;
    mirror_->on_change([&] { changed.notify_all(); });
    std::unique_lock lock(mutex);
    const bool there = changed.wait_for(lock, std::chrono::seconds{30}, [&] { return condition(mirror_->status()); });
    mirror_->on_change({});
    EXPECT_TRUE(there) << mirror_->status().error;
  }
  void wait_shown(std::uint64_t position) {
    wait_until([&](const MirrorStatus& status) { return is_reached(CaughtUp{PgPosition{Lsn{position}}}, status); });
  }
  std::size_t rows(const char* table) {
    const auto rows = copy_.rows({"public", table});
    return rows ? rows->size() : 999;
  }

  test::ScratchFolder folder_;
  std::uint64_t journal_bytes_max_ = 0;
  FakeServer server_;
  MemoryDestination copy_;
  std::unique_ptr<catalog::Catalog> catalog_ = catalog::make_memory_catalog();
  Adapters adapters_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Outcome> outcome_;  // guarded by mutex_
  std::unique_ptr<Mirror> mirror_;
};

TEST_F(MirrorTest, CopiesFollowsStopsAndGoesOn) {
  start();
  wait_shown(server_.commit(1, "2", "streamed"));
  EXPECT_FALSE(stop().error.has_value());
  EXPECT_EQ(rows("a"), 2u);
  EXPECT_EQ(rows("b"), 0u);
  const std::uint64_t while_down = server_.commit(2, "1", "while it was down");
  start();
  wait_shown(while_down);
  EXPECT_EQ(mirror_->status().state, MirrorState::streaming);
  EXPECT_FALSE(stop().error.has_value());
  EXPECT_EQ(rows("b"), 1u);
  EXPECT_EQ(server_.calls["create_slot"], 1);
}

TEST_F(MirrorTest, AcknowledgesOnlyWhatItHasAndSoonAllOfIt) {
  start();
  const std::uint64_t end = server_.commit(1, "2", "x");
  EXPECT_TRUE(server_.wait_until([&] { return server_.confirmed >= end; }));
  EXPECT_FALSE(stop().error.has_value());
}

TEST_F(MirrorTest, UntilCaughtUpEndsByItselfAndKeepsTheSlot) {
  start(true);
  EXPECT_FALSE(wait_for_end().error.has_value());
  EXPECT_EQ(rows("a"), 1u);
  EXPECT_TRUE(server_.slot.has_value());
}

TEST_F(MirrorTest, AnObstacleTouchesNothing) {
  server_.obstacles = {{ErrorKind::refused, "wal_level is replica"}};
  start();
  const Outcome outcome = wait_for_end();
  EXPECT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.obstacles.size(), 1u);
  EXPECT_FALSE(server_.published);
  EXPECT_FALSE(mirror_->is_remembered());
}

TEST_F(MirrorTest, AFirstRunThatFailsLeavesNothing) {
  for (const char* call : {"create_slot", "plan", "open_stream"}) {
    SCOPED_TRACE(call);
    server_.break_call(call, {ErrorKind::unsupported, "no such thing"});
    start();
    EXPECT_TRUE(wait_for_end().error.has_value());
    EXPECT_FALSE(mirror_->is_remembered());
    mirror_.reset();
    EXPECT_FALSE(server_.slot.has_value());
    EXPECT_FALSE(server_.published);
    server_.mend();
  }
  start(true);
  EXPECT_FALSE(wait_for_end().error.has_value());
}

TEST_F(MirrorTest, ARunThatDiedWhileItSetUpIsBegunAgain) {
  catalog::Mirror half;
  half.name = "shop";
  half.slot = "slot";
  half.publication = "publication";
  half.destination = "memory:";
  ASSERT_TRUE(catalog_->save(half).ok());
  server_.slot = 1;
  start(true);
  EXPECT_FALSE(wait_for_end().error.has_value());
  EXPECT_EQ(server_.calls["remove"], 1);
  EXPECT_EQ(rows("a"), 1u);
}

TEST_F(MirrorTest, PausedItReceivesAndAcknowledgesButShowsNothingNew) {
  start();
  wait_shown(server_.end);
  ASSERT_TRUE(mirror_->pause().ok());
  wait_until([](const MirrorStatus& status) { return status.state == MirrorState::paused; });
  const std::uint64_t end = server_.commit(1, "2", "x");
  EXPECT_TRUE(server_.wait_until([&] { return server_.confirmed >= end; }));
  EXPECT_FALSE(stop().error.has_value());
  EXPECT_EQ(rows("a"), 1u);
  start();  // it remembers
  wait_until([](const MirrorStatus& status) { return status.state == MirrorState::paused; });
  EXPECT_FALSE(is_reached(PositionShown{PgPosition{Lsn{end}}}, mirror_->status()));
  ASSERT_TRUE(mirror_->resume().ok());
  wait_shown(end);
  EXPECT_FALSE(stop().error.has_value());
  EXPECT_EQ(rows("a"), 2u);
}

// The copy began under an ordinary snapshot, so its table waits for a mark in the log, and pins the journal until the mark
// has come. A receiver that stood still at the journal's limit would never bring it.
TEST_F(MirrorTest, AFullJournalDoesNotKeepACopyFromItsMark) {
  server_.break_call("open_stream", {ErrorKind::unreachable, "gone"});
  start();
  ASSERT_TRUE(server_.wait_until([&] { return server_.calls["open_stream"] > 0; }));
  for (int i = 10; i < 40; ++i) server_.commit(1, std::to_string(i), "new");
  wait_until([](const MirrorStatus& status) { return status.journal_state.value >= 30; });
  EXPECT_FALSE(stop().error);
  server_.mend();
  journal_bytes_max_ = 1;  // it is full from the start
  start();
  wait_until([](const MirrorStatus& status) { return status.published; });
  EXPECT_FALSE(stop().error);
  EXPECT_EQ(rows("a"), 31u);
}

TEST_F(MirrorTest, ANameThatAnotherMirrorUsesIsRefusedAndLeftAlone) {
  server_.slot = 50;
  server_.published = true;
  start();
  const Outcome outcome = wait_for_end();
  ASSERT_FALSE(outcome.obstacles.empty());
  EXPECT_EQ(outcome.obstacles.front().kind, ErrorKind::conflict);
  mirror_.reset();
  EXPECT_EQ(server_.slot, 50u);
  EXPECT_TRUE(server_.published);
}

TEST_F(MirrorTest, ASourceThatGoesAwayIsWaitedFor) {
  start();
  wait_shown(server_.end);
  server_.break_call("next", {ErrorKind::unreachable, "the server restarts"});
  wait_until([](const MirrorStatus& status) { return !status.error.empty(); });
  server_.mend();
  wait_shown(server_.commit(1, "2", "x"));
  wait_until([](const MirrorStatus& status) { return status.error.empty(); });
  EXPECT_FALSE(stop().error.has_value());
}

TEST_F(MirrorTest, ADestinationThatGoesAwayIsWaitedForAndReceivingGoesOn) {
  start();
  wait_shown(server_.end);
  std::atomic<bool> away{true};
  copy_.set_hook([&](std::string_view call, MemoryDestination::Moment) -> Status {
    if (away && (call == "begin" || call == "open")) return Error{ErrorKind::unreachable, "gone"};
    return Done{};
  });
  const std::uint64_t end = server_.commit(1, "2", "x");
  EXPECT_TRUE(server_.wait_until([&] { return server_.confirmed >= end; }));
  wait_until([](const MirrorStatus& status) { return !status.error.empty(); });
  away = false;
  wait_shown(end);
  EXPECT_FALSE(stop().error.has_value());
  EXPECT_EQ(rows("a"), 2u);
}

TEST_F(MirrorTest, AnErrorThatOnlyTheOperatorCanMendEndsIt) {
  start();
  wait_shown(server_.end);
  server_.break_call("next", {ErrorKind::refused, "permission denied"});
  const Outcome outcome = wait_for_end();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->kind, ErrorKind::refused);
  EXPECT_EQ(mirror_->status().state, MirrorState::failed);
  EXPECT_TRUE(server_.slot.has_value()) << "something was copied: the slot stays";
}

TEST_F(MirrorTest, ASourceThatHasForgottenTooMuchIsRefused) {
  start(true);
  EXPECT_FALSE(wait_for_end().error.has_value());
  server_.confirmed = server_.end + 1000;  // somebody has advanced the slot
  start();
  const Outcome outcome = wait_for_end();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->kind, ErrorKind::lost_history);
  EXPECT_NE(outcome.error->remedy.find("lockstep drop"), std::string::npos);
}

TEST_F(MirrorTest, ASlotThatIsGoneIsRefused) {
  start(true);
  EXPECT_FALSE(wait_for_end().error.has_value());
  server_.slot.reset();
  start();
  const Outcome outcome = wait_for_end();
  ASSERT_TRUE(outcome.error.has_value());
  EXPECT_EQ(outcome.error->kind, ErrorKind::lost_history);
}

TEST_F(MirrorTest, ATableDroppedBeforeItIsReadIsLeftOut) {
  adapters_.plan_setup = [this](const source::Identity&, const std::string&) {
    const std::lock_guard lock(server_.mutex);  // after the tables were listed, before they are read
    server_.tables.erase(TableId{2});
    return source::Setup{"slot", "publication", {}, {}};
  };
  start(true);
  const Outcome outcome = wait_for_end();
  EXPECT_FALSE(outcome.error.has_value());
  EXPECT_EQ(rows("a"), 1u);
  EXPECT_EQ(rows("b"), 999u);
}

}  // namespace
}  // namespace lockstep::runtime
