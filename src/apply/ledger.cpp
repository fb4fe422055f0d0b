#include "apply/ledger.hpp"

#include <algorithm>
#include <limits>

#include "destination/fence.hpp"

namespace lockstep::apply {
namespace {

bool is_one_of(std::span<const TableId> tables, TableId table) {
  return std::find(tables.begin(), tables.end(), table) != tables.end();
}

bool is_live(const destination::Contents& contents, TableId table) {
  return std::any_of(contents.live.begin(), contents.live.end(),
                     [&](const destination::LiveTable& live) { return live.shape.table == table; });
}

const destination::CopyLedger* copy_of(const destination::Contents& contents, TableId table) {
  const auto found = std::find_if(contents.copies.begin(), contents.copies.end(),
                                  [&](const destination::CopyLedger& copy) { return copy.table == table; });
  return found == contents.copies.end() ? nullptr : &*found;
}

}  // namespace

StateId release_floor(const destination::Contents& contents, std::span<const TableId> wanted) {
  StateId floor{std::numeric_limits<std::uint64_t>::max()};
  if (contents.shown) floor = contents.shown->state;
  for (const TableId table : wanted) {
    const destination::CopyLedger* copy = copy_of(contents, table);
    if (copy != nullptr) floor = std::min(floor, copy->applied);
    if (copy == nullptr && !contents.shown) return StateId{};
  }
  return wanted.empty() && !contents.shown ? StateId{} : floor;
}

CopyNeeds copy_needs(const destination::Contents& contents, std::span<const TableId> wanted) {
  CopyNeeds needs;
  for (const TableId table : wanted) {
    const destination::CopyLedger* copy = copy_of(contents, table);
    if (copy != nullptr && destination::is_complete(*copy)) {
      needs.complete.push_back(table);
    } else if (copy != nullptr || !is_live(contents, table)) {
      needs.to_copy.push_back(table);  // a live table with an unfinished copy is being resynced
    }
  }
  for (const destination::CopyLedger& copy : contents.copies) {
    if (!is_one_of(wanted, copy.table)) needs.to_drop.push_back(copy.table);
  }
  return needs;
}

}  // namespace lockstep::apply
