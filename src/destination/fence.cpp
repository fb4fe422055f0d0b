#include "destination/fence.hpp"

#include <set>

namespace lockstep::destination {
namespace {

std::string text_of(const std::optional<Shown>& shown) {
  if (!shown) return "nothing";
  return "state " + std::to_string(shown->state.value) + " at " + to_text(shown->position);
}

}  // namespace

Status check_shown(const std::optional<Shown>& actual, const std::optional<Shown>& expected) {
  const bool same = actual.has_value() == expected.has_value() &&
                    (!actual || (actual->state == expected->state && actual->position == expected->position));
  if (same) return Done{};
  return Error{ErrorKind::conflict, "the destination shows " + text_of(actual) + ", not " + text_of(expected),
               "find out what else writes to it, or whether it was restored"};
}

bool is_complete(const CopyLedger& ledger) {
  return std::set<std::uint32_t>(ledger.done.begin(), ledger.done.end()).size() == ledger.ranges;
}

Status check_fits(const TableBatch& batch, const std::vector<LogicalType>& types) {
  CHECK(batch.shape != nullptr && batch.decoders != nullptr);
  bool fits = batch.decoders->size() == types.size() && batch.shape->columns.size() == types.size();
  for (std::size_t i = 0; fits && i < types.size(); ++i) fits = (*batch.decoders)[i].target == types[i];
  if (fits) return Done{};
  return Error{ErrorKind::unexpected, "a batch does not have the columns of its table", "", to_text(batch.shape->name)};
}

}  // namespace lockstep::destination
