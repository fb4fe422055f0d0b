#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/disk.hpp"
#include "base/result.hpp"
#include "model/shape.hpp"
#include "model/transaction.hpp"

namespace lockstep::journal {

struct Options {
  std::uint64_t segment_bytes_max = 64ull << 20;  // small enough to free disk soon, large enough to list quickly
  std::uint64_t free_disk_percent_min = 10;       // of the disk; below it `has_room` says no
  std::uint64_t bytes_max = 0;                    // of committed, unapplied transactions; 0: only the disk limits
  std::uint64_t write_bytes_wanted = 256u
                                     << 10;  // large enough to make the price of a write small, small enough that a
                                             // reader which needs one part of it wastes little
};

/// What survives a power cut.
struct Durable {
  StateId last;                     ///< the last commit
  std::optional<Position> through;  ///< the source may forget everything up to here
  bool operator==(const Durable&) const = default;
};

/// Who this journal belongs to; written into every segment. `source` as in destination::MirrorIdentity.
struct Owner {
  std::string mirror;
  std::string source;
  std::string slot;
  bool operator==(const Owner&) const = default;
};

/// Reads the committed, fsynced transactions in order. One thread; any number of readers.
class Reader {
 public:
  virtual ~Reader() = default;
  /// The next transaction after the last one given, whether or not its parts were read, if it is durable; nothing: not
  /// yet. Errors: bad_data, unreachable (disk).
  virtual Result<std::optional<Commit>> next() = 0;
  /// The next piece of that transaction's changes (ChangeReader reads it), without what savepoints took back; nothing: its end.
  virtual Result<std::optional<Block>> next_part() = 0;
};

/// lockstep's own durable, ordered log of received transactions (docs/format/journal.md). Writing calls come from one
/// thread; `sync`, `durable`, `reader`, `shape`, `release` and the sizes from any. After any write or sync error the journal is broken: close it,
/// open it again, and receive again from `durable().through`.
class Journal {
 public:
  virtual ~Journal() = default;

  // ---- writing, in the source's order
  /// Voids all open transactions: a new connection sends them again from their first change.
  virtual Status begin_connection() = 0;
  /// Gives the shape its number; the same shape has the same number. Part of the journal from the next sync.
  virtual Result<ShapeId> add_shape(const TableShape& shape) = 0;
  /// Adds encoded changes of `sub` to the open transaction `xid`. `first`: whatever was kept of it before is void.
  virtual Status append_part(Xid xid, Xid sub, bool first, Bytes changes) = 0;
  /// Takes back what `sub` did; sub == xid: the whole transaction.
  virtual Status abort(Xid xid, Xid sub) = 0;
  /// Puts the transaction into the order under the next state id. One at or before the last commit's end is a repeat: it
  /// is dropped and nothing is returned.
  virtual Result<std::optional<StateId>> commit(Xid xid, const Position& end, UnixMicros time) = 0;
  /// Nothing up to here is still to come.
  virtual Status received_through(const Position& through) = 0;

  // ---- durability
  /// Makes durable what was written before the call.
  virtual Result<Durable> sync() = 0;
  virtual Durable durable() const = 0;
  /// True while something was written that is not durable.
  virtual bool dirty() const = 0;

  // ---- reading
  /// Reads from the transaction after `after`. Error: lost_history when it is no longer held.
  virtual Result<std::unique_ptr<Reader>> reader(StateId after) = 0;
  virtual std::shared_ptr<const TableShape> shape(ShapeId id) const = 0;
  /// The commit with this number, while it is held, or the last one trimmed (for the comparison at start).
  virtual Result<Commit> commit_at(StateId state) = 0;
  virtual StateId first_held() const = 0;  ///< number of the first transaction that can still be read

  // ---- retention
  /// Transactions up to and including `applied` are no longer needed by anybody.
  virtual Status release(StateId applied) = 0;
  virtual std::uint64_t bytes() const = 0;  ///< on disk
  /// False when receiving more would pass the limit; `why` says which one, for the log.
  virtual bool has_room(std::string* why) const = 0;
};

/// Opens or creates the journal in `folder`: cuts a torn tail, fsyncs what survives before anyone reads it.
/// Errors: bad_data (damage in the middle; belongs to another mirror), unsupported (newer format), no_space.
Result<std::unique_ptr<Journal>> open(Disk& disk, const std::string& folder, const Owner& owner,
                                      const Options& options);

}  // namespace lockstep::journal
