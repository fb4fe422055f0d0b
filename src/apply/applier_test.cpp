#include "apply/applier.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/failpoint.hpp"
#include "destination/memory/memory_destination.hpp"
#include "support/list_journal.hpp"
#include "support/text_rows.hpp"

namespace lockstep::apply {
namespace {

using namespace std::chrono_literals;
using destination::MemoryDestination;
using test::ChangeWriter;
using test::text_table;
using Did = Progress::Did;

/// A mirror of `orders` (keyed) and `notes` (keyless), whose first copy is under the slot's own snapshot.
class ApplierTest : public testing::Test {
 protected:
  ApplierTest() : write_(journal_) {
    EXPECT_TRUE(destination_.open({"m", "s"}).ok());
    options_.wanted = {orders_.table, notes_.table};
    options_.left_out = {TableId{77}};
    options_.start = PgPosition{Lsn{50}};
  }

  void copy(const TableShape& shape, const std::string& visible = "1:1:", const std::string& mark = "",
            StateId applied = {}) {
    destination::CopyLedger ledger;
    ledger.table = shape.table;
    ledger.shape = shape;
    ledger.types = test::types_of(shape);
    ledger.visible = parse_visible_set(visible).value();
    ledger.mark = mark;
    ledger.applied = applied;
    ASSERT_TRUE(destination_.create_hidden(ledger).ok());
  }
  void open() {
    applier_.emplace(destination_, journal_, decoders_, options_);
    const Status opened = applier_->open();
    ASSERT_TRUE(opened.ok()) << to_text(opened.error());
  }
  void copy_first_and_publish() {
    copy(orders_);
    copy(notes_);
    open();
    ASSERT_EQ(applier_->publish().value().tables.size(), 2U);
  }
  /// Until everything durable is visible.
  void apply_all() {
    for (int i = 0; i < 100 && !applier_->caught_up(); ++i) {
      const auto progress = applier_->advance(now_ += 1s);
      ASSERT_TRUE(progress.ok()) << to_text(progress.error());
    }
    ASSERT_TRUE(applier_->caught_up());
  }
  std::vector<destination::MemoryRow> rows(const TableShape& shape) const {
    auto rows = destination_.rows(shape.name).value_or(std::vector<destination::MemoryRow>{});
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  using Rows = std::vector<destination::MemoryRow>;

  TableShape orders_ = text_table(1, "orders", {"id", "item"}, {0});
  TableShape notes_ = text_table(2, "notes", {"text"}, {}, false);
  test::ListJournal journal_;
  ChangeWriter write_;
  test::TextDecoders decoders_;
  MemoryDestination destination_;
  ApplierOptions options_;
  std::optional<Applier> applier_;
  std::chrono::nanoseconds now_{0};
};

TEST_F(ApplierTest, NothingIsShownBeforeTheFirstCopyIsComplete) {
  write_.insert(orders_, {"1", "tea"}).commit(Xid{10});
  copy(orders_);
  open();
  EXPECT_EQ(applier_->advance(now_).value().did, Did::nothing);
  EXPECT_TRUE(applier_->publish().value().tables.empty());  // notes are not in yet
  EXPECT_FALSE(destination_.shown());
  EXPECT_EQ(applier_->may_release(), StateId{0});
}

TEST_F(ApplierTest, TheFirstCopyIsPublishedWholeAndThenFollowed) {
  write_.insert(orders_, {"1", "tea"}).insert(notes_, {"hi"}).commit(Xid{10});
  copy_first_and_publish();
  EXPECT_EQ(destination_.shown()->state, StateId{0});
  EXPECT_EQ(destination_.shown()->position, Position(PgPosition{Lsn{50}}));
  EXPECT_TRUE(rows(orders_).empty());
  apply_all();
  EXPECT_EQ(rows(orders_), (Rows{{"1", "tea"}}));
  EXPECT_EQ(rows(notes_), (Rows{{"hi"}}));
  EXPECT_EQ(destination_.shown()->state, StateId{1});
  EXPECT_EQ(destination_.notes().at(orders_.name).state, destination::TableState::live);
}

TEST_F(ApplierTest, AnOrdinarySnapshotIsPublishedOnceItsMarkHasCome) {
  write_.insert(orders_, {"1", "seen"}).commit(Xid{10});
  write_.insert(orders_, {"2", "not seen"}).commit(Xid{20});
  write_.insert(orders_, {"3", "seen"}).commit(Xid{11});
  copy(orders_, "15:15:", "m1", StateId{1});
  copy(notes_, "15:15:", "m1", StateId{1});
  open();
  EXPECT_EQ(applier_->may_release(), StateId{1});
  EXPECT_TRUE(applier_->publish().value().tables.empty());
  journal_.add_mark(Xid{30}, "another");
  EXPECT_TRUE(applier_->publish().value().tables.empty());
  journal_.add_mark(Xid{31}, "m1");
  write_.insert(orders_, {"4", "later"}).commit(Xid{40});
  EXPECT_EQ(applier_->publish().value().tables.size(), 2U);
  EXPECT_EQ(destination_.shown()->state, StateId{3});   // nothing that the snapshot shows lies after it
  EXPECT_EQ(rows(orders_), (Rows{{"2", "not seen"}}));  // the copied rows are not modelled here
  apply_all();
  EXPECT_EQ(rows(orders_), (Rows{{"2", "not seen"}, {"4", "later"}}));
}

TEST_F(ApplierTest, ATableThatComesLateJoinsWithoutDisturbingTheOthers) {
  options_.wanted.push_back(TableId{3});
  const TableShape late = text_table(3, "late", {"id", "v"}, {0});
  copy(orders_);
  copy(notes_);
  copy(late);
  open();
  ASSERT_EQ(applier_->publish().value().tables.size(), 3U);
  apply_all();
  write_.insert(late, {"1", "a"}).insert(orders_, {"1", "tea"}).commit(Xid{10});
  apply_all();
  copy(late, "5:20:10", "m2", StateId{0});  // copied again, under a snapshot that does not show 10
  journal_.add_mark(Xid{30}, "m2");
  write_.insert(late, {"2", "b"}).insert(orders_, {"2", "milk"}).commit(Xid{31});
  ASSERT_TRUE(applier_->look_again().ok());
  EXPECT_EQ(applier_->may_release(), StateId{0});
  apply_all();
  EXPECT_EQ(applier_->publish().value().tables, (std::vector<TableId>{late.table}));
  EXPECT_EQ(rows(late), (Rows{{"1", "a"}, {"2", "b"}}));
  EXPECT_EQ(rows(orders_), (Rows{{"1", "tea"}, {"2", "milk"}}));
  EXPECT_EQ(applier_->may_release(), StateId{3});
}

TEST_F(ApplierTest, TablesThatLackMuchCatchUpInStepsBeforeTheyArePublished) {
  options_.limits.changes_behind = 2;
  for (int i = 0; i < 10; ++i)
    write_.insert(orders_, {std::to_string(i), "x"}).commit(Xid{20U + static_cast<unsigned>(i)});
  write_.insert(orders_, {"seen", "x"}).commit(Xid{5});
  journal_.add_mark(Xid{40}, "m1");
  copy(orders_, "15:15:", "m1");
  copy(notes_, "15:15:", "m1");
  open();
  int steps = 0;
  Published published;
  do {
    published = applier_->publish().value();
    ++steps;
  } while (published.more);
  EXPECT_GT(steps, 3);
  EXPECT_EQ(published.tables.size(), 2U);
  EXPECT_EQ(destination_.shown()->state, StateId{11});
  EXPECT_EQ(rows(orders_).size(), 10U);
}

TEST_F(ApplierTest, ACopyThatWasCaughtUpHalfwayIsJoinedAfterARestart) {
  options_.limits.changes_behind = 2;
  for (int i = 0; i < 6; ++i)
    write_.insert(orders_, {std::to_string(i), "x"}).commit(Xid{20U + static_cast<unsigned>(i)});
  write_.insert(orders_, {"seen", "x"}).commit(Xid{5});
  journal_.add_mark(Xid{40}, "m1");
  copy(orders_, "15:15:", "m1");
  copy(notes_, "15:15:", "m1");
  open();
  EXPECT_TRUE(applier_->publish().value().more);
  open();
  EXPECT_GT(applier_->may_release(), StateId{0});
  while (applier_->publish().value().more) {}
  EXPECT_EQ(destination_.shown()->state, StateId{7});
  EXPECT_EQ(rows(orders_).size(), 6U);
}

TEST_F(ApplierTest, ARestartAfterEachStepOfCatchingUpStillEndsPublished) {
  copy_first_and_publish();
  options_.limits.changes_behind = 1;
  copy(orders_, "5:5:", "m1");  // a resync, far behind when it is complete
  for (unsigned i = 0; i < 6; ++i) {
    write_.insert(orders_, {std::to_string(i), "x"}).commit(Xid{10 + i});
    if (i == 2) journal_.add_mark(Xid{9}, "m1");
  }
  open();
  apply_all();
  int steps = 0;
  while (applier_->publish_waits() && ++steps < 20) {
    ASSERT_TRUE(applier_->publish().ok());
    open();
  }
  EXPECT_LT(steps, 20);
  EXPECT_GT(steps, 2);
  EXPECT_EQ(rows(orders_).size(), 6U);
}

TEST_F(ApplierTest, AQuietTableWaitsForTheBatchsAge) {
  copy_first_and_publish();
  write_.insert(orders_, {"1", "tea"}).commit(Xid{10});
  const Progress first = applier_->advance(5s).value();
  EXPECT_EQ(first.did, Did::folded);
  EXPECT_EQ(first.look_again_at, 5s + options_.limits.age_max);
  write_.insert(orders_, {"2", "milk"}).commit(Xid{11});
  EXPECT_EQ(applier_->advance(5s + 1ms).value().did, Did::folded);
  const Progress last = applier_->advance(*first.look_again_at).value();
  EXPECT_EQ(last.did, Did::committed);
  EXPECT_EQ(last.transactions, 2U);
  ASSERT_EQ(last.tables.size(), 1U);
  EXPECT_EQ(last.tables[0].counts.inserts, 2U);
}

TEST_F(ApplierTest, ALargeBatchDoesNotWait) {
  options_.limits.changes_behind = 3;
  copy_first_and_publish();
  for (int i = 0; i < 7; ++i) write_.insert(notes_, {"x"}).commit(Xid{10U + static_cast<unsigned>(i)});
  EXPECT_EQ(applier_->advance(0s).value().transactions, 3U);
  EXPECT_EQ(applier_->advance(0s).value().transactions, 3U);
  EXPECT_EQ(applier_->advance(0s).value().did, Did::folded);
}

TEST_F(ApplierTest, ALargeTransactionComesInChunksAndIsSeenWhole) {
  options_.limits.bytes_max = 1;
  copy_first_and_publish();
  write_.insert(orders_, {"1", "a"})
      .next_part()
      .update(orders_, {"1", "b"})
      .next_part()
      .insert(orders_, {"2", "c"})
      .commit(Xid{10});
  EXPECT_EQ(applier_->advance(0s).value().did, Did::wrote_chunk);
  EXPECT_TRUE(applier_->step_is_open());
  EXPECT_EQ(applier_->advance(0s).value().did, Did::wrote_chunk);
  EXPECT_TRUE(rows(orders_).empty());
  apply_all();
  EXPECT_FALSE(applier_->step_is_open());
  EXPECT_EQ(rows(orders_), (Rows{{"1", "b"}, {"2", "c"}}));
}

TEST_F(ApplierTest, StoppingInTheMiddleOfALargeTransactionLosesNothing) {
  options_.limits.bytes_max = 1;
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).next_part().insert(notes_, {"b"}).commit(Xid{10});
  EXPECT_EQ(applier_->advance(0s).value().did, Did::wrote_chunk);
  applier_.reset();
  open();
  apply_all();
  EXPECT_EQ(rows(notes_), (Rows{{"a"}, {"b"}}));
}

TEST_F(ApplierTest, OnlyWhatIsDurableIsApplied) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  write_.insert(notes_, {"b"}).commit(Xid{11});
  journal_.hold(StateId{1});
  apply_all();
  EXPECT_EQ(rows(notes_), (Rows{{"a"}}));
  EXPECT_EQ(destination_.shown()->state, StateId{1});
}

TEST_F(ApplierTest, ASchemaChangeStopsItOnceEverythingBeforeIsIn) {
  copy_first_and_publish();
  TableShape changed = orders_;
  changed.columns.push_back({"extra", {TypeKind::text}, 25, -1, 0});
  write_.insert(orders_, {"1", "tea"}).commit(Xid{10});
  write_.insert(orders_, {"2", "milk"}).insert(changed, {"3", "new", "x"}).commit(Xid{11});
  EXPECT_EQ(applier_->advance(0s).value().did, Did::committed);
  EXPECT_EQ(rows(orders_), (Rows{{"1", "tea"}}));
  for (int i = 0; i < 2; ++i) {
    const auto stopped = applier_->advance(1s);
    ASSERT_FALSE(stopped.ok());
    EXPECT_EQ(stopped.error().kind, ErrorKind::unsupported);
    EXPECT_EQ(stopped.error().table, "public.orders");
    EXPECT_NE(stopped.error().what.find("column extra is new"), std::string::npos);
  }
  EXPECT_EQ(destination_.shown()->state, StateId{1});
}

TEST_F(ApplierTest, AShapeThatIsTheSameUnderAnotherNumberIsNoSchemaChange) {
  copy_first_and_publish();
  TableShape numbered = orders_;
  numbered.columns[0].number = 1;
  TableShape whole_old_rows = orders_;
  whole_old_rows.old_rows_are_keys = false;
  whole_old_rows.key.clear();
  write_.insert(numbered, {"1", "tea"}).update(whole_old_rows, {"1", "tea"}, {"1", "milk"}).commit(Xid{10});
  apply_all();
  EXPECT_EQ(rows(orders_), (Rows{{"1", "milk"}}));
}

TEST_F(ApplierTest, ChangesOfTablesThatAreLeftOutAreSkippedAndThoseOfStrangersAreNot) {
  copy_first_and_publish();
  const TableShape left_out = text_table(77, "left_out", {"a"}, {});
  write_.insert(left_out, {"x"}).truncate({TableId{77}}).commit(Xid{10});
  apply_all();
  write_.insert(text_table(99, "stranger", {"a"}, {}), {"x"}).commit(Xid{11});
  const auto stopped = applier_->advance(now_ += 1s);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().table, "public.stranger");
  EXPECT_EQ(destination_.shown()->state, StateId{1});
}

