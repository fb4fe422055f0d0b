#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/ids.hpp"

namespace lockstep {

/// Which committed transactions a snapshot shows: PostgreSQL's pg_snapshot "xmin:xmax:xip,xip,…" (manual, "Functions and
/// Operators", pg_snapshot components). Only meaningful for transactions that committed, by their top-level xid.
struct VisibleSet {
  Xid xmin;               ///< every xid below has ended
  Xid xmax;               ///< no xid at or above is visible
  std::vector<Xid> open;  ///< sorted: xids between the two that were in progress

  bool contains(Xid xid) const;
  bool operator==(const VisibleSet&) const = default;
};

/// True if every transaction that `inner` shows is also shown by `outer`, whichever of them committed.
bool is_subset(const VisibleSet& inner, const VisibleSet& outer);

std::string to_text(const VisibleSet& set);
/// Error: bad_data.
Result<VisibleSet> parse_visible_set(std::string_view text);

}  // namespace lockstep
