#include "copy/begin.hpp"

#include <algorithm>
#include <memory>

namespace lockstep::copy {

bool may_begin(const VisibleSet& visible, const std::optional<VisibleSet>& slot_visible, std::span<const Xid> trimmed) {
  if (slot_visible && !is_subset(*slot_visible, visible)) return false;
  return std::all_of(trimmed.begin(), trimmed.end(), [&](Xid xid) { return visible.contains(xid); });
}

Result<StateId> leading_visible(journal::Journal& journal, const VisibleSet& visible) {
  StateId shown{journal.first_held().value - 1};
  if (shown.value > 0) {
    TRY(trimmed, journal.commit_at(shown));
    if (!visible.contains(trimmed.xid)) {
      return Error{ErrorKind::busy, "a snapshot does not yet show a transaction that has been applied"};
    }
  }
  TRY(reader, journal.reader(shown));
  while (true) {
    TRY(commit, reader->next());
    if (!commit || !visible.contains(commit->xid)) return shown;
    shown = commit->state;
  }
}

}  // namespace lockstep::copy