TEST_F(ApplierTest, TransactionsWithoutChangesOfOursStillAdvanceTheState) {
  copy_first_and_publish();
  write_.commit(Xid{10});
  write_.commit(Xid{11});
  apply_all();
  EXPECT_EQ(destination_.shown()->state, StateId{2});
}

TEST_F(ApplierTest, APositionWithoutChangesIsSeenAtOnceAndKeptNowAndThen) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  apply_all();
  const Position quiet = PgPosition{Lsn{5000}};
  journal_.set_through(quiet);
  EXPECT_EQ(applier_->shown()->position, quiet);
  const Progress waits = applier_->advance(100s).value();
  EXPECT_EQ(waits.did, Did::nothing);
  EXPECT_NE(destination_.shown()->position, quiet);
  ASSERT_TRUE(waits.look_again_at);
  EXPECT_EQ(applier_->advance(*waits.look_again_at).value().did, Did::committed);
  EXPECT_EQ(destination_.shown()->position, quiet);
  EXPECT_EQ(destination_.shown()->state, StateId{1});
  open();  // the journal agrees with such a position
}

TEST_F(ApplierTest, ACommitWhoseAnswerIsLostIsNotDoneTwice) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  destination_.set_hook([](std::string_view call, MemoryDestination::Moment moment) -> Status {
    if (call == "commit" && moment == MemoryDestination::Moment::after)
      return Error{ErrorKind::unreachable, "answer lost"};
    return Done{};
  });
  EXPECT_EQ(applier_->advance(0s).value().did, Did::folded);
  EXPECT_EQ(applier_->advance(1s).error().kind, ErrorKind::unreachable);
  destination_.set_hook({});
  EXPECT_EQ(applier_->advance(2s).value().did, Did::nothing);
  EXPECT_EQ(rows(notes_), (Rows{{"a"}}));
  EXPECT_TRUE(applier_->caught_up());
}

