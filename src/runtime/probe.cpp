#include "runtime/probe.hpp"

#include <utility>

namespace lockstep::runtime {
namespace {

constexpr std::chrono::seconds look_period{1};
// Other databases of the server may write much while ours is idle; the slot holds all their log until we confirm more.
constexpr std::chrono::seconds idle_max{10};

}  // namespace

Probe::Probe(std::unique_ptr<source::ChangeSource> source, StatusBoard& board, Surroundings around)
    : source_(std::move(source)), board_(board), around_(around) {}

Result<Position> Probe::ask() {
  TRY(end, source_->end_of_log());
  board_.update([&](MirrorStatus& status) { status.source_end = end; });
  return end;
}

Result<Position> Probe::end_of_log() {
  const std::lock_guard lock(mutex_);
  TRY(end, ask());
  TRY_DO(source_->heartbeat());
  return end;
}

void Probe::run(const std::stop_token& stop) {
  Wakeup never;
  moved_at_ = around_.clock.monotonic();
  while (!stop.stop_requested()) {
    {
      const std::lock_guard lock(mutex_);
      const Result<Position> end = ask();
      if (end.ok()) keep_moving(end.value(), around_.clock.monotonic());
    }
    never.wait(stop, look_period);
  }
}

void Probe::keep_moving(const Position& end, std::chrono::nanoseconds now) {
  const std::optional<Position> received = board_.read().received;
  if (received != received_ || (received && *received >= end)) moved_at_ = now;
  received_ = received;
  if (now - moved_at_ < idle_max) return;
  moved_at_ = now;
  static_cast<void>(source_->heartbeat());  // it comes again in ten seconds
}

}  // namespace lockstep::runtime
