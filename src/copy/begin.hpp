#pragma once

#include <optional>
#include <span>

#include "base/result.hpp"
#include "journal/journal.hpp"
#include "model/ids.hpp"
#include "model/visible_set.hpp"

namespace lockstep::copy {

/// True when a copy may begin under a snapshot that shows `visible`: it must show all that the slot's own snapshot showed
/// (the stream does not bring that), and every commit that the journal no longer holds (nobody will bring that again).
bool may_begin(const VisibleSet& visible, const std::optional<VisibleSet>& slot_visible, std::span<const Xid> trimmed);

/// How many of the journal's commits, from the first one on without a gap, the snapshot shows. Error: busy when it does
/// not show one that the journal has already forgotten.
Result<StateId> leading_visible(journal::Journal& journal, const VisibleSet& visible);

}  // namespace lockstep::copy
