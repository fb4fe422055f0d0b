#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "destination/memory/memory_destination.hpp"
#include "probes.hpp"
#include "support/memory_disk.hpp"
#include "world/application.hpp"
#include "world/changes.hpp"
#include "world/dice.hpp"
#include "world/server.hpp"
#include "world/snapshots.hpp"

namespace lockstep::sim {

/// What the engine's catalog remembers over a restart.
struct Notebook {
  std::optional<VisibleSet> slot_visible;
  std::vector<Xid> trimmed;  ///< commits that the journal forgot and that no snapshot has yet shown
  std::uint64_t groups = 0;  ///< copy groups ever begun: their names never come again
  bool late_is_wanted = false;
};

/// Everything that is not the engine: it lives on when the engine dies.
class World {
 public:
  explicit World(std::uint64_t seed);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Faults stop, the application ends its transactions, everything that was under way arrives.
  void calm_down();
  bool calm() const { return calm_; }

  Dice dice;
  Record record;
  Weather weather;
  Server server;
  Application application;
  SimSnapshotSource snapshots;
  SimChangeSource changes;
  test::MemoryDisk disk;
  destination::MemoryDestination destination;
  Notebook notebook;
  std::mt19937_64 disk_chance;
  std::shared_ptr<const source::Snapshot> slot_snapshot;  ///< held by a connection, if one holds it
  std::uint32_t destination_down_steps = 0;
  bool killed_in_call = false;  ///< the engine's process is gone, in the midst of a call to the destination

 private:
  void meanwhile();
  Status destination_call(std::string_view call, destination::MemoryDestination::Moment moment);

  std::uint32_t destination_fails_percent_ = 0;
  bool application_works_ = false;  ///< it does not interrupt itself
  bool calm_ = false;
};

}  // namespace lockstep::sim
