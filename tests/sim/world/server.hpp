#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/change.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"
#include "model/shape.hpp"
#include "model/visible_set.hpp"
#include "probes.hpp"
#include "world/dice.hpp"
#include "world/row.hpp"

namespace lockstep::sim {

/// One version of a row in a table's heap, as PostgreSQL keeps it.
struct Version {
  std::uint64_t page = 0;
  Row row;
  Xid xmin;
  Xid xmax;  ///< 0: nobody took it away
};
using VersionRef = std::shared_ptr<Version>;

struct SimTable {
  TableShape shape;
  std::vector<VersionRef> heap;
  std::uint64_t storage = 1;                                         ///< the filenode now
  std::vector<std::pair<Xid, std::uint64_t>> storages{{Xid{0}, 1}};  ///< what the catalog says, by transaction
  std::uint64_t pages = 2;
  bool published = false;
  bool first_copy = false;  ///< the mirror copies it from the start
  std::size_t readers = 0;  ///< ACCESS SHARE locks of range reads

  bool keyed() const { return !shape.key.empty(); }
};

/// What one change did, in the source's own terms.
struct LoggedChange {
  ChangeKind kind{};
  std::size_t table = 0;
  Row old_row;
  Row new_row;
  bool big_unchanged = false;
  std::vector<std::size_t> truncated;
  std::string prefix;
  std::string content;
};

/// One record of the write-ahead log.
struct LogRecord {
  enum class Kind : std::uint8_t { change, rolled_back, committed, aborted };
  Kind kind{};
  Lsn end;
  Xid xid;                ///< top-level
  Xid sub;                ///< of a change
  std::vector<Xid> subs;  ///< rolled_back and aborted: the subtransactions that are void, children first
  LoggedChange change;
};

using Rows = std::vector<std::string>;  ///< to_text of each, sorted

/// What the whole database held after one commit of the log: the truth that every copy is measured by.
struct Truth {
  Lsn end;
  Xid xid;
  std::vector<std::shared_ptr<const Rows>> tables;
  std::vector<LoggedChange> changes;  ///< of this commit, those that stand
};

/// A simulated PostgreSQL: heap, transactions, log, publication, slot. A commit takes two steps, as there: first its
/// record is in the log (and sent), later other sessions see it.
class Server {
 public:
  Server(Dice& dice, Record& record);

  std::vector<SimTable>& tables() { return tables_; }
  const std::vector<SimTable>& tables() const { return tables_; }
  std::size_t table_of(TableId id) const;

  // ---- transactions
  Xid begin();
  void savepoint(Xid xid);
  void release_savepoint(Xid xid);
  void roll_back_to_savepoint(Xid xid);
  void commit(Xid xid);        ///< into the log
  void make_visible(Xid xid);  ///< to ordinary snapshots
  void abort(Xid xid);
  const std::vector<Xid>& open() const { return open_; }
  const std::vector<Xid>& invisible() const { return invisible_; }
  std::size_t savepoints(Xid xid) const { return transactions_.at(xid).stack.size() - 1; }

  // ---- statements
  void insert(Xid xid, std::size_t table, const Row& row);
  void update(Xid xid, std::size_t table, const VersionRef& version, const Row& row);
  void erase(Xid xid, std::size_t table, const VersionRef& version);
  void truncate(Xid xid, const std::vector<std::size_t>& tables);
  void message(Xid xid, const std::string& prefix, const std::string& content);
  void vacuum_full(std::size_t table);

  // ---- what a session sees
  /// Rows that `xid` sees and may change now (nobody else has taken them away).
  std::vector<VersionRef> changeable(std::size_t table, Xid xid) const;
  /// A unique index would let this key in now, without waiting.
  bool key_is_free(std::size_t table, std::int64_t key, Xid xid) const;
  bool locked(std::size_t table, Xid by_other_than) const;
  bool in_use(std::size_t table, Xid by_other_than) const;
  VisibleSet snapshot() const;
  /// What the snapshot shows is what the log held at some moment.
  bool is_prefix(const VisibleSet& visible) const;
  /// The table's filenode as the catalog says it under a snapshot.
  std::uint64_t storage_under(std::size_t table, const VisibleSet& visible) const;
  std::vector<Row> read(std::size_t table, const VisibleSet& visible, std::uint64_t first_page,
                        std::optional<std::uint64_t> end_page) const;

  // ---- the log and its slot
  /// Records stand still while others are added.
  const std::deque<LogRecord>& log() const { return log_; }
  Lsn log_end() const { return log_end_; }
  const std::vector<Truth>& truths() const { return truths_; }
  /// The truth that a position names: the last commit that ends at or before it.
  const Truth& truth_at(Lsn end) const;
  /// A table's rows after exactly the commits that a snapshot shows, worked out from the log and not from the heap.
  Rows truth_under(const VisibleSet& visible, std::size_t table) const;
  /// One attempt; nothing while older transactions are open. The slot starts at the end of the log of that moment.
  std::optional<VisibleSet> try_create_slot();
  /// Every commit that is in the log, whether or not an ordinary snapshot shows it yet.
  VisibleSet shown_by_log() const;
  bool has_slot() const { return slot_start_.has_value(); }
  Lsn slot_start() const { return *slot_start_; }
  Lsn confirmed() const { return confirmed_; }
  void confirm(Lsn end);
  /// The first record that a new connection decodes: nothing that commits after `from` begins before it.
  std::size_t restart_at(Lsn from) const;

 private:
  struct Undo {
    Xid sub;
    std::size_t table = 0;
    VersionRef added;
    VersionRef taken;
    std::vector<VersionRef> heap;  ///< of a truncate: what was there
    std::uint64_t storage = 0;     ///< the same; 0: no truncate
    std::vector<std::pair<Xid, std::uint64_t>> storages;
  };
  struct Sub {
    Xid xid;
    std::vector<Xid> children;
  };
  struct Transaction {
    std::vector<Sub> stack;  ///< the top-level one first, then open savepoints
    std::vector<Undo> undo;
    std::vector<std::pair<Xid, LoggedChange>> changes;  ///< those that stand
    std::vector<std::size_t> locks;                     ///< tables held ACCESS EXCLUSIVE
    std::vector<Xid> all;                               ///< every xid it used
    std::size_t first_record = 0;
  };

  Xid next_xid();
  void log(Xid xid, LoggedChange change);
  LogRecord& append(LogRecord::Kind kind, Xid xid);
  void add_version(Xid xid, std::size_t table, const Row& row);
  void take_version(Xid xid, std::size_t table, const VersionRef& version);
  void undo(Transaction& transaction, std::size_t keep);
  void remember_truth(Xid xid, const Transaction& transaction);
  bool running(Xid xid) const;
  bool gone(const Version& version, Xid xid) const;
  VisibleSet visible_but(std::vector<Xid> in_progress, Xid latest) const;

  Dice& dice_;
  Record& record_;
  std::vector<SimTable> tables_;
  std::map<Xid, Transaction> transactions_;  ///< open and invisible ones
  std::vector<Xid> open_;
  std::vector<Xid> invisible_;
  Xid next_xid_{730};
  Xid latest_completed_{729};
  std::deque<LogRecord> log_;
  Lsn log_end_{0x1000};
  std::vector<Truth> truths_;
  std::vector<std::vector<Row>> now_;  ///< a table's rows after the last commit in the log
  std::uint64_t next_storage_ = 1000;
  std::vector<Xid> slot_waits_for_;
  int slot_phase_ = 0;
  std::optional<Lsn> slot_start_;
  Lsn confirmed_;
};

}  // namespace lockstep::sim
