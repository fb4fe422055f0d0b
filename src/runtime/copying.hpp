#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "copy/group.hpp"
#include "runtime/adapters.hpp"
#include "runtime/backoff.hpp"
#include "runtime/wakeup.hpp"
#include "runtime/workers.hpp"

namespace lockstep::runtime {

/// Drives copy groups: opens one for the tables that have to be copied, has its units loaded beside whatever the caller
/// does, and counts. Belongs to the applying thread.
class Copying {
 public:
  struct Parts {
    source::SnapshotSource& source;
    destination::Destination& destination;
    journal::Journal& journal;
    Wakeup& bell;  ///< rung when a unit is done
    Surroundings around;
  };
  struct Options {
    std::size_t streams = 1;                                ///< read side by side into one table
    std::string id_prefix;                                  ///< makes the ids of groups unique to this process
    std::shared_ptr<const source::Snapshot> slot_snapshot;  ///< for the first group; may be nothing
    std::optional<VisibleSet> slot_visible;
  };
  Copying(Parts parts, Options options);
  ~Copying();

  /// The tables that have to be copied; only while `idle`.
  void want(std::vector<copy::TableToCopy> tables);

  enum class Did { nothing, something, finished };
  /// One small step. `finished`: the group is done or given up; ask the destination what still has to be copied. No Step
  /// of the destination may be open. Errors: what nobody but the operator can mend, and the destination's own.
  Result<Did> advance();
  /// When to ask again though no bell rings.
  std::optional<std::chrono::nanoseconds> look_again_at() const {
    return idle() || in_flight_ ? std::nullopt : not_before_;
  }

  bool idle() const { return wanted_.empty() && !group_; }
  bool unit_in_hand() const { return in_flight_; }
  /// Waits for the unit in hand.
  void settle();
  std::vector<copy::TableProgress> progress() const;
  bool anything_loaded() const { return anything_loaded_; }

 private:
  struct Outcome {
    copy::Unit unit;
    Result<destination::CopyCounts> counts;
  };
  Result<Did> begin_group();
  Result<Did> take_outcome(Outcome outcome);
  Result<Did> take_setback(const copy::Unit& unit, const Error& why);
  std::optional<Outcome> finished_unit();
  void load(copy::Unit unit);
  void wait_a_little(const Error& why);

  Parts parts_;
  Options options_;
  std::vector<copy::TableToCopy> wanted_;
  std::optional<copy::CopyGroup> group_;
  std::uint64_t groups_ = 0;
  bool in_flight_ = false;
  bool anything_loaded_ = false;
  bool said_why_ = false;
  std::optional<std::chrono::nanoseconds> not_before_;
  Backoff backoff_;
  std::mutex mutex_;
  std::optional<Outcome> outcome_;  // guarded by mutex_
  Workers worker_{1};               // last: its job uses the rest
};

}  // namespace lockstep::runtime
