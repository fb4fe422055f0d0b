#include "runtime/status.hpp"

#include <gtest/gtest.h>

#include "runtime/backoff.hpp"
#include "runtime/table_list.hpp"

namespace lockstep::runtime {
namespace {

using destination::TableState;

MirrorStatus showing(std::uint64_t state, std::uint64_t position) {
  MirrorStatus status;
  status.published = true;
  status.applied = destination::Shown{StateId{state}, PgPosition{Lsn{position}}, {}};
  return status;
}

TEST(Goal, APositionIsReachedWhenItIsVisible) {
  const Goal goal = PositionShown{PgPosition{Lsn{100}}};
  EXPECT_FALSE(is_reached(goal, MirrorStatus{}));
  EXPECT_FALSE(is_reached(goal, showing(1, 99)));
  EXPECT_TRUE(is_reached(goal, showing(1, 100)));
}

TEST(Goal, CaughtUpNeedsEveryTableSettled) {
  const Goal goal = CaughtUp{PgPosition{Lsn{100}}};
  MirrorStatus status = showing(1, 100);
  EXPECT_TRUE(is_reached(goal, status));
  for (const TableState unsettled :
       {TableState::waiting, TableState::copying, TableState::joining, TableState::resyncing}) {
    status.tables = {TableStatus{}};
    status.tables[0].state = unsettled;
    EXPECT_FALSE(is_reached(goal, status)) << destination::name_of(unsettled);
  }
  status.tables[0].state = TableState::quarantined;
  EXPECT_TRUE(is_reached(goal, status));
}

TEST(Goal, AStateIsReachedByNumber) {
  EXPECT_FALSE(is_reached(StateShown{StateId{5}}, showing(4, 900)));
  EXPECT_TRUE(is_reached(StateShown{StateId{5}}, showing(5, 1)));
}

TEST(Lag, CountsFromWhatIsVisible) {
  MirrorStatus status = showing(1, 100);
  EXPECT_FALSE(lag_bytes(status).has_value());
  status.source_end = PgPosition{Lsn{130}};
  EXPECT_EQ(lag_bytes(status), 30u);
  status.source_end = PgPosition{Lsn{90}};  // asked before the newest batch came
  EXPECT_EQ(lag_bytes(status), 0u);
  EXPECT_EQ(lag_seconds(status, UnixMicros{5'000'000}), 0);
  status.oldest_unapplied = UnixMicros{3'500'000};
  EXPECT_EQ(lag_seconds(status, UnixMicros{5'000'000}), 1.5);
  EXPECT_EQ(lag_seconds(status, UnixMicros{1}), 0);
}

TEST(Backoff, DoublesUpToHalfAMinuteAndStartsOver) {
  Backoff backoff;
  EXPECT_EQ(backoff.failed().count(), 200);
  EXPECT_EQ(backoff.failed().count(), 400);
  for (int i = 0; i < 20; ++i) static_cast<void>(backoff.failed());
  EXPECT_EQ(backoff.failed().count(), 30'000);
  backoff.succeeded();
  EXPECT_EQ(backoff.failed().count(), 200);
}

source::Table known(std::uint64_t id, const char* name, const char* left_out = "") {
  source::Table table;
  table.shape.table = TableId{id};
  table.shape.name = {"public", name};
  table.left_out = left_out;
  return table;
}

TEST(TableList, FollowsATableFromWaitingToLive) {
  const std::vector<source::Table> tables{known(1, "a"), known(2, "k", "has no key")};
  TableList list(tables, std::vector<TableId>{TableId{1}});
  EXPECT_EQ(list.list()[0].state, TableState::waiting);
  EXPECT_EQ(list.list()[1].state, TableState::left_out);
  EXPECT_EQ(list.list()[1].error, "has no key");
  EXPECT_EQ(list.take_notes().size(), 2u);
  EXPECT_TRUE(list.take_notes().empty());

  list.see({{TableId{1}, {"public", "a"}, 7, 10, false}});
  EXPECT_EQ(list.list()[0].state, TableState::copying);
  EXPECT_EQ(state_of(list.list(), false), MirrorState::copying);
  list.see({{TableId{1}, {"public", "a"}, 9, 10, true}});
  EXPECT_EQ(list.list()[0].state, TableState::joining);
  EXPECT_EQ(state_of(list.list(), false), MirrorState::joining);

  destination::Contents contents;
  contents.live.push_back({tables[0].shape, {}});
  list.see(contents);
  EXPECT_EQ(list.list()[0].state, TableState::live);
  EXPECT_EQ(list.list()[0].rows_copied, 9u);
  EXPECT_EQ(state_of(list.list(), false), MirrorState::streaming);
  EXPECT_EQ(state_of(list.list(), true), MirrorState::paused);
  EXPECT_EQ(list.take_notes().size(), 1u);
}

}  // namespace
}  // namespace lockstep::runtime
