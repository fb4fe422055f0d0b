#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "engine.hpp"
#include "world/world.hpp"

namespace lockstep::sim {

/// Holds the engine to its promises after every step. Knows nothing of how they are kept: it compares what readers of the
/// copy see, and what journal and source say, with the world's own truth.
class Checks {
 public:
  explicit Checks(World& world) : world_(world) {}

  void after_step(const Engine* engine);
  /// The engine has opened its journal (again).
  void after_open(const journal::Journal& journal);
  /// Everything has arrived, and nothing else.
  void at_end();

 private:
  void shown_state_is_true();
  void position_never_goes_back(const destination::Shown& shown);
  void state_names_one_commit(const destination::Shown& shown);
  void tables_equal_truth(const Truth& truth);
  /// False when the disk does not let us read it now.
  bool journal_is_the_commit_order(journal::Journal& journal);
  void acknowledged_is_durable();
  void nothing_needed_is_forgotten(const journal::Journal& journal);
  void complete_copies_are_true(const apply::Applier& applier);
  bool changes_ours(const Truth& truth) const;
  void broken(const std::string& promise) { world_.record.broken(promise); }

  World& world_;
  std::optional<destination::Shown> last_shown_;
  std::map<StateId, Lsn> commits_;   ///< what a state id, once durable, names
  std::map<StateId, Lsn> shown_at_;  ///< the position first shown with a state id
  std::set<std::string> checked_copies_;
};

}  // namespace lockstep::sim
