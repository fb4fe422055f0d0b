#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "model/decoder.hpp"
#include "model/position.hpp"
#include "model/row_stream.hpp"
#include "model/shape.hpp"
#include "model/source_message.hpp"
#include "model/visible_set.hpp"

namespace lockstep::source {

/// Which database this is. Positions only compare within one system and timeline.
struct Identity {
  std::string kind;    ///< "postgresql"
  std::string system;  ///< PostgreSQL: system identifier
  std::uint32_t timeline = 0;
  std::string database;
  std::uint64_t database_id = 0;  ///< PostgreSQL: oid of the database
  std::string version;            ///< for people

  bool operator==(const Identity&) const = default;
};

/// A table as the mirror sees it before it copies.
struct Table {
  TableShape shape;
  double rows_estimated = 0;  ///< the planner's estimate; below 0: unknown
  std::uint64_t bytes = 0;
  bool needs_full_identity = false;  ///< keyless, and lockstep is to set REPLICA IDENTITY FULL
  std::string left_out;              ///< why it is not mirrored; empty: it is
};

/// What lockstep has made, or is to make, at the source for one mirror.
struct Setup {
  std::string slot;
  std::string publication;
  std::vector<TableId> tables;           ///< published
  std::vector<TableId> full_identities;  ///< tables whose replica identity lockstep set, to be undone by `remove`
};

/// The change log's side of the mirror at the source, as it is now.
struct LogState {
  bool exists = false;
  bool active = false;
  std::string active_by;  ///< who holds it, for the message
  std::string lost;       ///< why it can never be read again; empty: it can
  Position confirmed;     ///< what the source believes that we have durably
  std::uint64_t retained_bytes = 0;
};

/// A snapshot that several connections can read under. Lives until it is destroyed or its connection breaks.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  virtual const VisibleSet& visible() const = 0;
  /// False once its rows can no longer be read.
  virtual bool alive() const = 0;
};

/// A part of a table, in units that only the source knows (PostgreSQL: pages); without `end` it is open-ended.
struct Range {
  std::uint64_t begin = 0;
  std::optional<std::uint64_t> end;
  bool operator==(const Range&) const = default;
};

/// How a table is to be read. `storage` changes when ranges lose their meaning (PostgreSQL: the filenode).
struct RangePlan {
  TableShape shape;
  std::uint64_t storage = 0;
  std::vector<Range> ranges;  ///< in order, without gaps; the last one open-ended
};

/// Gives out ranges, each once; shared by the streams that read one table side by side. Thread-safe.
class RangeQueue {
 public:
  explicit RangeQueue(std::vector<Range> ranges) : ranges_(std::move(ranges)) {}
  std::optional<Range> take() {
    const std::size_t index = next_.fetch_add(1);
    return index < ranges_.size() ? std::optional(ranges_[index]) : std::nullopt;
  }

 private:
  std::vector<Range> ranges_;
  std::atomic<std::size_t> next_{0};
};

/// A new slot: its first change is the first commit after `start`, and `snapshot` shows exactly the commits up to there.
struct CreatedSlot {
  Position start;
  std::unique_ptr<Snapshot> snapshot;
};

/// Prepares a source for a mirror and takes the mirror away again. One caller at a time; every call connects as it
/// needs and may be repeated. Errors: unreachable, refused (with the exact setting or GRANT), bad_input, unsupported.
class Setter {
 public:
  virtual ~Setter() = default;
  virtual Result<Identity> identify() = 0;
  /// What stands in the way of a mirror, all of it, worst first; empty: nothing. Changes nothing.
  virtual Result<std::vector<Error>> obstacles(const Setup& planned) = 0;
  /// The tables of the selection, those left out too, by name.
  virtual Result<std::vector<Table>> tables() = 0;
  /// Publishes `setup.tables`, first giving keyless ones a full identity. Repeating it changes nothing.
  virtual Status publish(const Setup& setup) = 0;
  /// Creates the change log's slot. Blocks while older transactions are open; `waiting` is told who they are, about every
  /// second, and returns false to give up.
  virtual Result<CreatedSlot> create_slot(const Setup& setup,
                                          const std::function<bool(const std::string& blockers)>& waiting) = 0;
  virtual Result<LogState> log_state(const Setup& setup) = 0;
  /// Takes away slot, publication and identities. Repeating it changes nothing. Waits while the slot is in use by a dying connection.
  virtual Status remove(const Setup& setup) = 0;
};

/// Reads tables as they are under a snapshot.
class SnapshotSource {
 public:
  virtual ~SnapshotSource() = default;
  /// An ordinary snapshot of now. Holds no lock on any table.
  virtual Result<std::unique_ptr<Snapshot>> take_snapshot() = 0;
  /// Writes `text` into the change log in a transaction of its own, committed on return: everything that snapshots taken
  /// before show precedes it there.
  virtual Status write_mark(const std::string& text) = 0;
  /// The tables' shapes and ranges under `snapshot`. Error: busy when a shape is being changed right now.
  virtual Result<std::vector<RangePlan>> plan(const Snapshot& snapshot, const std::vector<TableId>& tables) = 0;
  /// Rows of `ranges`, decoded to `targets` (one a column of the plan's shape). Checks, under its lock on the table, that
  /// storage and shape are still the plan's. Errors: conflict (they are not: copy the table again), busy (lock), unreachable.
  virtual Result<std::unique_ptr<RowStream>> open_stream(const Snapshot& snapshot, const RangePlan& plan,
                                                         std::shared_ptr<RangeQueue> ranges,
                                                         const std::vector<LogicalType>& targets) = 0;
};

/// Follows the change log. One thread; `interrupt` from any.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;
  /// Connects and asks for everything that committed after `from`. Everything open starts again from its first change.
  virtual Status start(const Setup& setup, const Position& from) = 0;
  /// Waits up to `wait_max` for the next message; answers the server's keepalives meanwhile. Views in the message live
  /// until the next call. After an error the source must be started again.
  virtual Result<SourceMessage> next(std::chrono::milliseconds wait_max) = 0;
  /// Tells the source that everything up to here is durable with us. Never called with more than that.
  virtual Status acknowledge(const Position& durable) = 0;
  /// Answers keepalives without reading; for a caller that is blocked downstream.
  virtual Status keep_alive() = 0;
  /// Where the source's log ends now; asked on a connection of its own.
  virtual Result<Position> end_of_log() = 0;
  /// Writes something small so that an idle database's log can be forgotten.
  virtual Status heartbeat() = 0;
  virtual void close() = 0;
};

/// One source of a mirror, as main.cpp composes it.
struct Source {
  std::unique_ptr<Setter> setter;
  std::unique_ptr<SnapshotSource> snapshots;
  std::unique_ptr<ChangeSource> changes;
  std::unique_ptr<DecoderFactory> decoders;
};

}  // namespace lockstep::source
