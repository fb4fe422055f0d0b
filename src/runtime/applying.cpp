#include "runtime/applying.hpp"

#include <algorithm>
#include <utility>

// One thread owns the destination and goes round: take back copied units, publish, apply, tell the board. Rows of a copy
// are loaded by a worker meanwhile; nothing else of the destination may be asked while the applier has a step open.
// After an error that ends by itself the destination is opened again, and it alone says what has happened.
namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds slow_work_period{250};  // sizes, ages, trimming: nothing that is needed per batch

}  // namespace

Status open_shared(SharedDestination& shared, const destination::MirrorIdentity& identity) {
  const std::unique_lock alone(shared.in_use);
  if (shared.is_open) return Done{};
  const Status opened = shared.opened.writer->open(identity);
  if (!opened.ok()) return with_context(opened.error(), "destination " + shared.address);
  shared.is_open = true;
  return Done{};
}

void close_shared(SharedDestination& shared) {
  if (shared.opened.queries != nullptr) shared.opened.queries->cancel_queries();
  const std::unique_lock alone(shared.in_use);
  shared.opened.writer->close();
  shared.is_open = false;
}

Applying::Applying(Parts parts, Options options)
    : parts_(parts), options_(std::move(options)), tables_(options_.tables, options_.wanted) {}

Status Applying::run(const std::stop_token& stop) {
  Wakeup never;
  while (true) {
    const Status worked = work(stop);
    if (worked.ok() && std::exchange(begin_again_, false)) continue;
    if (worked.ok()) return worked;
    if (stop.stop_requested() || retry_for(worked.error().kind) != Retry::later) return worked;
    say_once(worked.error());
    parts_.join_waits = false;
    close_shared(parts_.destination);
    never.wait(stop, backoff_.failed());
    if (stop.stop_requested()) return Done{};
  }
}

void Applying::say_once(const Error& why) {
  if (said_why_) return;
  said_why_ = true;
  parts_.around.log.warn("destination_waited_for", {{"kind", name_of(why.kind)}, {"why", to_text(why)}});
  parts_.board.update([&](MirrorStatus& status) { status.error = to_text(why); });
}

Status Applying::work(const std::stop_token& stop) {
  TRY_DO(open_shared(parts_.destination, options_.identity));
  std::vector<TableId> left_out;
  for (const source::Table& table : options_.tables) {
    const TableId id = table.shape.table;
    if (std::find(options_.wanted.begin(), options_.wanted.end(), id) == options_.wanted.end()) left_out.push_back(id);
  }
  destination::Destination& destination = *parts_.destination.opened.writer;
  Round round{{destination,
               parts_.journal,
               *parts_.source.decoders,
               {options_.limits, options_.wanted, left_out, options_.slot_start}},
              {{*parts_.source.snapshots, destination, parts_.journal, parts_.bell, parts_.around}, options_.copying},
              {}};
  options_.copying.slot_snapshot = nullptr;  // it serves the first group only
  options_.copying.id_prefix += "+";         // ids of groups never come again
  TRY_DO(begin(round));
  while (!stop.stop_requested() && !begin_again_) {
    if (parts_.paused) {
      stand_still(round, stop);
      continue;
    }
    TRY(did, advance(round));
    TRY_DO(slow_work(round));
    if (did == Did::nothing) wait(round, stop);
  }
  round.copying.settle();
  return Done{};
}

Status Applying::begin(Round& round) {
  TRY_DO(round.applier.open());
  const apply::CopyNeeds needs = apply::copy_needs(round.applier.contents(), options_.wanted);
  for (const TableId table : needs.to_drop) TRY_DO(parts_.destination.opened.writer->drop_hidden(table));
  if (round.applier.contents().shown) anything_loaded_ = true;
  for (const destination::CopyLedger& ledger : round.applier.contents().copies) {
    if (!ledger.done.empty()) anything_loaded_ = true;
  }
  TRY_DO(want_what_is_missing(round));
  if (said_why_) {
    said_why_ = false;
    parts_.around.log.info("destination_reached_again");
    parts_.board.update([](MirrorStatus& status) { status.error.clear(); });
  }
  return Done{};
}

copy::TableToCopy Applying::to_copy(TableId table) const {
  copy::TableToCopy wanted;
  wanted.table = table;
  for (const source::Table& known : options_.tables) {
    if (known.shape.table != table) continue;
    wanted.bytes = known.bytes;
    wanted.rows_estimated = known.rows_estimated;
  }
  return wanted;
}

Status Applying::want_what_is_missing(Round& round) {
  TRY_DO(round.applier.look_again());
  std::vector<copy::TableToCopy> wanted;
  for (const TableId table : apply::copy_needs(round.applier.contents(), options_.wanted).to_copy) {
    wanted.push_back(to_copy(table));
  }
  round.copying.want(std::move(wanted));
  round.publishing_waits_for_more = false;
  tables_.see(round.applier.contents());
  note_progress(round);
  return write_notes(round);
}

/// A table may be dropped between the moment it was chosen and the moment it is read. It holds nothing then: everything
/// of it lies in the stream behind its end.
Status Applying::forget_vanished(const std::vector<TableId>& to_copy) {
  if (to_copy.empty()) return Done{};
  const Result<std::vector<source::Table>> listed = parts_.source.setter->tables();
  if (!listed.ok()) return retry_for(listed.error().kind) == Retry::later ? Status(Done{}) : Status(listed.error());
  for (const TableId table : to_copy) {
    const bool is_there = std::any_of(listed.value().begin(), listed.value().end(),
                                      [&](const source::Table& one) { return one.shape.table == table; });
    if (is_there) continue;
    begin_again_ = true;
    std::erase(options_.wanted, table);
    const std::string name = tables_.leave_out(table, "was dropped before it was copied");
    parts_.around.log.warn("table_vanished", {{"table", name}});
  }
  if (!begin_again_) return Done{};
  return options_.remember_wanted(options_.wanted);
}

