#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "destination/destination.hpp"
#include "destination/fence.hpp"
#include "model/ids.hpp"
#include "model/transaction.hpp"
#include "model/visible_set.hpp"

namespace lockstep::apply {

/// True when the hidden table lacks what this commit did: it comes after the state the table stands at, and the
/// snapshot that its rows were read under did not show it. Decided by visibility, never by position.
inline bool lacks(const VisibleSet& visible, StateId applied, StateId state, Xid xid) {
  return state > applied && !visible.contains(xid);
}

/// What must have come before a hidden table may be published, found by walking the journal from `applied` on.
/// The mark is the proof that everything the snapshot shows has been received.
class JoinScan {
 public:
  explicit JoinScan(const destination::CopyLedger& ledger);
  /// The next commit; `mark` is the text of the mark that it wrote, if it wrote one.
  void saw(const Commit& commit, std::string_view mark);
  bool received_mark() const { return received_mark_; }
  /// The earliest state to publish at: nothing the snapshot shows lies after it. Only with `received_mark`.
  StateId earliest() const;

 private:
  VisibleSet visible_;
  std::string mark_;
  StateId earliest_;
  bool received_mark_;
};

/// Up to where the journal may forget. `wanted`: the tables that the mirror copies. Before anything is shown nothing may
/// go until every wanted table has its ledger.
StateId release_floor(const destination::Contents& contents, std::span<const TableId> wanted);

/// How the destination's tables stand, from its own contents; the rest of `wanted` has to be copied (again).
struct CopyNeeds {
  std::vector<TableId> to_copy;   ///< wanted, not live, no complete hidden table
  std::vector<TableId> to_drop;   ///< hidden tables that nobody wants any more
  std::vector<TableId> complete;  ///< hidden tables that only have to be joined
};
CopyNeeds copy_needs(const destination::Contents& contents, std::span<const TableId> wanted);

}  // namespace lockstep::apply
