// Names are any text, and tables of any width.

#include "destination/conformance/suite.hpp"

namespace lockstep::destination::conformance {
namespace {

using testing::ElementsAre;
using testing::UnorderedElementsAre;

TEST_P(DestinationPromises, AnyTextMayBeAName) {
  const std::vector<TableName> names{{"public", "select"},   {"pub\"lic", "we\"ird; drop table x; --"},
                                     {"Größe", "naïve 表"},  {"temp", "t"},
                                     {"main", "t"},          {"lockstep", "tables"},
                                     {"public", "with.dot"}, {"public", " "}};
  std::uint64_t id = 500;
  for (const TableName& name : names) {
    const TableShape shape =
        make_shape(++id, name, {{"a \"b\" c", int64_type}, {"order", text_type}, {"é", text_type}}, {0});
    make_live(shape, {{"1", "x", "y"}});
    BatchBuilder changes(shape);
    ASSERT_THAT(apply(changes.update({"1", "it's", "z"}).insert({"2", "\"", ""})), IsOk()) << to_text(name);
    EXPECT_THAT(rows(shape), UnorderedElementsAre(TextRow{"1", "it's", "z"}, testing::ElementsAre("2", testing::_, "")))
        << to_text(name);
  }
  EXPECT_EQ(destination().contents().value().live.size(), names.size());
}

TEST_P(DestinationPromises, NamesThatDifferOnlyByCaseStayApart) {
  const TableShape upper = people(101, {"public", "People"});
  const TableShape shouting = people(102, {"Public", "PEOPLE"});
  make_live(people(), {{"1", "small", "x"}});
  make_live(upper, {{"1", "Upper", "x"}});
  make_live(shouting, {{"1", "SHOUTING", "x"}});
  EXPECT_THAT(rows(people()), ElementsAre(TextRow{"1", "small", "x"}));
  EXPECT_THAT(rows(upper), ElementsAre(TextRow{"1", "Upper", "x"}));
  EXPECT_THAT(rows(shouting), ElementsAre(TextRow{"1", "SHOUTING", "x"}));
  make_live(upper, {{"2", "Upper", "again"}});
  kill_and_open();
  EXPECT_THAT(rows(people()), ElementsAre(TextRow{"1", "small", "x"}));
  EXPECT_THAT(rows(upper), ElementsAre(TextRow{"2", "Upper", "again"}));
}

TEST_P(DestinationPromises, ColumnsThatDifferOnlyByCaseStayApart) {
  const TableShape shape = make_shape(
      140, {"public", "cases"}, {{"a", int64_type}, {"A", text_type}, {"a_2", text_type}, {"rowid", int64_type}}, {});
  make_live(shape, {{"1", "x", "y", "7"}, {"1", "x", "y", "7"}});
  BatchBuilder changes(shape);
  ASSERT_THAT(apply(changes.erase({"1", "x", "y", "7"}).insert({"2", "X", "Y", "8"})), IsOk());
  EXPECT_THAT(rows(shape), UnorderedElementsAre(TextRow{"1", "x", "y", "7"}, TextRow{"2", "X", "Y", "8"}));
}

TEST_P(DestinationPromises, ATableMayHaveHundredsOfColumns) {
  constexpr std::size_t width = 300;
  for (const bool keyed : {true, false}) {
    std::vector<std::pair<std::string, LogicalType>> columns{{"id", int64_type}};
    for (std::size_t i = 1; i < width; ++i)
      columns.emplace_back("c" + std::to_string(i), i % 3 == 0 ? float64_type : text_type);
    const TableShape shape = make_shape(keyed ? 150 : 151, {"public", keyed ? "wide" : "wide_keyless"}, columns,
                                        keyed ? std::vector<std::uint16_t>{0} : std::vector<std::uint16_t>{});
    TextRow row(width, "1");
    TextRow second(width, "\\N");
    second[0] = "2";
    make_live(shape, {row, second});
    TextRow unchanged(width, "~");
    unchanged[0] = "2";
    unchanged[5] = "five";
    BatchBuilder changes(shape);
    changes.erase(row);
    if (keyed) changes.erase(second).insert_over(unchanged, {}, second);
    ASSERT_THAT(apply(changes), IsOk());
    ASSERT_EQ(rows(shape).size(), 1u);
    EXPECT_EQ(rows(shape)[0][0], "2");
    EXPECT_EQ(rows(shape)[0][5], keyed ? "five" : "NULL");
    EXPECT_EQ(rows(shape)[0][299], "NULL");
  }
}

}  // namespace
}  // namespace lockstep::destination::conformance
