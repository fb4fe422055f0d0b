#pragma once

#include <span>
#include <vector>

#include "destination/destination.hpp"
#include "model/ids.hpp"
#include "model/visible_set.hpp"

namespace lockstep::apply {

/// True when the hidden table lacks what this commit did: it comes after the state the table stands at, and the
/// snapshot that its rows were read under did not show it. Decided by visibility, never by position.
inline bool lacks(const VisibleSet& visible, StateId applied, StateId state, Xid xid) {
  return state > applied && !visible.contains(xid);
}

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
