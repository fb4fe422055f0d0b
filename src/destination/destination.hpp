#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "destination/table_batch.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"
#include "model/row_stream.hpp"
#include "model/shape.hpp"
#include "model/visible_set.hpp"

namespace lockstep::destination {

/// Whose copy this is. A destination that holds another mirror's or another database's copy is refused.
struct MirrorIdentity {
  std::string mirror;
  std::string source;  ///< "postgresql system=… database=…", compared as a whole
};

/// What a mirror shows: everything up to and including source commit `state`.
struct Shown {
  StateId state;
  Position position;
  UnixMicros commit_time;  ///< of that commit, by the source's clock; 0 while there was none (state 0)
};

enum class TableState : std::uint8_t { waiting, copying, joining, live, resyncing, quarantined, left_out };
const char* name_of(TableState state);

/// A row of `lockstep.tables`: what readers are told about one table.
struct TableNote {
  TableName source;
  TableState state{};
  std::optional<StateId> as_of;  ///< set while the table is outside the consistent set
  std::string error;
};

/// The copy ledger's entry of one hidden table, written in the transaction of the rows it speaks of (docs/format/ledger.md).
/// The hidden table holds true rows of "all J[1..applied], plus those of J in `visible`" (the rule is in docs/copy-join-publish.md).
struct CopyLedger {
  TableId table;
  TableShape shape;
  std::vector<LogicalType> types;  ///< of the hidden table's columns
  std::string snapshot;            ///< id of the snapshot group; rows read under another are refused
  VisibleSet visible;
  StateId applied;
  std::string mark;                 ///< text of the group's mark in the change log; empty: none is needed
  std::uint64_t storage = 0;        ///< the source's storage id that the ranges are counted in
  std::vector<std::uint32_t> done;  ///< indexes of the plan's ranges whose rows are in
  std::uint32_t ranges = 0;         ///< number of ranges; `done` has them all: complete
  std::uint64_t rows = 0;
};

/// A table that readers see.
struct LiveTable {
  TableShape shape;                ///< as of the state shown
  std::vector<LogicalType> types;  ///< of its columns at the destination
};

/// Everything that the destination remembers of a mirror; asked at every start, it alone says what has been applied.
struct Contents {
  std::optional<Shown> shown;  ///< nothing: no table has ever been published
  std::vector<CopyLedger> copies;
  std::vector<LiveTable> live;
};

/// One step from a state to a later one: everything in it becomes visible and durable at `commit`, or nothing does.
/// Destroying it without `commit` takes it back. One thread.
class Step {
 public:
  virtual ~Step() = default;
  /// Writes folded changes of a live table. May come several times for one table: chunks of one transaction, in order.
  /// Error: does_not_fit names table and column; unexpected when a base row is missing.
  virtual Status write(const TableBatch& batch) = 0;
  /// The same on a hidden table that is complete.
  virtual Status write_hidden(const TableBatch& batch) = 0;
  /// Puts a hidden table in the place of its live one, if there is one, under its shape's name; forgets its ledger.
  virtual Status publish(TableId hidden) = 0;
  /// Moves a hidden table's ledger: its rows now stand at `applied`.
  virtual Status advance_hidden(TableId hidden, StateId applied) = 0;
  /// Replaces the rows of `lockstep.tables` of these source tables.
  virtual Status note(std::span<const TableNote> notes) = 0;
  /// Error: conflict when the destination no longer shows what `begin` was told. After an error nobody knows whether it
  /// took place: ask `contents`.
  /// The state may be the one shown before: the position moved without changes of ours, or tables were published at it.
  virtual Status commit(const Shown& now) = 0;
  /// For a step on hidden tables and notes only: what is shown stays as it was.
  virtual Status commit_unshown() = 0;
};

/// Rows that were copied, and what they weighed.
struct CopyCounts {
  std::uint64_t rows = 0;
};

/// Where a mirror's copy lives. One thread at a time, but for `copy_into`, which may run beside a Step of live tables.
/// After any error the same call may be repeated; `contents` tells what has happened.
/// Errors: busy (locked by another), no_space, refused, conflict, bad_data (no file of ours), unsupported (a newer version), unexpected.
class Destination {
 public:
  virtual ~Destination() = default;
  /// Connects, makes lockstep's own tables where they are missing, and refuses what belongs to somebody else.
  virtual Status open(const MirrorIdentity& identity) = 0;
  virtual Result<Contents> contents() = 0;
  /// Creates an empty hidden table for a copy, in place of an older one of the same table. Not visible to readers.
  virtual Status create_hidden(const CopyLedger& ledger) = 0;
  /// Pulls the streams to their end into the hidden table, all in one durable step with the ledger: `done` are added.
  /// Streams are pulled side by side where the destination can. Error: conflict when the ledger's snapshot is not `snapshot`.
  virtual Result<CopyCounts> copy_into(TableId hidden, const std::string& snapshot, std::span<const std::uint32_t> done,
                                       std::span<const std::unique_ptr<RowStream>> streams) = 0;
  virtual Status drop_hidden(TableId hidden) = 0;
  /// Starts a step from exactly this state (nothing: nothing published yet). Error: conflict.
  virtual Result<std::unique_ptr<Step>> begin(const std::optional<Shown>& expected) = 0;
  virtual Status drop_live(const TableName& table) = 0;
  /// Makes what was committed cheap to open (a checkpoint), when there is time.
  virtual Status tidy_up() = 0;
  /// Takes lockstep's own tables and hidden ones away; the copied tables stay.
  virtual Status forget() = 0;
  virtual void close() = 0;
};

/// The answer to a query, as text cells; nothing is NULL.
struct Answer {
  std::vector<std::string> columns;
  std::vector<std::string> types;  ///< the destination's names
  std::vector<std::vector<std::optional<std::string>>> rows;
};

/// Capability: a destination that can be asked. Read-only; from one state; thread-safe.
class ServesQueries {
 public:
  virtual ~ServesQueries() = default;
  /// Errors: bad_input (the statement is wrong), refused (it is not only reading).
  virtual Result<Answer> query(const std::string& sql) = 0;
  /// Cancels the queries that are being answered, and returns when they have ended. From any thread.
  virtual void cancel_queries() = 0;
};

}  // namespace lockstep::destination
