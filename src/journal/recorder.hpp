#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "journal/journal.hpp"
#include "model/source_message.hpp"

namespace lockstep::journal {

/// Writes what a ChangeSource says into a journal. One thread: the journal's writer. After an error the connection is
/// of no use any more: `begin_connection` and start the source again from `acknowledgeable`.
///
/// Memory: one block of changes, and the shapes of the connection; never a transaction.
class Recorder {
 public:
  explicit Recorder(Journal& journal) : journal_(journal) {}

  /// A new connection sends its open transactions again from their first change, and every shape before it is used.
  Status begin_connection();

  /// Errors: bad_data (a message out of place, rows of a table whose shape was not said), or the journal's own.
  Status take(const SourceMessage& message);

  /// What the source may be told to forget: durable, and nothing before it is still to come.
  std::optional<Position> acknowledgeable() const { return journal_.durable().through; }

 private:
  /// A shape that holds inside one open transaction only, until that commits.
  struct ScopedShape {
    Xid sub;
    TableId table;
    ShapeId shape;
  };
  /// The transaction, or the piece of an open one, that messages belong to now.
  struct Current {
    Xid xid;
    Xid sub;  ///< of the changes in `block_`
    bool is_part = false;
    bool begun = false;  ///< the journal knows it
  };

  Status on(const NothingYet&) { return Done{}; }
  Status on(const TransactionBegun& begun);
  Status on(const TransactionCommitted& committed);
  Status on(const PartBegun& begun);
  Status on(const PartEnded&);
  Status on(const PartAborted& aborted);
  Status on(const ShapeSeen& seen);
  Status on(const RowChanged& changed);
  Status on(const StepTaken& taken);
  Status on(const Progressed& progressed);

  Status add(Xid sub, const Change& change);
  Status flush_block();
  Status begin(Xid xid, bool is_part, bool begun);
  ShapeId shape_of(TableId table) const;
  Status promote_shapes(Xid xid);

  Journal& journal_;
  std::optional<Current> current_;
  std::vector<std::byte> block_;
  std::unordered_map<TableId, ShapeId> shapes_;               // of the connection
  std::unordered_map<Xid, std::vector<ScopedShape>> scoped_;  // of open transactions, in the order they were said
  Change change_;                                             // kept so that a row allocates nothing
};

}  // namespace lockstep::journal