/// Tells readers of the copy how its tables stand, where that has changed.
Status Applying::write_notes(Round& round) {
  const std::vector<destination::TableNote> notes = tables_.take_notes();
  if (notes.empty()) return Done{};
  return round.applier.note(notes);
}

Result<Applying::Did> Applying::advance(Round& round) {
  round.look_again_at.reset();
  TRY(applied, apply(round));
  if (round.applier.step_is_open()) return Did::something;  // a large transaction goes on
  TRY(copied, copy(round));
  TRY(published, publish(round));
  const bool all_rest = applied == Did::nothing && copied == Did::nothing && published == Did::nothing;
  return all_rest ? Did::nothing : Did::something;
}

Result<Applying::Did> Applying::copy(Round& round) {
  if (round.copying.idle()) return Did::nothing;
  TRY(did, round.copying.advance());
  if (round.copying.anything_loaded()) anything_loaded_ = true;
  if (did == Copying::Did::nothing) return Did::nothing;
  tables_.see(round.copying.progress());
  if (did == Copying::Did::finished) {
    TRY_DO(want_what_is_missing(round));
    TRY_DO(forget_vanished(apply::copy_needs(round.applier.contents(), options_.wanted).to_copy));
  }
  if (!round.copying.unit_in_hand()) TRY_DO(write_notes(round));
  note_progress(round);
  return Did::something;
}

Result<Applying::Did> Applying::publish(Round& round) {
  parts_.join_waits = round.copying.idle() && round.applier.publish_waits();
  if (!round.copying.idle() || !round.applier.publish_waits()) return Did::nothing;
  if (round.publishing_waits_for_more) return Did::nothing;
  TRY(published, round.applier.publish());
  if (published.tables.empty()) {
    round.publishing_waits_for_more = !published.more;  // until the journal has more
    return published.more ? Did::something : Did::nothing;
  }
  tables_.see(round.applier.contents());
  parts_.around.log.info("tables_published", {{"tables", published.tables.size()},
                                              {"state_id", round.applier.contents().shown->state.value}});
  TRY_DO(write_notes(round));
  note_progress(round);
  return Did::something;
}

Result<Applying::Did> Applying::apply(Round& round) {
  TRY(progress, round.applier.advance(parts_.around.clock.monotonic()));
  round.look_again_at = progress.look_again_at;
  switch (progress.did) {
    case apply::Progress::Did::nothing:
    case apply::Progress::Did::folded: return Did::nothing;
    case apply::Progress::Did::wrote_chunk: return Did::something;
    case apply::Progress::Did::committed: break;
  }
  backoff_.succeeded();
  tables_.see(progress.tables);
  parts_.around.log.debug("batch_applied", {{"transactions", progress.transactions},
                                            {"state_id", round.applier.contents().shown->state.value}});
  note_progress(round);
  return Did::something;
}

void Applying::note_progress(Round& round) {
  const auto shown = round.applier.shown();
  const bool caught_up = round.applier.caught_up();
  std::vector<TableStatus> tables = tables_.list();
  const MirrorState state = state_of(tables, parts_.paused);
  parts_.board.update([&](MirrorStatus& status) {
    status.applied = shown;
    status.published = shown.has_value();
    status.tables = std::move(tables);
    status.state = state;
    if (caught_up) status.oldest_unapplied.reset();
  });
}

/// What is worth doing now and then only.
Status Applying::slow_work(Round& round) {
  const auto now = parts_.around.clock.monotonic();
  if (now < round.slow_work_due) return Done{};
  round.slow_work_due = now + slow_work_period;
  // While nothing is shown the journal keeps everything: any later snapshot can then be joined.
  if (round.copying.idle() && round.applier.contents().shown && !round.applier.step_is_open()) {
    TRY_DO(parts_.journal.release(round.applier.may_release()));
  }
  std::optional<UnixMicros> oldest;
  if (const auto& shown = round.applier.contents().shown; shown && !round.applier.caught_up()) {
    const Result<Commit> next = parts_.journal.commit_at(StateId{shown->state.value + 1});
    if (next.ok()) oldest = next.value().time;
  }
  parts_.board.update([&](MirrorStatus& status) { status.oldest_unapplied = oldest; });
  note_progress(round);
  return Done{};
}

/// Paused: the unit or batch in hand is finished, then the destination is left alone.
void Applying::stand_still(Round& round, const std::stop_token& stop) {
  parts_.join_waits = false;
  round.copying.settle();
  if (round.applier.step_is_open()) static_cast<void>(round.applier.look_again());  // an error shows when it goes on
  parts_.around.log.info("paused");
  note_progress(round);
  while (parts_.paused && !stop.stop_requested()) parts_.bell.wait(stop);
  if (stop.stop_requested()) return;
  parts_.around.log.info("resumed");
  note_progress(round);
}

void Applying::wait(Round& round, const std::stop_token& stop) {
  const auto now = parts_.around.clock.monotonic();
  std::chrono::nanoseconds due = round.slow_work_due;
  if (round.look_again_at) due = std::min(due, *round.look_again_at);
  if (const auto again = round.copying.look_again_at()) due = std::min(due, *again);
  if (parts_.bell.wait(stop, std::max(due - now, std::chrono::nanoseconds{0}))) round.publishing_waits_for_more = false;
  // The position goes on without changes, too; nobody else tells the board.
  if (round.applier.caught_up()) note_progress(round);
}

}  // namespace lockstep::runtime
