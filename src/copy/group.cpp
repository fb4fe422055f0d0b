#include "copy/group.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/failpoint.hpp"  // tidy: allow pure (its steps are made here; it acts only when a test asks for it)
#include "copy/begin.hpp"
#include "destination/fence.hpp"

// Problem: rows read while the source goes on changing, by several readers, through lost connections and crashes, must
// fit the change log without a gap or a double.
// Idea: all rows of a table are read under one snapshot; which transactions it shows is written down with them
// (docs/copy-join-publish.md). Whatever breaks the snapshot makes the unfinished tables begin again under another one.
// Durable: each hidden table's ledger, in the transaction of its rows. In memory: who reads what. A crash loses the
// snapshot; complete tables need it no more and are joined by the applier, the others are copied in a new group.

namespace lockstep::copy {
namespace {

const LogicalType text_type{TypeKind::text, 0, 0, 0};

const ColumnType* asked_type(const TableToCopy& table, const std::string& column) {
  const auto found = std::find_if(table.types.begin(), table.types.end(),
                                  [&](const ColumnType& type) { return type.column == column; });
  return found == table.types.end() ? nullptr : &*found;
}

std::vector<LogicalType> types_for(const TableToCopy& table, const TableShape& shape) {
  std::vector<LogicalType> types;
  for (const Column& column : shape.columns) {
    const ColumnType* asked = asked_type(table, column.name);
    types.push_back(asked == nullptr ? column.type : asked->type);
  }
  return types;
}

}  // namespace

Result<std::optional<CopyGroup>> CopyGroup::open(source::SnapshotSource& source, journal::Journal& journal,
                                                 GroupRequest request) {
  CHECK(!request.id.empty());
  CopyGroup group;
  group.id_ = request.id;
  TRY_DO(group.take_snapshot(source, journal, request));
  TRY(fits, group.find_start(source, journal, request));
  if (!fits) return std::optional<CopyGroup>{};
  TRY_DO(group.plan_tables(source, request));
  return std::optional<CopyGroup>(std::move(group));
}

/// The slot's own snapshot shows exactly what came before the stream, so it fits while nothing of the stream is forgotten.
Status CopyGroup::take_snapshot(source::SnapshotSource& source, journal::Journal& journal,
                                const GroupRequest& request) {
  is_slots_own_ = request.slot_snapshot != nullptr && request.slot_snapshot->alive() && journal.first_held().value == 1;
  if (is_slots_own_) {
    snapshot_ = request.slot_snapshot;
  } else {
    TRY(taken, source.take_snapshot());
    snapshot_ = std::move(taken);
  }
  visible_ = snapshot_->visible();
  return Done{};
}

/// The mark comes after the snapshot: everything that the snapshot shows precedes it in the log.
Result<bool> CopyGroup::find_start(source::SnapshotSource& source, journal::Journal& journal,
                                   const GroupRequest& request) {
  if (is_slots_own_) return true;
  if (!may_begin(visible_, request.slot_visible, request.trimmed)) return false;
  const Result<StateId> leading = leading_visible(journal, visible_);
  if (!leading.ok() && leading.error().kind == ErrorKind::busy) return false;
  if (!leading.ok()) return leading.error();
  applied_ = leading.value();
  mark_ = id_;
  TRY_DO(source.write_mark(mark_));
  return true;
}

Status CopyGroup::plan_tables(source::SnapshotSource& source, const GroupRequest& request) {
  std::vector<TableId> ids;
  for (const TableToCopy& table : request.tables) ids.push_back(table.table);
  TRY(plans, source.plan(*snapshot_, ids));
  for (const TableToCopy& table : request.tables) {
    const auto plan = std::find_if(plans.begin(), plans.end(),
                                   [&](const source::RangePlan& one) { return one.shape.table == table.table; });
    if (plan == plans.end()) {
      left_.push_back(table.table);
    } else {
      TRY_DO(add_table(table, std::move(*plan), request.unit_bytes));
    }
  }
  return Done{};
}

Status CopyGroup::add_table(const TableToCopy& asked, source::RangePlan plan, std::uint64_t unit_bytes) {
  if (plan.ranges.empty()) {
    return Error{ErrorKind::unexpected, "the source planned a table without a range", "", to_text(plan.shape.name)};
  }
  Table table;
  table.asked = asked;
  table.ledger.table = asked.table;
  table.ledger.shape = plan.shape;
  table.ledger.types = types_for(asked, plan.shape);
  table.ledger.snapshot = id_;
  table.ledger.visible = visible_;
  table.ledger.applied = applied_;
  table.ledger.mark = mark_;
  table.ledger.storage = plan.storage;
  table.ledger.ranges = static_cast<std::uint32_t>(plan.ranges.size());
  table.units = cut_units(plan.ranges.size(), asked.bytes, unit_bytes);
  table.waiting.assign(table.units.begin(), table.units.end());
  table.plan = std::make_shared<const source::RangePlan>(std::move(plan));
  tables_.emplace(asked.table, std::move(table));
  return Done{};
}

Status CopyGroup::create_hidden(destination::Destination& destination) {
  for (auto& [id, table] : tables_) {
    if (table.created) continue;
    TRY_DO(destination.create_hidden(table.ledger));
    table.created = true;
  }
  FAILPOINT("copy.snapshot_taken");
  return Done{};
}

std::optional<Unit> CopyGroup::next_unit() {
  for (auto& [id, table] : tables_) {
    if (!table.created || table.waiting.empty()) continue;
    Unit unit{id, table.plan, table.ledger.types, table.ledger.snapshot, std::move(table.waiting.front())};
    table.waiting.pop_front();
    return unit;
  }
  return std::nullopt;
}

Result<bool> CopyGroup::loaded(const Unit& unit, const destination::CopyCounts& counts) {
  Table* table = table_of(unit);
  if (table == nullptr) return false;
  table->ledger.done.insert(table->ledger.done.end(), unit.ranges.begin(), unit.ranges.end());
  table->ledger.rows += counts.rows;
  const bool table_is_complete = destination::is_complete(table->ledger);
  if (complete()) FAILPOINT("copy.complete");
  return table_is_complete;
}

/// Nothing when the unit is of a copy that was given up.
CopyGroup::Table* CopyGroup::table_of(const Unit& unit) {
  const auto found = tables_.find(unit.table);
  const bool current = found != tables_.end() && found->second.ledger.snapshot == unit.snapshot;
  return current ? &found->second : nullptr;
}

Result<Setback> CopyGroup::failed(destination::Destination& destination, const Unit& unit, const Error& why) {
  Table* table = table_of(unit);
  Setback setback{Setback::What::ignored, unit.plan->shape.name, "", why};
  if (table == nullptr) return setback;
  TRY(in, answer_was_lost(destination, *table, unit));
  if (in) {
    setback.what = Setback::What::was_loaded;
    return setback;
  }
  if (!snapshot_->alive()) return end_group(unit, why);
  if (why.kind == ErrorKind::does_not_fit) return widen(destination, *table, why);
  if (why.kind == ErrorKind::conflict) {
    take_out(unit.table);
    setback.what = Setback::What::table_again;
    return setback;
  }
  table->waiting.push_front(unit.ranges);
  setback.what = retry_for(why.kind) == Retry::later ? Setback::What::again : Setback::What::failed;
  return setback;
}

/// Loading a unit twice would double its rows, so the destination is asked whether it is in.
Result<bool> CopyGroup::answer_was_lost(destination::Destination& destination, Table& table, const Unit& unit) {
  TRY(contents, destination.contents());
  for (const destination::CopyLedger& ledger : contents.copies) {
    if (ledger.table != unit.table || ledger.snapshot != unit.snapshot) continue;
    const bool in = std::find(ledger.done.begin(), ledger.done.end(), unit.ranges.front()) != ledger.done.end();
    if (!in) return false;
    const std::uint64_t before = table.ledger.rows;
    TRY_DO(loaded(unit, {std::max(ledger.rows, before) - before}));
    return true;
  }
  return false;
}

/// The column gets the source's exact text. Rows that are in already were read as another type: the table begins again,
/// under the same snapshot, so nothing is lost but time.
Result<Setback> CopyGroup::widen(destination::Destination& destination, Table& table, const Error& why) {
  const TableShape& shape = table.plan->shape;
  const auto column = std::find_if(shape.columns.begin(), shape.columns.end(),
                                   [&](const Column& one) { return one.name == why.column; });
  Setback setback{Setback::What::failed, shape.name, why.column, why};
  if (column == shape.columns.end()) return setback;
  const ColumnType* asked = asked_type(table.asked, column->name);
  if (asked != nullptr && asked->pinned) {
    setback.why.remedy = "choose another type for the column";
    return setback;
  }
  const auto index = static_cast<std::size_t>(column - shape.columns.begin());
  if (table.ledger.types[index] == text_type) return setback;
  destination::CopyLedger fresh = table.ledger;
  fresh.types[index] = text_type;
  fresh.snapshot = id_ + "+" + std::to_string(table.attempt + 1);  // units in flight are refused
  fresh.done.clear();
  fresh.rows = 0;
  TRY_DO(destination.create_hidden(fresh));
  ++table.attempt;
  table.ledger = std::move(fresh);
  table.waiting.assign(table.units.begin(), table.units.end());
  setback.what = Setback::What::widened;
  return setback;
}

void CopyGroup::take_out(TableId table) {
  tables_.erase(table);
  left_.push_back(table);
}

Setback CopyGroup::end_group(const Unit& unit, const Error& why) {
  over_ = true;
  for (auto at = tables_.begin(); at != tables_.end();) {
    const bool stays = destination::is_complete(at->second.ledger);
    if (!stays) left_.push_back(at->first);
    at = stays ? std::next(at) : tables_.erase(at);
  }
  return {Setback::What::group_over, unit.plan->shape.name, "", why};
}

bool CopyGroup::complete() const {
  return std::all_of(tables_.begin(), tables_.end(), [](const auto& entry) {
    return entry.second.created && destination::is_complete(entry.second.ledger);
  });
}

std::vector<TableProgress> CopyGroup::progress() const {
  std::vector<TableProgress> all;
  for (const auto& [id, table] : tables_) {
    all.push_back({id, table.plan->shape.name, table.ledger.rows, table.asked.rows_estimated,
                   destination::is_complete(table.ledger)});
  }
  return all;
}

Result<destination::CopyCounts> load_unit(source::SnapshotSource& source, destination::Destination& destination,
                                          const source::Snapshot& snapshot, const Unit& unit, std::size_t streams) {
  CHECK(streams > 0 && !unit.ranges.empty());
  std::vector<source::Range> ranges;
  for (const std::uint32_t range : unit.ranges) ranges.push_back(unit.plan->ranges[range]);
  const std::size_t readers = std::min(streams, ranges.size());
  const auto queue = std::make_shared<source::RangeQueue>(std::move(ranges));
  std::vector<std::unique_ptr<RowStream>> open;
  for (std::size_t i = 0; i < readers; ++i) {
    TRY(stream, source.open_stream(snapshot, *unit.plan, queue, unit.types));
    open.push_back(std::move(stream));
  }
  return destination.copy_into(unit.table, unit.snapshot, unit.ranges, open);
}

}  // namespace lockstep::copy
