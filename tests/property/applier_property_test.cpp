// Whatever goes wrong (answers lost before or after their effect, crashes between any two steps, a journal that is durable
// late and trimmed as early as allowed), and whatever the snapshots show that tables are copied under: each published
// table always equals the source's at exactly the state that the destination names, and in the end everything is there.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "apply/applier.hpp"
#include "destination/memory/memory_destination.hpp"
#include "must.hpp"
#include "support/list_journal.hpp"
#include "text_source.hpp"

namespace lockstep::test {
namespace {

using namespace std::chrono_literals;
using destination::MemoryDestination;
using Texts = std::vector<std::vector<std::string>>;

constexpr std::uint64_t seeds = 4'000;
constexpr std::size_t writers = 2;

std::map<std::string, std::uint64_t> reached;  // rare situations that a set of runs must meet

/// Writers of one table never meet, so every snapshot that shows some first transactions of each is one the source could
/// have given, also when it shows a later commit and not an earlier one.
class ApplierRun {
 public:
  explicit ApplierRun(std::uint64_t seed) : dice_(seed) {
    for (const TableShape& shape : all_kinds_of_tables()) {
      options_.wanted.push_back(shape.table);
      for (std::size_t w = 0; w < writers; ++w) sources_[w].emplace_back(shape, w == 0 ? "a" : "b");
      history_[0][shape.table] = history_[1][shape.table] = {{}};
      truth_[shape.table] = {{}};
      shapes_.push_back(shape);
    }
    options_.limits.bytes_max = dice_.one_in(3) ? 1 : 1u << 20;
    options_.limits.changes_behind = 1 + dice_.below(6);
  }

  void run() {
    MUST(destination_.open({"m", "s"}));
    for (int step = 0; step < 60 && !testing::Test::HasFatalFailure(); ++step) {
      random_step();
      check();
    }
    finish();
  }

 private:
  void random_step() {
    const std::size_t what = dice_.below(100);
    if (what < 30) return transact();
    if (what < 36) return copy(shapes_[dice_.below(shapes_.size())]);
    if (what < 40) return crash();
    if (what < 46) return durable_later();
    if (what < 50) return trim();
    if (what < 62) return publish(true);
    advance(true);
  }

  void transact() {
    const std::size_t w = dice_.below(writers);
    std::vector<std::vector<std::byte>> parts;
    const std::size_t count = dice_.below(3);
    for (std::size_t part = 0; part < count; ++part) {
      std::vector<std::byte>& bytes = parts.emplace_back();
      for (std::size_t i = 0; i < 3; ++i) {
        TextSource& source = sources_[w][dice_.below(shapes_.size())];
        source.change(dice_, journal_.shape_id(source.shape()), bytes);
      }
    }
    xids_[w].push_back(Xid{++last_xid_});
    for (const TextSource& source : sources_[w]) history_[w][source.shape().table].push_back(source.rows());
    journal_.add(Xid{last_xid_}, parts);
    remember_truth();
  }

  void remember_truth() {
    for (std::size_t t = 0; t < shapes_.size(); ++t) {
      truth_[shapes_[t].table].push_back(sorted_texts(rows_at(shapes_[t].table, {xids_[0].size(), xids_[1].size()})));
    }
  }

  std::vector<TextRow> rows_at(TableId table, const std::array<std::size_t, writers>& counts) const {
    std::vector<TextRow> rows;
    for (std::size_t w = 0; w < writers; ++w) {
      const std::vector<TextRow>& part = history_[w].at(table)[counts[w]];
      rows.insert(rows.end(), part.begin(), part.end());
    }
    return rows;
  }

  /// Everything that has been forgotten is visible; of the rest, some first commits of each writer.
  void copy(const TableShape& shape) {
    std::array<std::size_t, writers> counts{};
    std::vector<Xid> hidden;
    for (std::size_t w = 0; w < writers; ++w) {
      std::size_t least = 0;
      while (least < xids_[w].size() && xids_[w][least] <= trimmed_xid_) ++least;
      counts[w] = least + dice_.below(xids_[w].size() - least + 1);
      hidden.insert(hidden.end(), xids_[w].begin() + static_cast<std::ptrdiff_t>(counts[w]), xids_[w].end());
    }
    std::sort(hidden.begin(), hidden.end());
    destination::CopyLedger ledger;
    ledger.table = shape.table;
    ledger.shape = shape;
    ledger.types = types_of(shape);
    ledger.snapshot = ledger.mark = "copy " + std::to_string(++copies_);
    ledger.visible = {hidden.empty() ? Xid{last_xid_ + 1} : hidden.front(), Xid{last_xid_ + 1}, hidden};
    ledger.applied = leading(ledger.visible);
    ledger.ranges = 1;
    journal_.add_mark(Xid{++last_xid_}, ledger.mark);
    remember_truth();
    if (!hidden.empty() && hidden.front().value + hidden.size() < ledger.visible.xmax.value) ++reached["no prefix"];
    load(ledger, rows_at(shape.table, counts));
  }

