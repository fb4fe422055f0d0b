#include "copy/group.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/failpoint.hpp"
#include "destination/fence.hpp"
#include "destination/memory/memory_destination.hpp"
#include "support/list_journal.hpp"
#include "support/text_rows.hpp"

namespace lockstep::copy {
namespace {

using destination::MemoryDestination;
using test::TextRow;
using What = Setback::What;

class FakeSnapshot final : public source::Snapshot {
 public:
  FakeSnapshot(const std::string& visible, std::shared_ptr<bool> alive)
      : visible_(parse_visible_set(visible).value()), alive_(std::move(alive)) {}
  const VisibleSet& visible() const override { return visible_; }
  bool alive() const override { return *alive_; }

 private:
  VisibleSet visible_;
  std::shared_ptr<bool> alive_;
};

/// Tables whose range number r holds the row number r.
class FakeSource final : public source::SnapshotSource {
 public:
  explicit FakeSource(test::ListJournal& journal) : journal_(journal) {}

  Result<std::unique_ptr<source::Snapshot>> take_snapshot() override {
    return std::unique_ptr<source::Snapshot>(std::make_unique<FakeSnapshot>(visible, alive));
  }
  Status write_mark(const std::string& text) override {
    journal_.add_mark(Xid{1000}, text);
    return Done{};
  }
  Result<std::vector<source::RangePlan>> plan(const source::Snapshot&, const std::vector<TableId>& ids) override {
    std::vector<source::RangePlan> plans;
    for (const auto& [shape, rows] : tables) {
      if (std::find(ids.begin(), ids.end(), shape.table) == ids.end()) continue;
      source::RangePlan plan{shape, 7, {}};
      for (std::uint64_t r = 0; r < rows.size(); ++r) plan.ranges.push_back({r, r + 1});
      plan.ranges.back().end.reset();
      plans.push_back(std::move(plan));
    }
    return plans;
  }
  Result<std::unique_ptr<RowStream>> open_stream(const source::Snapshot&, const source::RangePlan& plan,
                                                 std::shared_ptr<source::RangeQueue> ranges,
                                                 const std::vector<LogicalType>& targets) override {
    if (fails) return *fails;
    std::vector<TextRow> rows;
    for (const auto& [shape, all] : tables) {
      if (shape.table != plan.shape.table) continue;
      while (const auto range = ranges->take()) rows.push_back(all[range->begin]);
    }
    return std::unique_ptr<RowStream>(std::make_unique<test::TextRowStream>(plan.shape, std::move(rows), targets));
  }

  std::vector<std::pair<TableShape, std::vector<TextRow>>> tables;
  std::string visible = "15:15:";
  std::shared_ptr<bool> alive = std::make_shared<bool>(true);
  std::optional<Error> fails;

 private:
  test::ListJournal& journal_;
};

class CopyGroupTest : public testing::Test {
 protected:
  CopyGroupTest() : source_(journal_) {
    EXPECT_TRUE(destination_.open({"m", "s"}).ok());
    source_.tables = {{orders_, {{"1", "10"}, {"2", "20"}, {"3", "30"}}}, {notes_, {{"hi"}, {"ho"}}}};
    request_.id = "g1";
    request_.tables = {{orders_.table, 3, 3, {}}, {notes_.table, 2, 2, {}}};
    request_.unit_bytes = 1;
  }

  void open() {
    auto group = CopyGroup::open(source_, journal_, request_);
    ASSERT_TRUE(group.ok() && group.value().has_value());
    group_.emplace(std::move(*group.value()));
    ASSERT_TRUE(group_->create_hidden(destination_).ok());
  }
  Result<destination::CopyCounts> load(const Unit& unit) {
    return load_unit(source_, destination_, group_->snapshot(), unit, 2);
  }
  void load_all() {
    while (const auto unit = group_->next_unit()) {
      const auto counts = load(*unit);
      ASSERT_TRUE(counts.ok()) << to_text(counts.error());
      ASSERT_TRUE(group_->loaded(*unit, counts.value()).ok());
    }
  }
  std::vector<destination::MemoryRow> hidden(const TableShape& shape) const {
    return destination_.hidden_rows(shape.table).value_or(std::vector<destination::MemoryRow>{});
  }
  destination::CopyLedger ledger(const TableShape& shape) {
    const destination::Contents contents = destination_.contents().value();
    for (const auto& copy : contents.copies) {
      if (copy.table == shape.table) return copy;
    }
    return {};
  }
  /// One unit is given out and fails like this.
  Setback fail_with(const Error& why) {
    const auto unit = group_->next_unit();
    EXPECT_TRUE(unit.has_value());
    return group_->failed(destination_, *unit, why).value();
  }

