#include "source/postgres/relation_shape.hpp"

#include <gtest/gtest.h>

namespace lockstep::postgres {
namespace {

CatalogColumn column(std::uint16_t number, const std::string& name, std::uint32_t type = 23) {
  CatalogColumn made;
  made.number = number;
  made.name = name;
  made.type = type;
  return made;
}

CatalogTable table(std::vector<CatalogColumn> columns, std::vector<std::uint16_t> key) {
  CatalogTable made;
  made.id = TableId{16385};
  made.name = {"public", "t"};
  made.columns = std::move(columns);
  made.key_numbers = std::move(key);
  return made;
}

pgoutput::Relation relation(std::vector<std::string> names, char identity, std::size_t key_column) {
  pgoutput::Relation made;
  made.oid = 16385;
  made.schema = "public";
  made.name = "t";
  made.identity = identity;
  for (std::size_t i = 0; i < names.size(); ++i)
    made.columns.push_back({identity == 'f' || i == key_column, names[i], 23, -1});
  return made;
}

const TypeRows types{{23, TypeRow{23, 'b', 'N', "int4", 0, 0, -1, 0}}};

std::vector<std::uint16_t> numbers(const TableShape& shape) {
  std::vector<std::uint16_t> all;
  for (const Column& each : shape.columns) all.push_back(each.number);
  return all;
}

TEST(RelationShape, FlaggedColumnsAreTheKey) {
  const CatalogTable known = table({column(1, "a"), column(2, "id")}, {2});
  const TableShape shape = shape_from(relation({"a", "id"}, 'd', 1), &known, types);
  EXPECT_EQ(shape.key, std::vector<std::uint16_t>{1});
  EXPECT_TRUE(shape.old_rows_are_keys);
  EXPECT_EQ(numbers(shape), (std::vector<std::uint16_t>{1, 2}));
  EXPECT_EQ(shape, shape_of(types, known));
}

TEST(RelationShape, AFullIdentityTakesTheCatalogsKeyAndElseNone) {
  const CatalogTable known = table({column(1, "a"), column(2, "id")}, {2});
  const TableShape shape = shape_from(relation({"a", "id"}, 'f', 0), &known, types);
  EXPECT_EQ(shape.key, std::vector<std::uint16_t>{1});
  EXPECT_FALSE(shape.old_rows_are_keys);
  const CatalogTable keyless = table({column(1, "a"), column(2, "id")}, {});
  EXPECT_TRUE(shape_from(relation({"a", "id"}, 'f', 0), &keyless, types).key.empty());
  EXPECT_TRUE(shape_from(relation({"a", "id"}, 'f', 0), nullptr, types).key.empty());
}

TEST(RelationShape, OldNamesFindTheirNumbersByPlaceWhileNothingWasDropped) {
  // Then: a, b. Now: a renamed to c, b to a, and d added.
  const CatalogTable known = table({column(1, "c"), column(2, "a"), column(3, "d")}, {1});
  const TableShape shape = shape_from(relation({"a", "b"}, 'd', 0), &known, types);
  EXPECT_EQ(numbers(shape), (std::vector<std::uint16_t>{1, 2}));
  EXPECT_EQ(shape.columns[0].name, "a");
}

TEST(RelationShape, WithDroppedColumnsOnlyNamesAreCertain) {
  CatalogTable known = table({column(1, "a"), column(2, "gone"), column(3, "c")}, {1});
  known.columns[1].dropped = true;
  EXPECT_EQ(numbers(shape_from(relation({"a", "c"}, 'd', 0), &known, types)), (std::vector<std::uint16_t>{1, 3}));
  EXPECT_EQ(numbers(shape_from(relation({"a", "b", "c"}, 'd', 0), &known, types)),
            (std::vector<std::uint16_t>{1, 0, 3}));
}

TEST(RelationShape, GeneratedColumnsAreNotPartOfIt) {
  CatalogTable known = table({column(1, "id"), column(2, "twice"), column(3, "c")}, {1});
  known.columns[1].generated = true;
  EXPECT_EQ(numbers(shape_from(relation({"id", "c"}, 'd', 0), &known, types)), (std::vector<std::uint16_t>{1, 3}));
  known.key_numbers = {1, 2};
  EXPECT_TRUE(shape_of(types, known).key.empty());
}

TEST(RelationShape, ATypeThatNobodyReadsInBinaryIsNamed) {
  EXPECT_EQ(first_text_column(relation({"a"}, 'd', 0), nullptr, types), "");
  pgoutput::Relation odd = relation({"a", "b"}, 'd', 0);
  odd.columns[1].type = 99999;
  EXPECT_EQ(first_text_column(odd, nullptr, types), "b");
}

}  // namespace
}  // namespace lockstep::postgres
