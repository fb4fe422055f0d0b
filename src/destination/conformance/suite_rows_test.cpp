// What a batch does to the rows of a table.

#include "destination/conformance/suite.hpp"

namespace lockstep::destination::conformance {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_P(DestinationPromises, InsertsUpdatesAndErasesReachTheirRows) {
  make_live(people(), {{"1", "ada", "x"}, {"2", "bob", "y"}, {"3", "cyd", "z"}});
  BatchBuilder changes(people());
  changes.insert({"4", "dan", "\\N"})
      .update({"2", "bob", "new"})
      .erase({"1", "\\N", "\\N"})
      .erase({"99", "\\N", "\\N"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(rows(people()),
              UnorderedElementsAre(TextRow{"2", "bob", "new"}, TextRow{"3", "cyd", "z"}, TextRow{"4", "dan", "NULL"}));
}

TEST_P(DestinationPromises, ATruncateComesBeforeTheRowsOfItsBatch) {
  make_live(people(), {{"1", "ada", "x"}, {"2", "bob", "y"}});
  BatchBuilder changes(people());
  changes.truncate().insert({"1", "eve", "w"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "eve", "w"}));
  BatchBuilder empty(people());
  ASSERT_THAT(apply(empty.truncate()), IsOk());
  EXPECT_THAT(rows(people()), IsEmpty());
}

TEST_P(DestinationPromises, AnUnchangedValueComesFromOlderLayersOrTheBaseRow) {
  make_live(people(), {{"1", "from base", "b1"}, {"2", "untouched", "b2"}});
  BatchBuilder changes(people());
  changes.erase({"1", "\\N", "\\N"})
      .insert_over({"1", "~", "~"}, {{"1", "~", "from layer"}, {"1", "~", "too old"}}, {"1", "\\N", "\\N"})
      .insert_over({"3", "~", "new"}, {{"3", "from layer", "~"}, {"3", "too old", "too old"}}, {});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "from base", "from layer"},
                                                   TextRow{"2", "untouched", "b2"}, TextRow{"3", "from layer", "new"}));
}

