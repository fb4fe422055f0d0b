#include "runtime/session.hpp"

#include <random>
#include <utility>

#include "runtime/patience.hpp"

namespace lockstep::runtime {
namespace {

/// Ids of copy groups must never come again, also not in a later process.
std::string fresh_prefix(const Surroundings& around) {
  std::random_device chance;
  return std::to_string(around.clock.wall().count()) + "-" + std::to_string(chance());
}

Applying::Options applying_options(Ready& ready, const MirrorOptions& options, Record& record,
                                   const Surroundings& around) {
  Applying::Options applying;
  applying.identity = {ready.mirror.name, ready.mirror.source_identity};
  applying.tables = ready.tables;
  applying.wanted = ready.mirror.tables;
  applying.limits.bytes_max = options.batch_bytes_max;
  applying.slot_start = *ready.mirror.slot_start;
  applying.remember_wanted = [&ready, &record](const std::vector<TableId>& wanted) {
    ready.mirror.tables = wanted;
    return record.change([&](catalog::Mirror& mirror) { mirror.tables = wanted; });
  };
  applying.copying.streams = options.copy_workers;
  applying.copying.id_prefix = fresh_prefix(around);
  applying.copying.slot_snapshot = std::exchange(ready.slot_snapshot, nullptr);
  applying.copying.slot_visible = ready.mirror.slot_visible;
  return applying;
}

}  // namespace

void Session::fall(std::optional<Error> error, bool journal_broken) {
  const std::lock_guard lock(mutex_);
  if (!end_) end_ = End{std::move(error), journal_broken, false};
  ended_.notify_all();
}

void Session::note_durable() {
  const journal::Durable durable = journal_.durable();
  parts_.board.update([&](MirrorStatus& status) {
    status.received = durable.through;
    status.journal_state = durable.last;
    status.journal_bytes = journal_.bytes();
  });
  parts_.bell.ring();
}

void Session::wait_for_end(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  ended_.wait(lock, stop, [&] { return end_.has_value(); });
}

Session::End Session::run(Parts parts, journal::Journal& journal, Ready& ready, const MirrorOptions& options,
                          std::chrono::milliseconds hold_receiving, const std::stop_token& stop) {
  Session session(parts, journal);
  session.note_durable();
  Applying applying({parts.source, journal, parts.destination, parts.board, parts.bell, parts.paused,
                     session.join_waits_, parts.around},
                    applying_options(ready, options, parts.record, parts.around));
  Syncer syncer(
      journal, [&] { session.note_durable(); }, [&](const Error& error) { session.fall(error, true); });
  Receiver receiver({*parts.source.changes, journal, syncer, parts.board, session.join_waits_, parts.around},
                    setup_of(ready.mirror), *ready.mirror.slot_start, predecessor_wait);
  std::jthread applying_thread([&](const std::stop_token& asked) {
    const Status ended = applying.run(asked);
    if (!ended.ok()) session.fall(ended.error(), false);
  });
  std::jthread receiving_thread([&](const std::stop_token& asked) {
    Wakeup never;
    never.wait(asked, hold_receiving);
    Receiver::End end = receiver.run(asked);
    if (end.error) session.fall(std::move(end.error), end.journal_broken);
  });
  session.wait_for_end(stop);
  applying_thread.request_stop();
  receiving_thread.request_stop();
  applying_thread.join();
  receiving_thread.join();
  End end = session.end_.value_or(End{});
  end.anything_loaded = applying.anything_loaded();
  return end;
}

}  // namespace lockstep::runtime
