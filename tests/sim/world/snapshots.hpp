#pragma once

#include <functional>
#include <memory>

#include "source/source.hpp"
#include "world/server.hpp"

namespace lockstep::sim {

/// How often things go wrong, in percent; all zero is a quiet day.
struct Weather {
  std::uint32_t read_breaks = 0;
  std::uint32_t mark_fails = 0;
  std::uint32_t acknowledgement_lost = 0;
  std::uint32_t acknowledgement_late = 0;
};

/// Lets the application go on in the middle of the engine's calls.
using Meanwhile = std::function<void()>;

/// Weak spots of a source that a test plants to see whether the simulation notices.
struct SourceFlaws {
  bool progress_too_far = false;        ///< a keepalive names the end of the log, not of what was sent
  bool no_storage_check = false;        ///< ranges are read on after VACUUM FULL
  bool plan_ignores_rewrite = false;    ///< a table that was rewritten after the snapshot is planned all the same
  bool bounded_last_range = false;      ///< the last range ends at the size that the plan saw
  bool range_ignores_snapshot = false;  ///< rows are read as they are now
  bool join_by_log = false;             ///< a snapshot is said to show all that is in the log, not what it really shows
};

/// Reads the simulated server under snapshots.
class SimSnapshotSource final : public source::SnapshotSource {
 public:
  SimSnapshotSource(Server& server, Dice& dice, Record& record, const Weather& weather, Meanwhile meanwhile)
      : server_(server), dice_(dice), record_(record), weather_(weather), meanwhile_(std::move(meanwhile)) {}

  Result<std::unique_ptr<source::Snapshot>> take_snapshot() override;
  Status write_mark(const std::string& text) override;
  Result<std::vector<source::RangePlan>> plan(const source::Snapshot& snapshot,
                                              const std::vector<TableId>& tables) override;
  Result<std::unique_ptr<RowStream>> open_stream(const source::Snapshot& snapshot, const source::RangePlan& plan,
                                                 std::shared_ptr<source::RangeQueue> ranges,
                                                 const std::vector<LogicalType>& targets) override;

  void plant(const SourceFlaws& flaws) { flaws_ = flaws; }
  /// The slot's own snapshot, as if its connection had just been made.
  std::unique_ptr<source::Snapshot> adopt(const VisibleSet& visible);
  /// The connections of all snapshots break.
  void lose_snapshots();

 private:
  std::unique_ptr<source::Snapshot> make(const VisibleSet& shows, const VisibleSet& says);

  Server& server_;
  Dice& dice_;
  Record& record_;
  const Weather& weather_;
  Meanwhile meanwhile_;
  SourceFlaws flaws_;
  std::vector<std::weak_ptr<bool>> alive_;
};

}  // namespace lockstep::sim
