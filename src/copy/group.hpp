#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "copy/units.hpp"
#include "destination/destination.hpp"
#include "journal/journal.hpp"
#include "model/visible_set.hpp"
#include "source/source.hpp"

namespace lockstep::copy {

/// A column whose destination type is not its own.
struct ColumnType {
  std::string column;
  LogicalType type;
  bool pinned = false;  ///< chosen by the user: a value that does not fit stops the copy instead of widening
};

struct TableToCopy {
  TableId table;
  std::uint64_t bytes = 0;
  double rows_estimated = -1;  ///< below 0: unknown
  std::vector<ColumnType> types;
};

struct GroupRequest {
  std::string id;  ///< never used before; also the mark's text
  std::vector<TableToCopy> tables;
  std::shared_ptr<const source::Snapshot> slot_snapshot;  ///< the slot's own, while it lives: for the first group
  std::optional<VisibleSet> slot_visible;                 ///< what it shows or showed; nothing: no slot
  std::vector<Xid> trimmed;                ///< commits that the journal forgot and that no snapshot has yet shown
  std::uint64_t unit_bytes = 64ull << 20;  ///< one durable step of the destination
};

/// How one table of the group comes along.
struct TableProgress {
  TableId table;
  TableName name;
  std::uint64_t rows = 0;
  double rows_estimated = -1;  ///< below 0: unknown
  bool complete = false;
};

/// What became of a unit that could not be loaded.
struct Setback {
  enum class What : std::uint8_t {
    again,        ///< the unit is given out again; wait a little
    was_loaded,   ///< it is in, only the answer got lost: as after `loaded`
    ignored,      ///< its table has begun again or left meanwhile
    widened,      ///< the table begins again, under the same snapshot, with `column` as text
    table_again,  ///< the table left the group and must be copied in another one
    group_over,   ///< the snapshot is gone: every incomplete table must be copied in another group
    failed,       ///< nobody but the operator can help
  };
  What what = What::again;
  TableName table;
  std::string column;  ///< of `widened`
  Error why;
};

/// Tables that are copied under one snapshot. Says what is to be read next and keeps count; whoever drives it loads the
/// units, on as many threads as it likes. The group itself belongs to one thread at a time, and knows none.
class CopyGroup {
 public:
  /// Takes the snapshot (or the slot's own), writes the mark, plans the ranges, and finds the state the copy starts from.
  /// Nothing: the snapshot does not yet show all it must; try again in 50 ms. Error: busy (a shape is being changed; likewise).
  /// The journal must not be released further from before this call until `create_hidden` is done. A table that the plan
  /// does not know any more is in `left`.
  static Result<std::optional<CopyGroup>> open(source::SnapshotSource& source, journal::Journal& journal,
                                               GroupRequest request);
  /// Makes the hidden tables, in place of what was copied of them before. May be repeated after an error.
  Status create_hidden(destination::Destination& destination);

  const source::Snapshot& snapshot() const { return *snapshot_; }
  std::shared_ptr<const source::Snapshot> share_snapshot() const { return snapshot_; }
  const VisibleSet& visible() const { return visible_; }
  StateId applied() const { return applied_; }  ///< i: the leading commits that the snapshot shows

  /// The next unit to load; nothing: all are given out (or in).
  std::optional<Unit> next_unit();
  /// Its rows and ledger are committed. True: that was the last unit of its table. Error: the failpoint copy.complete.
  Result<bool> loaded(const Unit& unit, const destination::CopyCounts& counts);
  /// Decides what to do about a unit that `load_unit` could not load. Asks the destination where an answer may have been
  /// lost, and makes the hidden table anew for `widened`. After an Error call it again.
  Result<Setback> failed(destination::Destination& destination, const Unit& unit, const Error& why);

  bool complete() const;  ///< every table that is still in the group is in
  bool over() const { return over_; }
  std::vector<TableProgress> progress() const;
  /// Tables that left and have to be copied in another group.
  const std::vector<TableId>& left() const { return left_; }

 private:
  struct Table {
    TableToCopy asked;
    std::shared_ptr<const source::RangePlan> plan;
    destination::CopyLedger ledger;  ///< as the destination has it, but for units in flight
    std::vector<std::vector<std::uint32_t>> units;
    std::deque<std::vector<std::uint32_t>> waiting;  ///< units that nobody has in hand
    std::uint32_t attempt = 0;
    bool created = false;
  };

  CopyGroup() = default;
  Status take_snapshot(source::SnapshotSource& source, journal::Journal& journal, const GroupRequest& request);
  Result<bool> find_start(source::SnapshotSource& source, journal::Journal& journal, const GroupRequest& request);
  Status plan_tables(source::SnapshotSource& source, const GroupRequest& request);
  Status add_table(const TableToCopy& asked, source::RangePlan plan, std::uint64_t unit_bytes);
  Table* table_of(const Unit& unit);
  void take_out(TableId table);
  Result<bool> answer_was_lost(destination::Destination& destination, Table& table, const Unit& unit);
  Result<Setback> widen(destination::Destination& destination, Table& table, const Error& why);
  Setback end_group(const Unit& unit, const Error& why);

  std::string id_;
  std::string mark_;  ///< empty: the slot's own snapshot needs none
  bool is_slots_own_ = false;
  std::shared_ptr<const source::Snapshot> snapshot_;
  VisibleSet visible_;
  StateId applied_;
  std::map<TableId, Table> tables_;
  std::vector<TableId> left_;
  bool over_ = false;
};

/// Reads a unit under the group's snapshot, with `streams` readers side by side, into the hidden table: rows and ledger in
/// one durable step. Thread-safe beside the group; hand the outcome to `loaded` or `failed`.
Result<destination::CopyCounts> load_unit(source::SnapshotSource& source, destination::Destination& destination,
                                          const source::Snapshot& snapshot, const Unit& unit, std::size_t streams);

}  // namespace lockstep::copy