TEST_F(ApplierTest, ACommitThatFailedIsDoneAgain) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  ASSERT_TRUE(set_failpoints("apply.before_commit=fail").ok());
  applier_->advance(0s).ok();
  EXPECT_FALSE(applier_->advance(1s).ok());
  ASSERT_TRUE(set_failpoints("").ok());
  apply_all();
  EXPECT_EQ(rows(notes_), (Rows{{"a"}}));
}

TEST_F(ApplierTest, AnotherEngineThatMovedTheDestinationIsAConflict) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  auto foreign = destination_.begin(destination_.shown());
  ASSERT_TRUE(foreign.value()->commit({StateId{1}, PgPosition{Lsn{70}}, {}}).ok());
  foreign.value().reset();
  applier_->advance(0s).ok();
  EXPECT_EQ(applier_->advance(1s).error().kind, ErrorKind::conflict);
  EXPECT_EQ(applier_->advance(2s).error().kind, ErrorKind::conflict);
}

TEST_F(ApplierTest, AJournalThatDoesNotContinueTheDestinationIsRefused) {
  copy_first_and_publish();
  for (unsigned i = 0; i < 5; ++i) write_.insert(notes_, {"a"}).commit(Xid{10 + i});
  apply_all();

  test::ListJournal shorter;
  ChangeWriter(shorter).insert(notes_, {"a"}).commit(Xid{10});
  EXPECT_EQ(Applier(destination_, shorter, decoders_, options_).open().error().kind, ErrorKind::conflict);

  write_.insert(notes_, {"b"}).commit(Xid{20});
  write_.insert(notes_, {"c"}).commit(Xid{21});
  journal_.trim(StateId{5});
  EXPECT_TRUE(Applier(destination_, journal_, decoders_, options_).open().ok());
  journal_.trim(StateId{6});
  EXPECT_EQ(Applier(destination_, journal_, decoders_, options_).open().error().kind, ErrorKind::lost_history);
}

