#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lockstep::sim {

/// Bugs that are planted at the seams to see whether the simulation notices: tests of the test.
enum class Flaw : std::uint8_t {
  none,
  ack_before_fsync,
  apply_unsynced,
  position_outside_transaction,
  fold_forgets_key_change,
  abort_hits_committed,
  chunks_survive_reconnect,
  join_by_lsn,
  publish_before_snapshot,
  no_superset_check,
  no_filenode_check,
  plan_ignores_rewrite,
  bounded_last_range,
  range_ledger_apart,
  limit_counts_open_blocks,
  release_ignores_copies,
  progress_too_far,
  published_one_by_one,
  range_ignores_snapshot,
  limit_blocks_join,
};

struct FlawAbout {
  Flaw flaw;
  std::string_view name;  ///< as in the protocol's model, where it has it
  std::string_view what;
  std::uint64_t seeds_max;  ///< must be found within so many
};

/// All but `none`.
const std::vector<FlawAbout>& all_flaws();
std::optional<Flaw> flaw_named(std::string_view name);

}  // namespace lockstep::sim
