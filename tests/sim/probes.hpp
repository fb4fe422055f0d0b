#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep::sim {

/// Rare places that a set of runs must reach, or it proves little.
enum class Probe : std::uint8_t {
  // the world
  snapshot_is_no_prefix,
  snapshot_lacks_slot_commits,
  key_rotation,
  page_move,
  truncate,
  vacuum_full,
  savepoint_rolled_back,
  big_unchanged,
  part_streamed,
  part_aborted,
  acknowledged_streamed_again,
  committed_sent_again,
  open_sent_again,
  progress_inside_transaction,
  // the engine
  copied_under_slot_snapshot,
  snapshot_not_enough,
  copy_beside_live,
  unit_loaded,
  unit_answer_lost,
  table_copied_again,
  group_over,
  hidden_table_caught_up,
  published_first_copy,
  published_beside_live,
  batch_of_several,
  batch_waits_for_age,
  chunk_written,
  journal_full,
  journal_trimmed,
  died_while_copying,
  died_with_step_open,
  unsynced_commits_lost,
  count_
};

/// Faults by kind.
enum class Fault : std::uint8_t {
  killed,
  killed_in_call,
  power_cut,
  power_cut_in_call,
  disk_failed,
  failpoint,
  destination_down,
  destination_refused,
  destination_answer_lost,
  connection_lost,
  snapshot_lost,
  read_broken,
  mark_failed,
  acknowledgement_lost,
  acknowledgement_late,
  count_
};

std::string_view name_of(Probe probe);
std::string_view name_of(Fault fault);

/// What happened in a run, or in many; and the first broken promise.
class Record {
 public:
  void reach(Probe probe) { ++probes_[static_cast<std::size_t>(probe)]; }
  void happened(Fault fault) { ++faults_[static_cast<std::size_t>(fault)]; }
  void step() { ++steps_; }
  /// The run ends at the first one.
  void broken(std::string promise) {
    if (broken_.empty()) broken_ = std::move(promise);
  }

  std::uint64_t count(Probe probe) const { return probes_[static_cast<std::size_t>(probe)]; }
  std::uint64_t count(Fault fault) const { return faults_[static_cast<std::size_t>(fault)]; }
  std::uint64_t steps() const { return steps_; }
  const std::string& broken_promise() const { return broken_; }
  bool holds() const { return broken_.empty(); }
  /// Adds the counts of another run.
  void add(const Record& other);

 private:
  std::array<std::uint64_t, static_cast<std::size_t>(Probe::count_)> probes_{};
  std::array<std::uint64_t, static_cast<std::size_t>(Fault::count_)> faults_{};
  std::uint64_t steps_ = 0;
  std::string broken_;
};

}  // namespace lockstep::sim