TEST_F(ApplierTest, AStateWithAnotherPositionIsAnotherHistory) {
  copy_first_and_publish();
  write_.insert(notes_, {"a"}).commit(Xid{10});
  write_.insert(notes_, {"b"}).commit(Xid{11});
  auto moved = destination_.begin(destination_.shown());
  ASSERT_TRUE(moved.value()->commit({StateId{1}, PgPosition{Lsn{200}}, UnixMicros{1000}}).ok());
  moved.value().reset();
  EXPECT_EQ(Applier(destination_, journal_, decoders_, options_).open().error().kind, ErrorKind::conflict);
}

TEST_F(ApplierTest, AValueThatDoesNotFitStopsItAndNamesTheColumn) {
  orders_.columns[1].type = {TypeKind::int16};
  copy_first_and_publish();
  write_.insert(orders_, {"1", "70000"}).commit(Xid{10});
  applier_->advance(0s).ok();
  const auto stopped = applier_->advance(1s);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().kind, ErrorKind::does_not_fit);
  EXPECT_EQ(stopped.error().column, "item");
  EXPECT_EQ(stopped.error().remedy, "drop the mirror and copy again with --type public.orders.item=text");
  EXPECT_EQ(destination_.shown()->state, StateId{0});
}

}  // namespace
}  // namespace lockstep::apply
