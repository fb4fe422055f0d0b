#include "run.hpp"

#include <array>
#include <cstdio>

#include "base/failpoint.hpp"

namespace lockstep::sim {
namespace {

constexpr std::uint64_t stormy_steps = 260;
constexpr std::uint64_t calm_steps_max = 6000;  // within so many steps everything has arrived, or something is stuck

constexpr std::array failpoints{"copy.snapshot_taken",   "copy.range_loaded",    "copy.complete",
                                "publish.before_commit", "publish.after_commit", "journal.before_write",
                                "journal.before_fsync",  "journal.after_fsync",  "journal.segment_created",
                                "journal.before_trim",   "ack.before",           "apply.chunk_written",
                                "apply.before_commit",   "apply.after_commit"};

}  // namespace

Run::Run(std::uint64_t seed, Flaw flaw, bool trace)
    : world_(seed), flaw_(flaw), trace_(trace), options_(draw_options(world_.dice)), checks_(world_) {
  // A disk that lies leaves holes between segments, and these are found before anything else: this flaw is about reading.
  if (flaw == Flaw::apply_unsynced) options_.journal.segment_bytes_max = 1 << 20;
  CHECK(set_failpoints("").ok());
}

void Run::go() {
  for (std::uint64_t i = 0; i < stormy_steps && world_.record.holds(); ++i) step(true);
  world_.calm_down();
  CHECK(set_failpoints("").ok());
  if (power_goes_) engine_dies(true);
  write_trace("calm");
  std::uint64_t left = calm_steps_max;
  while (world_.record.holds() && !caught_up() && left-- > 0) step(false);
  if (world_.record.holds() && !caught_up()) world_.record.broken("never caught up");
  if (world_.record.holds()) checks_.at_end();
}

bool Run::caught_up() const { return engine_ != nullptr && engine_->at_rest(); }

void Run::step(bool with_faults) {
  world_.record.step();
  if (world_.destination_down_steps > 0) --world_.destination_down_steps;
  if (with_faults && world_.dice.percent(45)) {
    world_.application.step();
  } else if (with_faults && world_.dice.percent(6)) {
    fault();
  } else if (!world_.server.has_slot()) {
    make_slot();
  } else {
    engine_step();
  }
  checks_.after_step(engine_.get());
}

void Run::make_slot() {
  const std::optional<VisibleSet> visible = world_.server.try_create_slot();
  if (!visible) return;
  world_.notebook.slot_visible = visible;
  if (world_.dice.one_in(2)) world_.slot_snapshot = world_.snapshots.adopt(*visible);
  write_trace("slot at " + std::to_string(world_.server.slot_start().value) + " shows " + to_text(*visible));
}

void Run::engine_step() {
  if (engine_ == nullptr) engine_ = std::make_unique<Engine>(world_, options_, flaw_, emptied_);
  const bool had_journal = engine_->journal() != nullptr;
  const Status done = engine_->step();
  if (!had_journal && engine_->journal() != nullptr) checks_.after_open(*engine_->journal());
  write_trace(engine_->did());
  if (world_.killed_in_call) return engine_dies(false);
  if (done.ok()) return;
  const Error& why = done.error();
  write_trace("  ended: " + to_text(why));
  const bool may_happen = retry_for(why.kind) == Retry::later || why.kind == ErrorKind::cancelled ||
                          why.what.find("asked to fail") != std::string::npos;
  if (!may_happen) world_.record.broken("the engine stopped: " + to_text(why));
  engine_dies(false);
}

// ---- faults

void Run::fault() {
  enum { kill, power, power_in_call, disk, failpoint, down, connection, snapshot };
  switch (world_.dice.weighted({10, 8, 8, 8, 16, 4, 10, 6})) {
    case kill: engine_dies(false); return world_.record.happened(Fault::killed);
    case power: engine_dies(true); return world_.record.happened(Fault::power_cut);
    case power_in_call:
      world_.disk.stop_at_call(1 + world_.dice.below(40));
      power_goes_ = true;
      return world_.record.happened(Fault::power_cut_in_call);
    case disk:
      if (power_goes_) return;
      world_.disk.fail_call(1 + world_.dice.below(40),
                            world_.dice.one_in(2) ? ErrorKind::no_space : ErrorKind::unexpected);
      return world_.record.happened(Fault::disk_failed);
    case failpoint: return plant_failpoint();
    case down: world_.destination_down_steps = static_cast<std::uint32_t>(world_.dice.below(60)); return;
    case connection: return world_.changes.lose_connection();
    case snapshot:
      world_.snapshots.lose_snapshots();
      world_.slot_snapshot.reset();
      return world_.record.happened(Fault::snapshot_lost);
    default: return;
  }
}

void Run::plant_failpoint() {
  const std::string name = failpoints[world_.dice.below(failpoints.size())];
  CHECK(set_failpoints(name + ":" + std::to_string(1 + world_.dice.below(3)) + "=fail").ok());
  world_.record.happened(Fault::failpoint);
}

void Run::engine_dies(bool power_cut) {
  const bool lived = engine_ != nullptr && engine_->started();
  if (lived && !engine_->applier()->contents().copies.empty()) world_.record.reach(Probe::died_while_copying);
  if (lived && engine_->applier()->step_is_open()) world_.record.reach(Probe::died_with_step_open);
  if (lived && power_cut && engine_->journal()->dirty()) world_.record.reach(Probe::unsynced_commits_lost);
  engine_.reset();
  world_.changes.close();
  world_.destination.crash();
  if (world_.slot_snapshot && world_.dice.one_in(2)) world_.slot_snapshot.reset();
  if (power_cut) world_.disk.crash(world_.disk_chance);
  if (power_cut) power_goes_ = false;
  world_.killed_in_call = false;
  write_trace(power_cut ? "power cut" : "died");
}

// ---- trace

void Run::write_trace(const std::string& what) {
  std::string line = std::to_string(world_.record.steps()) + " " + what;
  if (engine_ != nullptr && engine_->journal() != nullptr) {
    const journal::Durable durable = engine_->journal()->durable();
    line += " | durable " + std::to_string(durable.last.value);
    line += " through " + (durable.through ? to_text(*durable.through) : std::string("-"));
  }
  const auto& shown = world_.destination.shown();
  if (shown) line += " | shown " + std::to_string(shown->state.value) + " at " + to_text(shown->position);
  line += " | log " + to_text(world_.server.log_end());
  for (const char letter : line) trace_hash_ = (trace_hash_ ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  if (trace_) std::printf("%s\n", line.c_str());
}

}  // namespace lockstep::sim
