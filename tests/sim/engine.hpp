#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "apply/applier.hpp"
#include "copy/group.hpp"
#include "flawed_destination.hpp"
#include "flawed_journal.hpp"
#include "flaws.hpp"
#include "journal/journal.hpp"
#include "journal/recorder.hpp"
#include "world/world.hpp"

namespace lockstep::sim {

/// How one run's engine is set up: everything small, so that every limit is met.
struct EngineOptions {
  apply::BatchLimits limits;
  journal::Options journal;
  std::uint64_t unit_bytes = 0;
  std::uint64_t table_bytes = 0;  ///< as the source estimates it; with `unit_bytes` it says how many ranges a unit has
};
EngineOptions draw_options(Dice& dice);

/// One life of the engine: the real journal, recorder, applier and copy group, driven by one loop instead of by threads.
/// Everything in it is lost when it dies.
class Engine {
 public:
  Engine(World& world, const EngineOptions& options, Flaw flaw, std::set<Xid>& emptied);

  /// Does one thing that the real engine's threads might do now. An error ends this life.
  Status step();
  /// What `step` did and what it had to survive, for the trace.
  std::string did() const { return survived_.empty() ? did_ : did_ + (": " + survived_); }

  bool started() const { return applier_ != nullptr; }
  bool at_rest() const;
  const journal::Journal* journal() const { return journal_.get(); }
  const apply::Applier* applier() const { return applier_.get(); }

 private:
  /// A unit that a worker has; with an error once it has failed and nobody has settled what became of it.
  struct InFlight {
    copy::Unit unit;
    std::optional<Error> failed;
  };

  Status start();
  Status receive();
  bool may_receive() const;
  Status sync();
  Status acknowledge();
  Status apply();
  Status publish();
  Status copy();
  Status open_group(const std::vector<TableId>& tables);
  Status load_one();
  Status settle_one();
  void note(const copy::Setback& setback);
  Status look_again();
  Status release();
  Status want_late();
  /// An error that another try may heal is not the end.
  Status survive(const Error& error);

  World& world_;
  const EngineOptions options_;
  const Flaw flaw_;
  std::set<Xid>& emptied_;
  SimDecoders decoders_;
  LyingDisk lying_disk_;
  FlawedDestination destination_;
  std::string did_;
  std::string survived_;
  std::chrono::nanoseconds now_{0};
  std::vector<TableId> wanted_;
  std::vector<TableId> left_out_;

  std::unique_ptr<journal::Journal> journal_;
  std::unique_ptr<journal::Recorder> recorder_;
  std::unique_ptr<apply::Applier> applier_;
  std::optional<copy::CopyGroup> group_;
  bool hidden_created_ = false;
  bool must_look_ = false;    ///< hidden tables have changed, or may have, and the applier has not seen it
  bool copy_begins_ = false;  ///< nothing is released until the applier has seen the hidden tables
  std::vector<InFlight> in_flight_;
  std::optional<Position> honestly_durable_;
};

}  // namespace lockstep::sim