// Two rows change their keys with one another, and a third one moves; their large values were not sent.
TEST_P(DestinationPromises, RotatingKeysKeepTheirOwnValues) {
  make_live(people(), {{"1", "A", "a"}, {"2", "B", "\\N"}, {"3", "C", "c"}});
  BatchBuilder changes(people());
  changes.erase({"1", "\\N", "\\N"}).erase({"2", "\\N", "\\N"}).erase({"3", "\\N", "\\N"});
  changes.insert_over({"2", "~", "~"}, {}, {"1", "\\N", "\\N"})
      .insert_over({"3", "~", "~"}, {}, {"2", "\\N", "\\N"})
      .insert_over({"1", "~", "new"}, {}, {"3", "\\N", "\\N"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(rows(people()),
              UnorderedElementsAre(TextRow{"2", "A", "a"}, TextRow{"3", "B", "NULL"}, TextRow{"1", "C", "new"}));
}

TEST_P(DestinationPromises, AMissingBaseRowFailsTheStep) {
  make_live(people(), {{"1", "A", "a"}});
  BatchBuilder changes(people());
  changes.insert_over({"2", "~", "x"}, {}, {"7", "\\N", "\\N"});
  const Status failed = apply(changes);
  ASSERT_THAT(failed, FailsWith(ErrorKind::unexpected));
  EXPECT_EQ(failed.error().table, "public.people");
  EXPECT_THAT(rows(people()), UnorderedElementsAre(TextRow{"1", "A", "a"}));
}

TEST_P(DestinationPromises, KeysOfSeveralColumnsAreComparedWhole) {
  const TableShape pairs =
      make_shape(110, {"public", "pairs"}, {{"v", text_type}, {"x", text_type}, {"y", int64_type}}, {2, 1});
  make_live(pairs, {{"v1", "a", "1"}, {"v2", "a", "2"}, {"v3", "b", "1"}, {"v4", "", "1"}});
  BatchBuilder changes(pairs);
  changes.update({"new", "a", "1"}).erase({"\\N", "b", "1"}).erase({"\\N", "", "1"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_THAT(rows(pairs), UnorderedElementsAre(TextRow{"new", "a", "1"}, TextRow{"v2", "a", "2"}));
}

TEST_P(DestinationPromises, AValueThatDoesNotFitNamesTableAndColumn) {
  const TableShape small = make_shape(120, {"public", "small"}, {{"id", int64_type}, {"n", int32_type}}, {0});
  make_live(small, {{"1", "1"}});
  BatchBuilder changes(small);
  changes.insert({"2", "5"}).update({"1", "3000000000"});
  const Status failed = apply(changes);
  ASSERT_THAT(failed, FailsWith(ErrorKind::does_not_fit));
  EXPECT_EQ(failed.error().table, "public.small");
  EXPECT_EQ(failed.error().column, "n");
  EXPECT_EQ(to_text(failed.error()).find("3000000000"), std::string::npos);
  EXPECT_THAT(rows(small), UnorderedElementsAre(TextRow{"1", "1"}));
  BatchBuilder better(small);
  ASSERT_THAT(apply(better.update({"1", "2"})), IsOk());
  EXPECT_THAT(rows(small), UnorderedElementsAre(TextRow{"1", "2"}));
}

TEST_P(DestinationPromises, BytesThatAreNoRowFailTheStep) {
  make_live(people(), {});
  const TableShape narrower = make_shape(100, people().name, {{"id", int64_type}}, {0});
  BatchBuilder changes(narrower);
  EXPECT_THAT(apply(changes.insert({"1"})), FailsWith(ErrorKind::unexpected));
  BatchBuilder letters(people());
  EXPECT_THAT(apply(letters.insert({"one", "a", "b"})), FailsWith(ErrorKind::bad_data));
  EXPECT_THAT(rows(people()), IsEmpty());
}

TEST_P(DestinationPromises, AKeylessEraseTakesAsManyEqualRowsAsItSays) {
  make_live(events(), {{"a", "1"}, {"a", "1"}, {"a", "1"}, {"a", "2"}, {"\\N", "1"}, {"\\N", "\\N"}, {"\\N", "\\N"}});
  BatchBuilder changes(events());
  changes.erase({"a", "1"}, 2).erase({"\\N", "\\N"}).insert({"b", "1"}).insert({"b", "1"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_EQ(rows(events()).size(), 6u);
  BatchBuilder more(events());
  more.erase({"a", "1"}).erase({"\\N", "1"}).erase({"\\N", "\\N"}).erase({"b", "1"}, 2);
  ASSERT_THAT(apply(more), IsOk());
  ASSERT_EQ(rows(events()).size(), 1u);
  EXPECT_EQ(rows(events())[0][0], "a");
}

TEST_P(DestinationPromises, EqualErasesAreCountedTogether) {
  make_live(events(), {{"a", "1"}, {"a", "1"}, {"a", "1"}});
  BatchBuilder changes(events());
  changes.erase({"a", "1"}).erase({"a", "1"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_EQ(rows(events()).size(), 1u);
}

// SQL's = takes 0.0 and -0.0 for the same, and NaN for nothing.
TEST_P(DestinationPromises, KeylessRowsAreEqualByExactBytes) {
  make_live(events(), {{"z", "0.0"}, {"z", "-0.0"}, {"z", "NaN"}, {"z", "NaN"}, {"z", "inf"}});
  BatchBuilder changes(events());
  changes.erase({"z", "-0.0"}).erase({"z", "NaN"});
  ASSERT_THAT(apply(changes), IsOk());
  EXPECT_EQ(rows(events()).size(), 3u);
  BatchBuilder again(events());
  EXPECT_THAT(apply(again.erase({"z", "-0.0"})), FailsWith(ErrorKind::unexpected));
  BatchBuilder rest(events());
  ASSERT_THAT(apply(rest.erase({"z", "0.0"}).erase({"z", "NaN"}).erase({"z", "inf"})), IsOk());
  EXPECT_THAT(rows(events()), IsEmpty());
}

TEST_P(DestinationPromises, IntervalsThatOnlySumUpAlikeAreDifferentRows) {
  const LogicalType interval{TypeKind::interval, 0, 0, 0};
  const TableShape spans = make_shape(130, {"public", "spans"}, {{"i", interval}}, {});
  make_live(spans, {{"1 0 0"}, {"0 30 0"}, {"0 0 2592000000000"}});
  BatchBuilder changes(spans);
  ASSERT_THAT(apply(changes.erase({"0 30 0"})), IsOk());
  BatchBuilder again(spans);
  EXPECT_THAT(apply(again.erase({"0 30 0"})), FailsWith(ErrorKind::unexpected));
  EXPECT_EQ(rows(spans).size(), 2u);
}

TEST_P(DestinationPromises, RowsThatOneStepInsertsCanBeErasedByItsNextChunk) {
  make_live(events(), {{"a", "1"}});
  const auto step = begin();
  BatchBuilder first(events());
  ASSERT_THAT(step->write(first.insert({"b", "2"}).insert({"b", "2"}).batch()), IsOk());
  BatchBuilder second(events());
  ASSERT_THAT(step->write(second.erase({"b", "2"}).erase({"a", "1"}).batch()), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
  ASSERT_EQ(rows(events()).size(), 1u);
  EXPECT_EQ(rows(events())[0][0], "b");
}

// More rows than one vector, and than one thread takes.
TEST_P(DestinationPromises, ALargeBatchIsWrittenWhole) {
  constexpr int count = 40'000;
  make_live(people(), {});
  BatchBuilder inserts(people());
  for (int i = 0; i < count; ++i) inserts.insert({std::to_string(i), "a value that is longer than twelve", "first"});
  ASSERT_THAT(apply(inserts), IsOk());
  EXPECT_EQ(rows(people()).size(), static_cast<std::size_t>(count));
  BatchBuilder updates(people());
  for (int i = 0; i < count; i += 2) {
    updates.erase({std::to_string(i), "\\N", "\\N"});
    updates.insert_over({std::to_string(i), "~", "second"}, {}, {std::to_string(i), "\\N", "\\N"});
  }
  ASSERT_THAT(apply(updates), IsOk());
  const std::vector<TextRow> all = rows(people());
  EXPECT_EQ(all.size(), static_cast<std::size_t>(count));
  const auto changed = std::count_if(all.begin(), all.end(), [](const TextRow& row) {
    return row[1] == "a value that is longer than twelve" && row[2] == "second" && std::stoi(row[0]) % 2 == 0;
  });
  EXPECT_EQ(changed, count / 2);
}

}  // namespace
}  // namespace lockstep::destination::conformance
