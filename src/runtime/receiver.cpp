#include "runtime/receiver.hpp"

#include <utility>
#include <variant>

#include "base/failpoint.hpp"
#include "runtime/wakeup.hpp"

// The receiver never waits for the disk: the syncer makes durable what was written here. What is durable is
// acknowledged between two messages, because a ChangeSource belongs to one thread. After any error of the source the
// connection is made anew and asked for everything after the last durable position; what was written beyond it comes a
// second time, and the journal drops it.
namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds wait_when_idle{500};      // bounds how long a stop takes
constexpr std::chrono::milliseconds wait_to_acknowledge{10};  // something written is not acknowledged yet
constexpr std::chrono::seconds keep_alive_period{1};          // far below any server's timeout
constexpr std::chrono::milliseconds room_period{200};         // between two questions about the disk

}  // namespace

Receiver::Receiver(Parts parts, source::Setup setup, Position slot_start, std::chrono::milliseconds busy_wait_max)
    : parts_(parts),
      setup_(std::move(setup)),
      slot_start_(slot_start),
      busy_until_(parts.around.clock.monotonic() + busy_wait_max) {}

Receiver::End Receiver::run(const std::stop_token& stop) {
  Wakeup never;
  while (true) {
    const Status followed = follow(stop);
    parts_.changes.close();
    if (stop.stop_requested()) return {};
    CHECK(!followed.ok());  // it only ends by an error or a stop
    if (journal_broken_ || !may_try_again(followed.error())) return {followed.error(), journal_broken_};
    if (!said_why_) {
      said_why_ = true;
      parts_.around.log.warn("source_waited_for",
                             {{"kind", name_of(followed.error().kind)}, {"why", to_text(followed.error())}});
      parts_.board.update([&](MirrorStatus& status) { status.error = to_text(followed.error()); });
    }
    never.wait(stop, backoff_.failed());
  }
}

bool Receiver::may_try_again(const Error& error) {
  if (retry_for(error.kind) != Retry::later) return false;
  return error.kind != ErrorKind::busy || ever_received_ || parts_.around.clock.monotonic() < busy_until_;
}

Status Receiver::follow(const std::stop_token& stop) {
  journal::Recorder recorder(parts_.journal);
  const Position from = parts_.journal.durable().through.value_or(slot_start_);
  TRY_DO(parts_.changes.start(setup_, from));
  parts_.around.log.info("receiving_started", {{"slot", setup_.slot}, {"from", to_text(from)}});
  if (const Status begun = recorder.begin_connection(); !begun.ok()) {
    journal_broken_ = true;
    return begun;
  }
  while (!stop.stop_requested()) {
    TRY_DO(wait_for_room(stop));
    const bool owing = parts_.journal.dirty() || parts_.journal.durable().through != acknowledged_;
    TRY(message, parts_.changes.next(owing ? wait_to_acknowledge : wait_when_idle));
    const Status recorded = recorder.take(message);
    if (!recorded.ok()) {
      journal_broken_ = true;
      return recorded;
    }
    if (!std::holds_alternative<NothingYet>(message)) parts_.syncer.written();
    TRY_DO(acknowledge());
    if (!ever_received_ || said_why_) note_contact();
  }
  return Done{};
}

Status Receiver::acknowledge() {
  const std::optional<Position> through = parts_.journal.durable().through;
  if (!through || through == acknowledged_) return Done{};
  FAILPOINT("ack.before");
  TRY_DO(parts_.changes.acknowledge(*through));
  acknowledged_ = through;
  FAILPOINT("ack.after");
  return Done{};
}

void Receiver::note_contact() {
  ever_received_ = true;
  backoff_.succeeded();
  if (!said_why_) return;
  said_why_ = false;
  parts_.around.log.info("source_reached_again");
  parts_.board.update([](MirrorStatus& status) { status.error.clear(); });
}

/// A table that waits for its mark keeps the journal from forgetting, and the mark is still to be received: standing at the
/// limit would be for ever. The mark was written when the copy began, so it cannot be far.
bool Receiver::has_room(std::string& why) const { return parts_.join_waits || parts_.journal.has_room(&why); }

Status Receiver::wait_for_room(const std::stop_token& stop) {
  const auto now = parts_.around.clock.monotonic();
  if (now - room_asked_ < room_period) return Done{};
  room_asked_ = now;
  std::string why;
  if (has_room(why)) return Done{};
  parts_.around.log.warn("receiving_paused", {{"why", why}});
  parts_.board.update([&](MirrorStatus& status) { status.error = "receiving waits: " + why; });
  Wakeup never;
  while (!stop.stop_requested() && !has_room(why)) {
    TRY_DO(parts_.changes.keep_alive());
    TRY_DO(acknowledge());
    never.wait(stop, keep_alive_period);
  }
  parts_.around.log.info("receiving_resumed");
  parts_.board.update([](MirrorStatus& status) { status.error.clear(); });
  return Done{};
}

}  // namespace lockstep::runtime