  TableShape orders_ = test::text_table(1, "orders", {"id", "n"}, {0});
  TableShape notes_ = test::text_table(2, "notes", {"text"}, {}, false);
  test::ListJournal journal_;
  FakeSource source_;
  MemoryDestination destination_;
  GroupRequest request_;
  std::optional<CopyGroup> group_;
};

TEST_F(CopyGroupTest, CopiesEveryRangeOfEveryTableOnce) {
  journal_.add_mark(Xid{10}, "visible");
  journal_.add_mark(Xid{20}, "not visible");
  open();
  EXPECT_EQ(group_->applied(), StateId{1});
  EXPECT_FALSE(group_->complete());
  load_all();
  EXPECT_TRUE(group_->complete());
  EXPECT_EQ(hidden(orders_).size(), 3U);
  EXPECT_EQ(hidden(notes_).size(), 2U);
  const destination::CopyLedger entry = ledger(orders_);
  EXPECT_TRUE(destination::is_complete(entry));
  EXPECT_EQ(entry.applied, StateId{1});
  EXPECT_EQ(entry.mark, "g1");
  EXPECT_EQ(to_text(entry.visible), "15:15:");
  EXPECT_EQ(group_->progress()[0].rows, 3U);
  EXPECT_EQ(journal_.durable().last, StateId{3});  // the mark is in the log
}

TEST_F(CopyGroupTest, TheSlotsOwnSnapshotNeedsNoMark) {
  journal_.add_mark(Xid{10}, "the first change of the stream");
  request_.slot_snapshot = std::make_shared<FakeSnapshot>("8:10:9", source_.alive);
  request_.slot_visible = request_.slot_snapshot->visible();
  open();
  EXPECT_EQ(ledger(orders_).mark, "");
  EXPECT_EQ(ledger(orders_).applied, StateId{0});
  EXPECT_EQ(journal_.durable().last, StateId{1});
}

TEST_F(CopyGroupTest, TheSlotsOwnSnapshotIsOfNoUseOnceTheStreamIsPartlyForgotten) {
  journal_.add_mark(Xid{10}, "forgotten");
  journal_.trim(StateId{1});
  request_.slot_snapshot = std::make_shared<FakeSnapshot>("8:10:9", source_.alive);
  open();
  EXPECT_EQ(ledger(orders_).mark, "g1");
  EXPECT_EQ(ledger(orders_).applied, StateId{1});
}

TEST_F(CopyGroupTest, ASnapshotThatShowsLessThanTheSlotsOwnHasToWait) {
  request_.slot_visible = parse_visible_set("12:12:").value();
  source_.visible = "11:15:11";  // 11 has ended in the log but cannot be seen yet
  EXPECT_FALSE(CopyGroup::open(source_, journal_, request_).value().has_value());
  source_.visible = "12:15:";
  EXPECT_TRUE(CopyGroup::open(source_, journal_, request_).value().has_value());
}

TEST_F(CopyGroupTest, ASnapshotMustShowWhatTheJournalHasForgotten) {
  journal_.add_mark(Xid{20}, "applied, forgotten, and not yet visible");
  journal_.trim(StateId{1});
  EXPECT_FALSE(CopyGroup::open(source_, journal_, request_).value().has_value());
  source_.visible = "30:30:";
  request_.trimmed = {Xid{31}};
  EXPECT_FALSE(CopyGroup::open(source_, journal_, request_).value().has_value());
  request_.trimmed = {Xid{12}};
  EXPECT_TRUE(CopyGroup::open(source_, journal_, request_).value().has_value());
}

TEST_F(CopyGroupTest, ALostConnectionGivesTheUnitOutAgain) {
  open();
  source_.fails = Error{ErrorKind::unreachable, "connection lost"};
  const auto unit = group_->next_unit();
  const auto failed = load(*unit);
  EXPECT_EQ(group_->failed(destination_, *unit, failed.error()).value().what, What::again);
  source_.fails.reset();
  load_all();
  EXPECT_EQ(hidden(orders_).size(), 3U);
}

TEST_F(CopyGroupTest, AUnitWhoseAnswerIsLostIsNotLoadedTwice) {
  open();
  const auto unit = group_->next_unit();
  destination_.set_hook([](std::string_view call, MemoryDestination::Moment moment) -> Status {
    if (call == "copy_into" && moment == MemoryDestination::Moment::after)
      return Error{ErrorKind::unreachable, "answer lost"};
    return Done{};
  });
  const auto lost = load(*unit);
  destination_.set_hook({});
  EXPECT_EQ(group_->failed(destination_, *unit, lost.error()).value().what, What::was_loaded);
  load_all();
  EXPECT_TRUE(group_->complete());
  EXPECT_EQ(hidden(orders_).size(), 3U);
  EXPECT_EQ(group_->progress()[0].rows, 3U);
}

TEST_F(CopyGroupTest, ATableThatWasRewrittenLeavesTheGroupAndTheOthersGoOn) {
  open();
  EXPECT_EQ(fail_with({ErrorKind::conflict, "storage changed"}).what, What::table_again);
  EXPECT_EQ(group_->left(), (std::vector<TableId>{orders_.table}));
  load_all();
  EXPECT_TRUE(group_->complete());
  EXPECT_EQ(hidden(notes_).size(), 2U);
}

TEST_F(CopyGroupTest, ALostSnapshotEndsTheGroupButNotItsCompleteTables) {
  open();
  for (int i = 0; i < 3; ++i) {
    const auto unit = group_->next_unit();
    ASSERT_TRUE(group_->loaded(*unit, load(*unit).value()).ok());
  }
  *source_.alive = false;
  EXPECT_EQ(fail_with({ErrorKind::unreachable, "connection lost"}).what, What::group_over);
  EXPECT_TRUE(group_->over());
  EXPECT_EQ(group_->left(), (std::vector<TableId>{notes_.table}));
  EXPECT_FALSE(group_->next_unit().has_value());
  EXPECT_TRUE(destination::is_complete(ledger(orders_)));

  *source_.alive = true;
  request_.id = "g2";
  request_.tables = {{notes_.table, 2, 2, {}}};
  open();
  load_all();
  EXPECT_EQ(hidden(notes_).size(), 2U);
  EXPECT_EQ(ledger(notes_).mark, "g2");
}

TEST_F(CopyGroupTest, AColumnWhoseValueDoesNotFitBecomesTextAndTheTableBeginsAgain) {
  orders_.columns[1].type = {TypeKind::int16};
  source_.tables[0] = {orders_, {{"1", "10"}, {"2", "70000"}, {"3", "30"}}};
  open();
  const auto first = group_->next_unit();
  ASSERT_TRUE(group_->loaded(*first, load(*first).value()).ok());
  const auto in_flight = group_->next_unit();
  const auto last = group_->next_unit();
  const auto refused = load(*in_flight);
  ASSERT_EQ(refused.error().kind, ErrorKind::does_not_fit);
  const Setback setback = group_->failed(destination_, *in_flight, refused.error()).value();
  EXPECT_EQ(setback.what, What::widened);
  EXPECT_EQ(setback.column, "n");
  const auto stale = load(*last);  // began before: must not land in the new table
  ASSERT_EQ(stale.error().kind, ErrorKind::conflict);
  EXPECT_EQ(group_->failed(destination_, *last, stale.error()).value().what, What::ignored);
  load_all();
  EXPECT_TRUE(group_->complete());
  EXPECT_EQ(hidden(orders_).size(), 3U);
  EXPECT_EQ(hidden(orders_)[1], (destination::MemoryRow{"2", "70000"}));
  EXPECT_EQ(ledger(orders_).mark, "g1");
}

TEST_F(CopyGroupTest, APinnedColumnIsNotWidened) {
  request_.tables[0].types = {{"n", {TypeKind::int16}, true}};
  source_.tables[0].second[0][1] = "70000";
  open();
  const auto unit = group_->next_unit();
  const auto refused = load(*unit);
  const Setback setback = group_->failed(destination_, *unit, refused.error()).value();
  EXPECT_EQ(setback.what, What::failed);
  EXPECT_EQ(setback.why.remedy, "choose another type for the column");
}

TEST_F(CopyGroupTest, ATableThatTheSourceNoLongerKnowsIsLeft) {
  request_.tables.push_back({TableId{9}, 0, 0, {}});
  open();
  EXPECT_EQ(group_->left(), (std::vector<TableId>{TableId{9}}));
}

TEST(CutUnits, GroupsNeighboursUpToTheBytesAsked) {
  EXPECT_EQ(cut_units(5, 50, 20), (std::vector<std::vector<std::uint32_t>>{{0, 1}, {2, 3}, {4}}));
  EXPECT_EQ(cut_units(3, 0, 20).size(), 1U);    // an empty table, or one whose size nobody knows
  EXPECT_EQ(cut_units(3, 300, 20).size(), 3U);  // never less than a range
  EXPECT_TRUE(cut_units(0, 0, 20).empty());
}

}  // namespace
}  // namespace lockstep::copy
