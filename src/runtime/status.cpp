#include "runtime/status.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace lockstep::runtime {
namespace {

bool is_shown(const Position& target, const MirrorStatus& status) {
  return status.published && status.applied && status.applied->position >= target;
}

}  // namespace

const char* name_of(MirrorState state) {
  switch (state) {
    case MirrorState::assessing: return "assessing";
    case MirrorState::copying: return "copying";
    case MirrorState::joining: return "joining";
    case MirrorState::streaming: return "streaming";
    case MirrorState::paused: return "paused";
    case MirrorState::failed: return "failed";
    case MirrorState::stopped: return "stopped";
  }
  CHECK(false);
}

std::uint64_t bytes_between(const Position& from, const Position& to) {
  const std::uint64_t begin = std::get<PgPosition>(from).end.value;
  const std::uint64_t end = std::get<PgPosition>(to).end.value;
  return end > begin ? end - begin : 0;
}

std::optional<std::uint64_t> lag_bytes(const MirrorStatus& status) {
  if (!status.source_end || !status.applied) return std::nullopt;
  return bytes_between(status.applied->position, *status.source_end);
}

double lag_seconds(const MirrorStatus& status, UnixMicros now) {
  if (!status.oldest_unapplied) return 0;
  constexpr double micros_in_second = 1e6;
  return std::max(0.0, static_cast<double>(now.value - status.oldest_unapplied->value) / micros_in_second);
}

bool has_unsettled_tables(const MirrorStatus& status) {
  return std::any_of(status.tables.begin(), status.tables.end(), [](const TableStatus& table) {
    switch (table.state) {
      case destination::TableState::waiting:
      case destination::TableState::copying:
      case destination::TableState::joining:
      case destination::TableState::resyncing: return true;
      case destination::TableState::live:
      case destination::TableState::quarantined:
      case destination::TableState::left_out: return false;
    }
    CHECK(false);
  });
}

bool is_reached(const Goal& goal, const MirrorStatus& status) {
  if (const auto* caught_up = std::get_if<CaughtUp>(&goal)) {
    return is_shown(caught_up->target, status) && !has_unsettled_tables(status);
  }
  if (const auto* position = std::get_if<PositionShown>(&goal)) return is_shown(position->target, status);
  const StateId target = std::get<StateShown>(goal).target;
  return status.published && status.applied && status.applied->state >= target;
}

}  // namespace lockstep::runtime
