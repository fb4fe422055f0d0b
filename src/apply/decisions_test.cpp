#include <gtest/gtest.h>

#include <set>
#include <string>

#include "apply/cut.hpp"
#include "apply/join.hpp"
#include "apply/key_index.hpp"
#include "apply/ledger.hpp"
#include "apply/shape_check.hpp"
#include "support/list_journal.hpp"
#include "support/text_rows.hpp"

namespace lockstep::apply {
namespace {

using namespace std::chrono_literals;

TEST(Cut, EndsABatchWhenItIsLargeOrOldEnough) {
  const BatchLimits limits;
  EXPECT_FALSE(should_end({}, limits));
  EXPECT_FALSE(should_end({0, 0, 0, 10s, false}, limits));
  EXPECT_FALSE(should_end({1, 10, 100, 1ms, false}, limits));
  EXPECT_TRUE(should_end({1, 10, 100, limits.age_max, false}, limits));
  EXPECT_FALSE(should_end({1, 10, 100, limits.age_max, true}, limits));  // behind: fuller batches are cheaper
  EXPECT_TRUE(should_end({1, limits.changes_behind, 100, 0ms, true}, limits));
  EXPECT_TRUE(should_end({1, 10, limits.bytes_max, 0ms, true}, limits));
  EXPECT_TRUE(should_end({limits.transactions_max, 0, 0, 0ms, true}, limits));
}

TEST(Ledger, VisibilityDecidesNotTheOrder) {
  const VisibleSet visible = parse_visible_set("10:20:12").value();
  EXPECT_FALSE(lacks(visible, StateId{5}, StateId{5}, Xid{99}));  // it stands there already
  EXPECT_FALSE(lacks(visible, StateId{5}, StateId{6}, Xid{11}));
  EXPECT_TRUE(lacks(visible, StateId{5}, StateId{6}, Xid{12}));
  EXPECT_TRUE(lacks(visible, StateId{5}, StateId{6}, Xid{20}));
}

destination::CopyLedger ledger_of(std::uint64_t table, std::uint64_t applied, std::uint32_t ranges) {
  destination::CopyLedger ledger;
  ledger.table = TableId{table};
  ledger.applied = StateId{applied};
  ledger.ranges = ranges;
  return ledger;
}

TEST(Ledger, TheJournalKeepsWhatTheSlowestOfAllNeeds) {
  destination::Contents contents;
  const std::vector<TableId> wanted{TableId{1}, TableId{2}};
  contents.copies = {ledger_of(1, 7, 0)};
  EXPECT_EQ(release_floor(contents, wanted), StateId{0});  // table 2 may begin anywhere
  contents.copies.push_back(ledger_of(2, 5, 0));
  EXPECT_EQ(release_floor(contents, wanted), StateId{5});
  contents.shown = destination::Shown{StateId{6}, {}, {}};
  EXPECT_EQ(release_floor(contents, wanted), StateId{5});
  contents.copies.clear();
  EXPECT_EQ(release_floor(contents, wanted), StateId{6});
}

TEST(Ledger, AfterARestartCompleteTablesAreOnlyJoined) {
  destination::Contents contents;
  contents.copies = {ledger_of(1, 0, 0), ledger_of(2, 0, 3), ledger_of(9, 0, 0)};
  destination::LiveTable live;
  live.shape.table = TableId{4};
  contents.live = {live};
  const std::vector<TableId> wanted{TableId{1}, TableId{2}, TableId{3}, TableId{4}};
  const CopyNeeds needs = copy_needs(contents, wanted);
  EXPECT_EQ(needs.complete, (std::vector<TableId>{TableId{1}}));
  EXPECT_EQ(needs.to_copy, (std::vector<TableId>{TableId{2}, TableId{3}}));
  EXPECT_EQ(needs.to_drop, (std::vector<TableId>{TableId{9}}));
}

TEST(JoinPoint, IsTheLastCommitThatTheSnapshotShowsOnceTheMarkHasCome) {
  destination::CopyLedger ledger = ledger_of(1, 2, 0);
  ledger.visible = parse_visible_set("10:20:").value();
  ledger.mark = "m";
  JoinPoint point(ledger);
  point.saw({StateId{3}, Xid{30}, {}, {}}, "");
  point.saw({StateId{4}, Xid{15}, {}, {}}, "");
  point.saw({StateId{5}, Xid{31}, {}, {}}, "other");
  EXPECT_FALSE(point.received_mark());
  point.saw({StateId{6}, Xid{32}, {}, {}}, "m");
  EXPECT_TRUE(point.received_mark());
  EXPECT_EQ(point.earliest(), StateId{4});
  EXPECT_EQ(point.catch_up_limit(), StateId{5});
}

TEST(ShapeCheck, SaysWhatIsDifferent) {
  const TableShape live = test::text_table(1, "t", {"a", "b"}, {0});
  TableShape seen = live;
  EXPECT_EQ(difference(live, seen), "");
  seen.columns[1].source_type = 23;
  EXPECT_EQ(difference(live, seen), "column b has another type");
  seen = live;
  seen.columns.pop_back();
  EXPECT_EQ(difference(live, seen), "column b is gone");
  seen = live;
  std::swap(seen.columns[0], seen.columns[1]);
  EXPECT_EQ(difference(live, seen), "the columns stand in another order");
  seen = live;
  seen.name.table = "u";
  EXPECT_EQ(difference(live, seen), "the table was renamed to public.u");
  seen = live;
  seen.key = {1};
  EXPECT_EQ(difference(live, seen), "the table has another key");
  TableShape numbered = live;
  numbered.columns[0].number = 1;
  seen = numbered;
  seen.columns[0].number = 4;
  EXPECT_EQ(difference(numbered, seen), "column a was dropped and made again");
}

TEST(KeyIndex, GivesEachKeyItsNumber) {
  KeyIndex index;
  std::vector<std::string> keys;
  for (int i = 0; i < 10'000; ++i) keys.push_back("key " + std::to_string(i));
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t i = 0; i < keys.size(); ++i) {
      const std::uint32_t fresh = round == 0 ? i : 999'999;
      ASSERT_EQ(index.find_or_add(bytes_of(keys[i]), fresh), i);
    }
  }
  EXPECT_EQ(index.size(), keys.size());
  index.clear();
  EXPECT_EQ(index.find_or_add(bytes_of(keys[5]), 0), 0U);
  EXPECT_EQ(index.size(), 1U);
}

TEST(KeyIndex, HashesOfNeighboursDiffer) {
  std::set<std::uint64_t> seen;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    std::vector<std::byte> bytes;
    WireWriter(bytes).u32(i);
    seen.insert(hash_of(bytes) & 0xffffff);
  }
  EXPECT_GT(seen.size(), 99'000U);  // 2^24 places: about 300 meet by chance
}

}  // namespace
}  // namespace lockstep::apply