  StateId leading(const VisibleSet& visible) {
    StateId state{journal_.first_held().value - 1};
    // The list also holds what is not durable yet; a shorter start is right as well.
    while (state < journal_.durable().last &&
           visible.contains(journal_.commit_at(StateId{state.value + 1}).value().xid)) {
      ++state.value;
    }
    return state;
  }

  void load(const destination::CopyLedger& ledger, std::vector<TextRow> rows) {
    applier_.reset();  // no step may be open
    MUST(destination_.create_hidden(ledger));
    const std::vector<std::uint32_t> done{0};
    std::vector<std::unique_ptr<RowStream>> streams;
    streams.push_back(std::make_unique<TextRowStream>(ledger.shape, std::move(rows), ledger.types));
    MUST(destination_.copy_into(ledger.table, ledger.snapshot, done, streams));
  }

  void crash() {
    ++reached["crash"];
    applier_.reset();
    destination_.crash();
    MUST(destination_.open({"m", "s"}));
  }

  void durable_later() {
    if (durable_) {
      durable_.reset();
    } else {
      durable_ = journal_.durable().last;
    }
    journal_.hold(durable_);
  }

  void trim() {
    if (!ready()) return;
    const StateId upto = std::min(applier_->may_release(), journal_.durable().last);
    if (upto.value < journal_.first_held().value) return;
    ++reached["trim"];
    trimmed_xid_ = std::max(trimmed_xid_, journal_.commit_at(upto).value().xid);
    journal_.trim(upto);
  }

  /// An applier that has looked.
  bool ready() {
    if (applier_ && !applier_->step_is_open()) return true;
    if (applier_) return false;
    applier_.emplace(destination_, journal_, decoders_, options_);
    const Status opened = applier_->open();
    EXPECT_TRUE(opened.ok()) << to_text(opened.error());
    return opened.ok();
  }

  void with_faults(bool faults) {
    if (!faults) return destination_.set_hook({});
    destination_.set_hook([this](std::string_view, MemoryDestination::Moment moment) -> Status {
      if (!dice_.one_in(25)) return Done{};
      ++reached[moment == MemoryDestination::Moment::before ? "refused" : "answer lost"];
      return Error{ErrorKind::unreachable, "injected"};
    });
  }

  template <class Answer>
  void may_fail(const Answer& answer, bool faults) {
    destination_.set_hook({});
    if (answer.ok()) return;
    ASSERT_TRUE(faults && answer.error().kind == ErrorKind::unreachable) << to_text(answer.error());
  }

  void publish(bool faults) {
    if (!ready()) return;
    with_faults(faults);
    const auto published = applier_->publish();
    may_fail(published, faults);
    if (published.ok() && published.value().more) ++reached["catch up"];
    if (published.ok() && !published.value().tables.empty()) ++reached["published"];
  }

  void advance(bool faults) {
    if (!applier_ && !ready()) return;
    with_faults(faults);
    const auto progress = applier_->advance(now_ += dice_.below(2) == 0 ? 0s : 1s);
    may_fail(progress, faults);
    if (progress.ok() && progress.value().did == apply::Progress::Did::wrote_chunk) ++reached["chunk"];
  }

  void check() const {
    const auto& shown = destination_.shown();
    if (!shown) return;
    for (const TableShape& shape : shapes_) {
      auto rows = destination_.rows(shape.name).value();
      std::sort(rows.begin(), rows.end());
      ASSERT_EQ(rows, truth_.at(shape.table)[shown->state.value]) << shape.name.table << " at " << shown->state.value;
    }
  }

  void finish() {
    journal_.hold(std::nullopt);
    if (!destination_.shown()) {
      for (const TableShape& shape : shapes_) copy(shape);
    }
    for (int i = 0; i < 400 && !testing::Test::HasFatalFailure(); ++i) {
      advance(false);
      if (applier_ && !applier_->step_is_open()) publish(false);
      check();
    }
    ASSERT_TRUE(applier_->caught_up());
    ASSERT_FALSE(applier_->publish_waits());
  }

  Dice dice_;
  std::vector<TableShape> shapes_;
  std::array<std::vector<TextSource>, writers> sources_;
  std::array<std::vector<Xid>, writers> xids_;
  std::array<std::map<TableId, std::vector<std::vector<TextRow>>>, writers> history_;  // by the writer's transactions
  std::map<TableId, std::vector<Texts>> truth_;                                        // by state
  std::uint64_t last_xid_ = 0;
  Xid trimmed_xid_;
  std::uint64_t copies_ = 0;
  std::optional<StateId> durable_;
  ListJournal journal_;
  TextDecoders decoders_;
  MemoryDestination destination_;
  apply::ApplierOptions options_;
  std::optional<apply::Applier> applier_;
  std::chrono::nanoseconds now_{0};
};

TEST(Applier, ShowsOnlyTrueStatesWhateverGoesWrong) {
  const auto [first, end] = seed_range(seeds);
  for (std::uint64_t seed = first; seed < end; ++seed) {
    ApplierRun(seed).run();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  if (end - first < seeds) return;
  for (const char* rare : {"no prefix", "crash", "trim", "refused", "answer lost", "catch up", "published", "chunk"}) {
    EXPECT_GT(reached[rare], 100U) << rare;
  }
}

}  // namespace
}  // namespace lockstep::test
