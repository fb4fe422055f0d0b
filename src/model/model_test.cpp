#include <gtest/gtest.h>

#include <random>

#include "model/change.hpp"
#include "model/position.hpp"
#include "model/row.hpp"
#include "model/shape.hpp"
#include "model/visible_set.hpp"

namespace lockstep {
namespace {

TEST(Position, IsWrittenAndReadAsTheSourcePrintsIt) {
  EXPECT_EQ(to_text(Lsn{0x16b374d848}), "16/B374D848");
  EXPECT_EQ(parse_lsn("16/B374D848").value(), Lsn{0x16b374d848});
  for (const char* wrong : {"", "16", "16/", "/1", "16/123456789", "g/1", "1/2 "}) {
    EXPECT_FALSE(parse_lsn(wrong).ok()) << wrong;
  }
}

TEST(VisibleSet, ShowsWhatEndedBeforeItAndNotWhatWasOpen) {
  const VisibleSet set = parse_visible_set("10:15:11,13").value();
  EXPECT_TRUE(set.contains(Xid{9}));
  EXPECT_TRUE(set.contains(Xid{10}));
  EXPECT_FALSE(set.contains(Xid{11}));
  EXPECT_TRUE(set.contains(Xid{12}));
  EXPECT_FALSE(set.contains(Xid{13}));
  EXPECT_FALSE(set.contains(Xid{15}));
  EXPECT_EQ(to_text(set), "10:15:11,13");
}

TEST(VisibleSet, RefusesWhatIsNoSnapshot) {
  for (const char* wrong : {"", "1:2", "x:2:", "1:2:x", "5:2:3", "1:9:3,x", "1:9:,3"}) {
    EXPECT_FALSE(parse_visible_set(wrong).ok()) << wrong;
  }
}

// The server exports it when transactions were rolled back after the last commit before the slot's start.
TEST(VisibleSet, MayHaveItsXminAboveItsXmax) {
  const VisibleSet set = parse_visible_set("15:10:").value();
  EXPECT_TRUE(set.contains(Xid{14}));
  EXPECT_FALSE(set.contains(Xid{15}));
  EXPECT_EQ(parse_visible_set(to_text(set)).value(), set);
}

TEST(VisibleSet, SubsetAgreesWithLookingAtEveryTransaction) {
  std::mt19937 random(7);
  const auto draw = [&] {
    VisibleSet set;
    set.xmin = Xid{random() % 6};
    set.xmax = Xid{set.xmin.value + random() % 6};
    for (Xid xid = set.xmin; xid < set.xmax; ++xid.value) {
      if (random() % 2 == 0) set.open.push_back(xid);
    }
    return set;
  };
  for (int round = 0; round < 20'000; ++round) {
    const VisibleSet inner = draw();
    const VisibleSet outer = draw();
    bool expected = true;
    for (Xid xid{0}; xid.value < 16; ++xid.value) expected = expected && (!inner.contains(xid) || outer.contains(xid));
    ASSERT_EQ(is_subset(inner, outer), expected) << to_text(inner) << " in " << to_text(outer);
  }
}

TEST(Type, IsWrittenAndReadBack) {
  for (const LogicalType& type :
       {LogicalType{TypeKind::boolean}, LogicalType{TypeKind::decimal, 18, 2},
        LogicalType{TypeKind::timestamp_tz, 0, 0, 2}, LogicalType{TypeKind::decimal, 38, 10, 1}}) {
    EXPECT_EQ(parse_type(to_text(type)).value(), type) << to_text(type);
  }
  for (const char* wrong :
       {"", "int", "decimal", "decimal(0,0)", "decimal(39,0)", "decimal(3,4)", "text(1)", "decimal(3,1"}) {
    EXPECT_FALSE(parse_type(wrong).ok()) << wrong;
  }
}

TableShape some_shape() {
  TableShape shape;
  shape.table = TableId{16'384};
  shape.name = {"public", "or\"ders"};
  shape.columns = {{"id", {TypeKind::int64}, 20, -1, 1}, {"total", {TypeKind::decimal, 18, 2}, 1700, 1'179'654, 2}};
  shape.key = {0};
  return shape;
}

TEST(Shape, SurvivesEncodingAndIsRefusedWhenCutAnywhere) {
  std::vector<std::byte> bytes;
  encode_shape(some_shape(), bytes);
  EXPECT_EQ(decode_shape(bytes).value(), some_shape());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(decode_shape(Bytes(bytes).first(size)).ok()) << size;
  }
}

TEST(Row, KeepsNullUnchangedAndEmptyApart) {
  const std::vector<Cell> cells{
      {Cell::State::null}, {Cell::State::unchanged}, {Cell::State::text, {}}, {Cell::State::binary, bytes_of("xyz")}};
  std::vector<std::byte> bytes;
  encode_row(cells, bytes);
  std::vector<Cell> read;
  ASSERT_TRUE(split_row(bytes, read));
  ASSERT_EQ(read.size(), cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_EQ(read[i].state, cells[i].state);
    EXPECT_TRUE(equal(read[i].bytes, cells[i].bytes));
  }
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(split_row(Bytes(bytes).first(size), read)) << size;
}

TEST(Change, EveryKindIsReadBackInOrder) {
  std::vector<std::byte> part;
  Change insert{.kind = ChangeKind::insert, .shape = ShapeId{1}, .new_row = bytes_of("new")};
  Change update{
      .kind = ChangeKind::update, .shape = ShapeId{2}, .old_row = bytes_of("old"), .new_row = bytes_of("newer")};
  Change erase{.kind = ChangeKind::erase, .shape = ShapeId{3}, .old_row = bytes_of("gone")};
  Change truncate{.kind = ChangeKind::truncate, .tables = {TableId{5}, TableId{6}}};
  Change message{.kind = ChangeKind::message, .prefix = "lockstep.mark", .content = bytes_of("m")};
  for (const Change& change : {insert, update, erase, truncate, message}) encode_change(change, part);

  ChangeReader in(part);
  Change change;
  ASSERT_TRUE(in.next(change));
  EXPECT_EQ(text_of(change.new_row), "new");
  ASSERT_TRUE(in.next(change));
  EXPECT_EQ(text_of(change.old_row), "old");
  EXPECT_EQ(text_of(change.new_row), "newer");
  ASSERT_TRUE(in.next(change));
  EXPECT_EQ(text_of(change.old_row), "gone");
  ASSERT_TRUE(in.next(change));
  EXPECT_EQ(change.tables, truncate.tables);
  ASSERT_TRUE(in.next(change));
  EXPECT_EQ(change.prefix, "lockstep.mark");
  EXPECT_FALSE(in.next(change));
  EXPECT_TRUE(in.ok());
}

TEST(Change, APartThatIsCutShortIsNotMistakenForItsEnd) {
  std::vector<std::byte> part;
  encode_change({.kind = ChangeKind::truncate, .tables = {TableId{5}}}, part);
  for (std::size_t size = 1; size < part.size(); ++size) {
    ChangeReader in(Bytes(part).first(size));
    Change change;
    while (in.next(change)) {}
    EXPECT_FALSE(in.ok()) << size;
  }
}

}  // namespace
}  // namespace lockstep
