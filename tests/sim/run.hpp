#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "checks.hpp"
#include "engine.hpp"
#include "flaws.hpp"
#include "world/world.hpp"

namespace lockstep::sim {

/// One seed: a world, engines that live and die in it, checks after every step, then calm and the final account.
class Run {
 public:
  Run(std::uint64_t seed, Flaw flaw, bool trace);

  void go();
  const Record& record() const { return world_.record; }
  /// The same seed gives the same trace, and this of it.
  std::uint64_t trace_hash() const { return trace_hash_; }

 private:
  void step(bool with_faults);
  void engine_step();
  void engine_dies(bool power_cut);
  void fault();
  void plant_failpoint();
  void make_slot();
  void write_trace(const std::string& what);
  bool caught_up() const;

  World world_;
  const Flaw flaw_;
  const bool trace_;
  EngineOptions options_;
  bool power_goes_ = false;  ///< at one of the next calls to the disk
  Checks checks_;
  std::set<Xid> emptied_;
  std::unique_ptr<Engine> engine_;
  std::uint64_t trace_hash_ = 0xcbf29ce484222325ULL;  // FNV-1a's start
};

}  // namespace lockstep::sim
