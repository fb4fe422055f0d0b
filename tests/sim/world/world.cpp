#include "world/world.hpp"

namespace lockstep::sim {

World::World(std::uint64_t seed)
    : dice(seed),
      server(dice, record),
      application(server, dice, record),
      snapshots(server, dice, record, weather, [this] { meanwhile(); }),
      changes(server, dice, record, weather, [this] { meanwhile(); }),
      disk_chance(seed) {
  // Some runs are stormy, some are fair: both find bugs that the other hides.
  const auto storm = static_cast<std::uint32_t>(dice.below(4));
  weather.read_breaks = 4 * storm;
  weather.mark_fails = 4 * storm;
  weather.acknowledgement_lost = 2 * storm;
  weather.acknowledgement_late = static_cast<std::uint32_t>(dice.below(3)) * 30;
  destination_fails_percent_ = storm;
  destination.set_hook([this](std::string_view call, destination::MemoryDestination::Moment moment) {
    return destination_call(call, moment);
  });
}

// The application goes on while the engine is in the middle of something.
void World::meanwhile() {
  if (calm_ || application_works_ || !dice.percent(25)) return;
  application_works_ = true;
  application.step();
  application_works_ = false;
}

Status World::destination_call(std::string_view call, destination::MemoryDestination::Moment moment) {
  if (calm_) return Done{};
  if (killed_in_call) return Error{ErrorKind::unreachable, "nobody is there any more"};
  const bool before = moment == destination::MemoryDestination::Moment::before;
  if (before) meanwhile();
  if (before && destination_down_steps > 0) {
    record.happened(Fault::destination_down);
    return Error{ErrorKind::unreachable, "the destination is down"};
  }
  if (!dice.percent(destination_fails_percent_)) return Done{};
  if (dice.one_in(4)) {
    killed_in_call = true;
    record.happened(Fault::killed_in_call);
    return Error{ErrorKind::unreachable, "killed in the midst of it"};
  }
  record.happened(before ? Fault::destination_refused : Fault::destination_answer_lost);
  return Error{ErrorKind::unreachable, std::string(call) + " was asked to fail " + (before ? "before" : "after")};
}

void World::calm_down() {
  calm_ = true;
  weather = Weather{};
  destination_down_steps = 0;
  killed_in_call = false;
  disk.fail_call(0);
  application.finish();
}

}  // namespace lockstep::sim
