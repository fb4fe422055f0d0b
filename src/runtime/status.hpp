#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "apply/fold.hpp"
#include "destination/destination.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"

namespace lockstep::runtime {

enum class MirrorState : std::uint8_t { assessing, copying, joining, streaming, paused, failed, stopped };
const char* name_of(MirrorState state);

struct TableStatus {
  TableName name;
  destination::TableState state{};
  std::optional<StateId> as_of;  ///< set while the table is outside the consistent set
  std::uint64_t rows_copied = 0;
  double rows_estimated = 0;          ///< the planner's estimate; below 0: unknown
  std::uint64_t bytes_estimated = 0;  ///< what the table takes at the source
  apply::ChangeCounts changes;        ///< that have become visible since this process began
  std::string error;
};

/// What is known of a mirror at one moment. A copy; nobody else changes it.
struct MirrorStatus {
  std::string mirror;
  MirrorState state = MirrorState::stopped;
  std::string source_kind;
  std::optional<Position> source_end;  ///< where the source's log ended when last asked
  std::optional<Position> received;    ///< durably with us
  std::uint64_t journal_bytes = 0;
  StateId journal_state;                       ///< the last commit that is durably with us
  std::optional<destination::Shown> applied;   ///< everything up to here is visible in the live tables
  std::optional<UnixMicros> oldest_unapplied;  ///< the commit time of the first received commit that is not visible
  std::vector<TableStatus> tables;
  std::string error;       ///< why the mirror stopped, or why it waits
  bool published = false;  ///< the first copy is visible
};

/// Distance between two positions of one source in bytes of its log; 0 when `from` is not before `to`.
std::uint64_t bytes_between(const Position& from, const Position& to);
/// Bytes of the source's log that are not visible yet, as far as known.
std::optional<std::uint64_t> lag_bytes(const MirrorStatus& status);
/// Age of the oldest received commit that is not visible yet; 0 when there is none.
double lag_seconds(const MirrorStatus& status, UnixMicros now);
/// True while a table is waiting, copying, joining or resyncing.
bool has_unsettled_tables(const MirrorStatus& status);

// What somebody waits for.
/// Every table settled, and everything up to `target` visible.
struct CaughtUp {
  Position target;
};
struct PositionShown {
  Position target;
};
struct StateShown {
  StateId target;
};
using Goal = std::variant<CaughtUp, PositionShown, StateShown>;
bool is_reached(const Goal& goal, const MirrorStatus& status);

}  // namespace lockstep::runtime
