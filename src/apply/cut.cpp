#include "apply/cut.hpp"

namespace lockstep::apply {

bool should_end(const PendingBatch& batch, const BatchLimits& limits) {
  if (batch.transactions == 0) return false;
  const bool large = batch.changes >= limits.changes_behind || batch.transactions >= limits.transactions_max ||
                     chunk_is_full(batch.bytes, limits);
  // Behind, a fuller batch costs less for each change, and folding what is there takes milliseconds; caught up, only the
  // reader's wait counts.
  return large || (!batch.more_waiting && batch.age >= limits.age_max);
}

bool chunk_is_full(std::uint64_t bytes_held, const BatchLimits& limits) { return bytes_held >= limits.bytes_max; }

}  // namespace lockstep::apply
