// Steps: all or nothing, from exactly one state to a later one.

#include "destination/conformance/suite.hpp"

namespace lockstep::destination::conformance {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(DestinationPromises, NothingIsShownBeforeTheFirstPublish) {
  const auto contents = destination().contents();
  ASSERT_THAT(contents, IsOk());
  EXPECT_FALSE(contents.value().shown.has_value());
  EXPECT_THAT(contents.value().copies, IsEmpty());
  EXPECT_THAT(contents.value().live, IsEmpty());
}

TEST_P(DestinationPromises, WhatIsShownOutlivesAKill) {
  make_live(people(), {{"1", "ada", "x"}});
  kill_and_open();
  const auto contents = destination().contents();
  ASSERT_THAT(contents, IsOk());
  ASSERT_TRUE(contents.value().shown.has_value());
  EXPECT_EQ(contents.value().shown->state, shown_->state);
  EXPECT_EQ(contents.value().shown->position, shown_->position);
  EXPECT_EQ(contents.value().shown->commit_time, shown_->commit_time);
  ASSERT_EQ(contents.value().live.size(), 1u);
  EXPECT_EQ(contents.value().live[0].shape, people());
  EXPECT_EQ(contents.value().live[0].types, types_of(people()));
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
}

TEST_P(DestinationPromises, AStepFromAnotherStateIsRefused) {
  make_live(people(), {});
  Shown older = *shown_;
  older.state.value -= 1;
  EXPECT_THAT(destination().begin(older), FailsWith(ErrorKind::conflict));
  EXPECT_THAT(destination().begin(std::nullopt), FailsWith(ErrorKind::conflict));
  Shown elsewhere = *shown_;
  elsewhere.position = PgPosition{Lsn{1}};
  EXPECT_THAT(destination().begin(elsewhere), FailsWith(ErrorKind::conflict));
  EXPECT_THAT(destination().begin(shown_), IsOk());
}

// The answer to a commit was lost: whoever asks `contents` and repeats from there does nothing twice.
TEST_P(DestinationPromises, AStepThatTookPlaceCannotBeRepeated) {
  make_live(people(), {});
  const std::optional<Shown> before = shown_;
  BatchBuilder changes(people());
  changes.insert({"1", "ada", "x"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(destination().begin(before), FailsWith(ErrorKind::conflict));
  EXPECT_EQ(destination().contents().value().shown->state, shown_->state);
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
}

TEST_P(DestinationPromises, AStepThatIsLetGoLeavesNothing) {
  make_live(people(), {{"1", "ada", "x"}});
  {
    const auto step = begin();
    BatchBuilder changes(people());
    changes.insert({"2", "bob", "y"}).erase({"1", "\\N", "\\N"});
    ASSERT_THAT(step->write(changes.batch()), IsOk());
    const TableNote note{people().name, TableState::quarantined, StateId{4}, "reason"};
    ASSERT_THAT(step->note({&note, 1}), IsOk());
  }
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
  EXPECT_EQ(harness_->notes().at("public.people"), "live");
  EXPECT_EQ(destination().contents().value().shown->state, shown_->state);
}

TEST_P(DestinationPromises, AKillInTheMiddleOfAStepLeavesNothing) {
  make_live(people(), {{"1", "ada", "x"}});
  auto step = begin();
  BatchBuilder changes(people());
  changes.insert({"2", "bob", "y"});
  ASSERT_THAT(step->write(changes.batch()), IsOk());
  harness_->kill();
  step.reset();
  open();
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
}

TEST_P(DestinationPromises, NoReaderSeesOneTableWithoutTheOther) {
  const TableShape other = people(101, {"public", "others"});
  make_live(people(), {});
  make_live(other, {});
  const auto step = begin();
  BatchBuilder first(people());
  BatchBuilder second(other);
  ASSERT_THAT(step->write(first.insert({"1", "ada", "x"}).batch()), IsOk());
  EXPECT_THAT(rows(people()), IsEmpty());
  ASSERT_THAT(step->write(second.insert({"1", "ada", "x"}).batch()), IsOk());
  EXPECT_THAT(rows(people()), IsEmpty());
  EXPECT_THAT(rows(other), IsEmpty());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_EQ(rows(people()).size(), 1u);
  EXPECT_EQ(rows(other).size(), 1u);
}

// A transaction that is larger than memory comes in chunks.
TEST_P(DestinationPromises, ChunksOfOneStepBuildOnOneAnother) {
  make_live(people(), {{"1", "ada", "x"}});
  const auto step = begin();
  BatchBuilder first(people());
  ASSERT_THAT(step->write(first.insert({"2", "bob", "y"}).update({"1", "ada", "x2"}).batch()), IsOk());
  BatchBuilder second(people());
  second.erase({"1", "\\N", "\\N"}).erase({"2", "\\N", "\\N"}).insert_over({"3", "cyd", "~"}, {}, {"2", "\\N", "\\N"});
  ASSERT_THAT(step->write(second.batch()), IsOk());
  BatchBuilder third(people());
  ASSERT_THAT(step->write(third.update({"3", "cyd", "z"}).batch()), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"3", "cyd", "z"}));
}

TEST_P(DestinationPromises, NotesTellReadersWhatToTrust) {
  make_live(people(), {});
  EXPECT_EQ(harness_->notes().at("public.people"), "live");
  {
    const auto step = begin();
    const std::vector<TableNote> notes{{people().name, TableState::quarantined, StateId{3}, "it's broken"},
                                       {{"public", "left"}, TableState::left_out, std::nullopt, ""}};
    ASSERT_THAT(step->note(notes), IsOk());
    ASSERT_THAT(step->commit(next_shown()), IsOk());
  }
  EXPECT_EQ(harness_->notes().at("public.people"), "quarantined since 3: it's broken");
  EXPECT_EQ(harness_->notes().at("public.left"), "left_out");
  {
    const auto step = begin();
    const TableNote again{people().name, TableState::live, std::nullopt, ""};
    ASSERT_THAT(step->note({&again, 1}), IsOk());
    ASSERT_THAT(step->commit_unshown(), IsOk());
  }
  EXPECT_EQ(harness_->notes().at("public.people"), "live");
  EXPECT_EQ(destination().contents().value().shown->state, shown_->state);
}

TEST_P(DestinationPromises, TheCopyOfAnotherDatabaseIsRefused) {
  make_live(people(), {});
  harness_->kill();
  EXPECT_THAT(destination().open({"shop", "system=2 database=shop"}), FailsWith(ErrorKind::refused));
  EXPECT_THAT(destination().open({"store", "system=1 database=shop"}), FailsWith(ErrorKind::refused));
  open();
  EXPECT_THAT(rows(people()), IsEmpty());
}

TEST_P(DestinationPromises, ForgettingLeavesTheCopiedTables) {
  make_live(people(), {{"1", "ada", "x"}});
  const TableShape half = people(101, {"public", "half"});
  ASSERT_THAT(destination().create_hidden(ledger_of(half)), IsOk());
  ASSERT_THAT(destination().forget(), IsOk());
  destination().close();
  EXPECT_THAT(destination().open({"another", "system=2 database=shop"}), IsOk());
  EXPECT_FALSE(destination().contents().value().shown.has_value());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
  EXPECT_THAT(destination().create_hidden(ledger_of(people())), FailsWith(ErrorKind::refused));
}

TEST_P(DestinationPromises, ADroppedTableIsGoneForReadersToo) {
  make_live(people(), {{"1", "ada", "x"}});
  ASSERT_THAT(destination().drop_live(people().name), IsOk());
  EXPECT_FALSE(harness_->rows(people().name).has_value());
  EXPECT_THAT(destination().contents().value().live, IsEmpty());
  EXPECT_THAT(harness_->notes(), IsEmpty());
  EXPECT_THAT(destination().drop_live(people().name), IsOk());
}

TEST_P(DestinationPromises, TidyingUpChangesNothing) {
  make_live(people(), {{"1", "ada", "x"}});
  ASSERT_THAT(destination().tidy_up(), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "ada", "x"}));
}

}  // namespace
}  // namespace lockstep::destination::conformance
