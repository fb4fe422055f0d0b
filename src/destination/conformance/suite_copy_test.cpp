// Copying into hidden tables, and publishing them.

#include "destination/conformance/suite.hpp"

namespace lockstep::destination::conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<TextRow> numbered(std::size_t from, std::size_t to) {
  std::vector<TextRow> rows;
  for (std::size_t i = from; i < to; ++i) rows.push_back({std::to_string(i), "name " + std::to_string(i), "same"});
  return rows;
}

TEST_P(DestinationPromises, TheLedgerOfACopyComesBackAsItWasGiven) {
  ASSERT_THAT(destination().create_hidden(ledger_of(people(), 3)), IsOk());
  ASSERT_THAT(copy_range(people(), 2, numbered(0, 5)), IsOk());
  ASSERT_THAT(copy_range(people(), 0, numbered(5, 7)), IsOk());
  kill_and_open();
  const auto contents = destination().contents();
  ASSERT_THAT(contents, IsOk());
  ASSERT_EQ(contents.value().copies.size(), 1u);
  const CopyLedger& found = contents.value().copies[0];
  const CopyLedger given = ledger_of(people(), 3);
  EXPECT_EQ(found.table, given.table);
  EXPECT_EQ(found.shape, given.shape);
  EXPECT_EQ(found.types, given.types);
  EXPECT_EQ(found.snapshot, given.snapshot);
  EXPECT_EQ(found.visible, given.visible);
  EXPECT_EQ(found.applied, given.applied);
  EXPECT_EQ(found.mark, given.mark);
  EXPECT_EQ(found.storage, given.storage);
  EXPECT_EQ(found.ranges, 3u);
  EXPECT_THAT(found.done, UnorderedElementsAre(2u, 0u));
  EXPECT_EQ(found.rows, 7u);
}

TEST_P(DestinationPromises, AHiddenTableIsNotThereForReaders) {
  copy(people(), numbered(0, 5));
  EXPECT_FALSE(harness_->rows(people().name).has_value());
}

TEST_P(DestinationPromises, EveryRowOfEveryStreamArrivesOnce) {
  ASSERT_THAT(destination().create_hidden(ledger_of(people(), 1)), IsOk());
  std::vector<std::unique_ptr<RowStream>> streams;
  for (std::size_t i = 0; i < 5; ++i) {
    streams.push_back(std::make_unique<TextStream>(people(), numbered(i * 1000, i * 1000 + 1000), 33));
  }
  streams.push_back(std::make_unique<TextStream>(people(), std::vector<TextRow>{}));
  const auto copied = destination().copy_into(people().table, "group 1", std::vector<std::uint32_t>{0}, streams);
  ASSERT_THAT(copied, IsOk());
  EXPECT_EQ(copied.value().rows, 5000u);
  const auto step = begin();
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_THAT(rows(people()), testing::UnorderedElementsAreArray(numbered(0, 5000)));
}

TEST_P(DestinationPromises, ARangeThatFailsLeavesNeitherRowsNorLedger) {
  ASSERT_THAT(destination().create_hidden(ledger_of(people(), 1)), IsOk());
  std::vector<std::unique_ptr<RowStream>> streams;
  streams.push_back(std::make_unique<TextStream>(people(), numbered(0, 5000)));
  streams.push_back(
      std::make_unique<TextStream>(people(), numbered(5000, 5010), 3,
                                   Error{ErrorKind::does_not_fit, "a value is too long", "", "public.people", "a"}));
  const auto failed = destination().copy_into(people().table, "group 1", std::vector<std::uint32_t>{0}, streams);
  ASSERT_THAT(failed, FailsWith(ErrorKind::does_not_fit));
  EXPECT_EQ(failed.error().what, "a value is too long");
  EXPECT_EQ(failed.error().column, "a");
  EXPECT_THAT(destination().contents().value().copies.at(0).done, IsEmpty());
  EXPECT_EQ(destination().contents().value().copies.at(0).rows, 0u);
  ASSERT_THAT(copy_range(people(), 0, numbered(0, 2)), IsOk());
  const auto step = begin();
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_EQ(rows(people()).size(), 2u);
}

