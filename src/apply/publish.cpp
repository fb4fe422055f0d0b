#include <algorithm>

#include "apply/applier.hpp"
#include "base/check.hpp"
#include "base/failpoint.hpp"  // tidy: allow pure (its steps are made here; it acts only when a test asks for it)
#include "destination/fence.hpp"

// The applier's other work: complete hidden tables become visible (docs/copy-join-publish.md).
// A hidden table stands at "all J[1..applied], plus what its snapshot shows". It may be published at state P once all
// that its snapshot shows has been received and none of it lies after P: then (applied, P] minus what is visible is
// applied to it, and it is exactly the source's table at P. Live tables stand at P already, so nothing else moves.

namespace lockstep::apply {

std::vector<destination::CopyLedger> Applier::ready_to_join() const {
  std::vector<destination::CopyLedger> ready;
  for (const destination::CopyLedger& copy : contents_.copies) {
    const bool wanted = std::find(options_.wanted.begin(), options_.wanted.end(), copy.table) != options_.wanted.end();
    if (wanted && destination::is_complete(copy)) ready.push_back(copy);
  }
  return ready;
}

Result<Published> Applier::publish() {
  TRY_DO(settle());
  CHECK(step_ == nullptr);
  std::vector<destination::CopyLedger> ready = ready_to_join();
  const bool first = !contents_.shown;
  if (ready.empty() || (first && ready.size() < options_.wanted.size())) return Published{};
  if (search_ == nullptr) search_ = std::make_unique<JoinSearch>(journal_, ready);
  Result<bool> found = search_->find();
  if (!found.ok()) return failed(found.error());
  StateId at;
  for (const destination::CopyLedger& copy : ready) at = std::max(at, search_->point(copy.table).earliest());
  if (first && !found.value()) return Published{};
  if (!first) {
    at = contents_.shown->state;
    std::erase_if(ready, [&](const destination::CopyLedger& copy) {
      const JoinPoint& point = search_->point(copy.table);
      return !point.received_mark() || point.earliest() > at;
    });
  }
  return ready.empty() ? Published{} : publish_or_catch_up(ready, at);
}

Result<Published> Applier::publish_or_catch_up(const std::vector<destination::CopyLedger>& ready, StateId at) {
  TRY(now, shown_at(at));
  Lane lane(journal_, decoders_);
  StateId from = at;
  for (const destination::CopyLedger& copy : ready) {
    TRY_DO(lane.add_hidden(copy));
    from = std::min(from, copy.applied);
  }
  for (const destination::LiveTable& live : contents_.live) lane.ignore(live.shape.table);
  for (const TableId table : options_.wanted) lane.ignore(table);
  for (const TableId table : options_.left_out) lane.ignore(table);
  if (const Status started = lane.start_after(from); !started.ok()) return failed(started.error());

  TRY_DO(ensure_step());
  const Result<bool> whole = fold_hidden(lane, at);
  if (!whole.ok()) return failed(whole.error());
  Published published;
  if (!whole.value()) {
    TRY_DO(finish_catch_up(ready, lane.at()));
    published.more = true;
    return published;
  }
  TRY_DO(finish_publish(ready, now));
  for (const destination::CopyLedger& copy : ready) published.tables.push_back(copy.table);
  return published;
}

/// Writes what the hidden tables lack up to `upto`. False: one batch is in, there is more; it ends short of every mark.
Result<bool> Applier::fold_hidden(Lane& lane, StateId upto) {
  StateId limit = upto;
  for (const destination::CopyLedger& copy : ready_to_join()) {
    if (lane.has(copy.table)) limit = std::min(limit, search_->point(copy.table).catch_up_limit());
  }
  while (lane.at() < upto || lane.inside_transaction()) {
    TRY(took, lane.take());
    CHECK(took != Lane::Took::nothing);  // `upto` is durable
    if (chunk_is_full(lane.bytes(), options_.limits)) TRY_DO(lane.write(*step_));
    const bool batch_is_large = lane.changes() >= options_.limits.changes_behind;
    if (batch_is_large && took == Lane::Took::end_of_transaction && lane.at() < upto && lane.at() <= limit) {
      TRY_DO(lane.write(*step_));
      return false;
    }
  }
  TRY_DO(lane.write(*step_));
  return true;
}

Status Applier::finish_catch_up(const std::vector<destination::CopyLedger>& ready, StateId reached) {
  Status moved = Done{};
  for (const destination::CopyLedger& copy : ready) {
    if (moved.ok() && copy.applied < reached) moved = step_->advance_hidden(copy.table, reached);
  }
  if (moved.ok()) moved = step_->commit_unshown();
  step_.reset();
  if (!moved.ok()) return failed(moved.error());
  for (destination::CopyLedger& copy : contents_.copies) {
    const bool ours = std::any_of(ready.begin(), ready.end(), [&](const auto& one) { return one.table == copy.table; });
    if (ours) copy.applied = std::max(copy.applied, reached);
  }
  return Done{};
}

Status Applier::finish_publish(const std::vector<destination::CopyLedger>& ready, const destination::Shown& at) {
  std::vector<destination::TableNote> notes;
  Status done = Done{};
  for (const destination::CopyLedger& copy : ready) {
    if (done.ok()) done = step_->publish(copy.table);
    notes.push_back({copy.shape.name, destination::TableState::live, std::nullopt, ""});
  }
  if (done.ok()) done = step_->note(notes);
  if (done.ok()) done = pass_failpoint(failpoint_index("publish.before_commit"));
  if (!done.ok()) return failed(done.error());
  attempted_ = at;
  done = step_->commit(at);
  if (done.ok()) done = pass_failpoint(failpoint_index("publish.after_commit"));
  if (!done.ok()) return failed(done.error());
  // The main lane has more tables now. If this look fails, the next call looks again.
  const Status looked = look_again();
  must_look_ = must_look_ || !looked.ok();
  return Done{};
}

Result<destination::Shown> Applier::shown_at(StateId state) const {
  if (contents_.shown) return with_newest_position(*contents_.shown);
  if (state.value == 0) return destination::Shown{state, options_.start, {}};
  TRY(commit, journal_.commit_at(state));
  return destination::Shown{state, commit.end, commit.time};
}

}  // namespace lockstep::apply