TEST_P(DestinationPromises, RowsOfAnotherSnapshotAreRefused) {
  ASSERT_THAT(destination().create_hidden(ledger_of(people(), 2)), IsOk());
  std::vector<std::unique_ptr<RowStream>> streams;
  streams.push_back(std::make_unique<TextStream>(people(), numbered(0, 5)));
  EXPECT_THAT(destination().copy_into(people().table, "group 2", std::vector<std::uint32_t>{0}, streams),
              FailsWith(ErrorKind::conflict));
  EXPECT_THAT(destination().copy_into(TableId{77}, "group 1", std::vector<std::uint32_t>{0}, streams),
              FailsWith(ErrorKind::conflict));
  EXPECT_THAT(destination().contents().value().copies.at(0).done, IsEmpty());
}

TEST_P(DestinationPromises, ANewCopyTakesTheOldOnesPlace) {
  copy(people(), numbered(0, 5));
  CopyLedger again = ledger_of(people(), 2);
  again.snapshot = "group 2";
  ASSERT_THAT(destination().create_hidden(again), IsOk());
  const auto contents = destination().contents();
  ASSERT_EQ(contents.value().copies.size(), 1u);
  EXPECT_EQ(contents.value().copies[0].snapshot, "group 2");
  EXPECT_THAT(contents.value().copies[0].done, IsEmpty());
  EXPECT_EQ(contents.value().copies[0].rows, 0u);
  EXPECT_THAT(copy_range(people(), 0, numbered(0, 1)), FailsWith(ErrorKind::conflict));
}

TEST_P(DestinationPromises, ADroppedCopyIsGone) {
  copy(people(), numbered(0, 5));
  ASSERT_THAT(destination().drop_hidden(people().table), IsOk());
  EXPECT_THAT(destination().contents().value().copies, IsEmpty());
  EXPECT_THAT(destination().drop_hidden(people().table), IsOk());
  make_live(people(), numbered(0, 2));
  EXPECT_EQ(rows(people()).size(), 2u);
}

TEST_P(DestinationPromises, OnlyACompleteCopyIsPublished) {
  ASSERT_THAT(destination().create_hidden(ledger_of(people(), 2)), IsOk());
  ASSERT_THAT(copy_range(people(), 0, numbered(0, 5)), IsOk());
  {
    const auto step = begin();
    EXPECT_THAT(step->publish(people().table), FailsWith(ErrorKind::unexpected));
  }
  EXPECT_FALSE(harness_->rows(people().name).has_value());
}

TEST_P(DestinationPromises, SeveralTablesArePublishedInOneStep) {
  const TableShape other = people(101, {"else\"where", "others"});
  copy(people(), numbered(0, 5));
  copy(other, numbered(0, 3));
  const auto step = begin();
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->publish(other.table), IsOk());
  EXPECT_FALSE(harness_->rows(people().name).has_value());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_EQ(rows(people()).size(), 5u);
  EXPECT_EQ(rows(other).size(), 3u);
  EXPECT_THAT(destination().contents().value().copies, IsEmpty());
  EXPECT_EQ(destination().contents().value().live.size(), 2u);
}

TEST_P(DestinationPromises, BeforeTheFirstCommitThereIsNoCommitTime) {
  copy(people(), numbered(0, 5));
  const auto step = begin();
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit({StateId{0}, PgPosition{Lsn{0x16'0000'0000}}, UnixMicros{}}), IsOk());
  const std::optional<Shown> shown = destination().contents().value().shown;
  ASSERT_TRUE(shown.has_value());
  EXPECT_EQ(shown->state, StateId{0});
  EXPECT_EQ(shown->commit_time, UnixMicros{});
}

TEST_P(DestinationPromises, APublishThatIsLetGoCanBeRepeated) {
  copy(people(), numbered(0, 5));
  {
    const auto step = begin();
    BatchBuilder late(people());
    ASSERT_THAT(step->write_hidden(late.insert({"9", "z", "z"}).batch()), IsOk());
    ASSERT_THAT(step->publish(people().table), IsOk());
  }
  EXPECT_FALSE(harness_->rows(people().name).has_value());
  const auto step = begin();
  BatchBuilder late(people());
  ASSERT_THAT(step->write_hidden(late.insert({"9", "z", "z"}).batch()), IsOk());
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_EQ(rows(people()).size(), 6u);
}

// A resync: the live table is followed until the new copy takes its place.
TEST_P(DestinationPromises, APublishedCopyReplacesTheLiveTable) {
  make_live(people(), {{"1", "old", "x"}});
  copy(people(), {{"1", "new", "x"}, {"2", "new", "y"}});
  BatchBuilder changes(people());
  ASSERT_THAT(apply(changes.update({"1", "older still followed", "x"})), IsOk());
  EXPECT_THAT(rows(people()), ElementsAre(TextRow{"1", "older still followed", "x"}));
  const auto step = begin();
  BatchBuilder late(people());
  ASSERT_THAT(step->write_hidden(late.update({"1", "newest", "x"}).batch()), IsOk());
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "newest", "x"}, TextRow{"2", "new", "y"}));
  BatchBuilder after(people());
  ASSERT_THAT(apply(after.update({"2", "after", "y"})), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "newest", "x"}, TextRow{"2", "after", "y"}));
}

// Dropped and created again at the source: another table under the same name, with other columns.
TEST_P(DestinationPromises, ANewTableTakesTheNameOfAnOldOne) {
  make_live(people(), {{"1", "old", "x"}});
  const TableShape fresh = make_shape(300, people().name, {{"only", int64_type}}, {0});
  make_live(fresh, {{"7"}});
  EXPECT_THAT(rows(fresh), ElementsAre(TextRow{"7"}));
  ASSERT_EQ(destination().contents().value().live.size(), 1u);
  BatchBuilder changes(fresh);
  ASSERT_THAT(apply(changes.insert({"8"})), IsOk());
  EXPECT_THAT(rows(fresh), UnorderedElementsAre(TextRow{"7"}, TextRow{"8"}));
}

TEST_P(DestinationPromises, AHiddenTableCatchesUpWhileNothingNewIsShown) {
  copy(people(), numbered(0, 2));
  {
    const auto step = begin();
    BatchBuilder changes(people());
    ASSERT_THAT(step->write_hidden(changes.update({"1", "later", "same"}).batch()), IsOk());
    ASSERT_THAT(step->advance_hidden(people().table, StateId{12}), IsOk());
    ASSERT_THAT(step->commit_unshown(), IsOk());
  }
  EXPECT_EQ(destination().contents().value().copies.at(0).applied, StateId{12});
  EXPECT_FALSE(destination().contents().value().shown.has_value());
  const auto step = begin();
  ASSERT_THAT(step->publish(people().table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"0", "name 0", "same"}, TextRow{"1", "later", "same"}));
}

TEST_P(DestinationPromises, ACopyGoesOnBesideAnOpenStep) {
  const TableShape other = people(101, {"public", "others"});
  make_live(people(), {});
  ASSERT_THAT(destination().create_hidden(ledger_of(other, 2)), IsOk());
  const auto step = begin();
  BatchBuilder changes(people());
  ASSERT_THAT(step->write(changes.insert({"1", "ada", "x"}).batch()), IsOk());
  ASSERT_THAT(copy_range(other, 0, numbered(0, 5)), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  ASSERT_THAT(copy_range(other, 1, numbered(5, 6)), IsOk());
  EXPECT_EQ(destination().contents().value().copies.at(0).rows, 6u);
  EXPECT_EQ(rows(people()).size(), 1u);
}

}  // namespace
}  // namespace lockstep::destination::conformance
