#include "apply/applier.hpp"

#include <algorithm>
#include <utility>

#include "apply/start_check.hpp"
#include "base/check.hpp"
#include "base/failpoint.hpp"  // tidy: allow pure (its steps are made here; it acts only when a test asks for it)
#include "destination/fence.hpp"

// Problem: exactly once, through a crash at any instant and through answers that get lost.
// Idea: rows and position move in one Step of the destination, so its own contents say what has been applied. After any
// error nobody knows what a step has done: the batch in memory is thrown away, the destination is asked, and the journal
// is folded again from there.
// States: looking (must_look_) -> folding -> [chunks of a large transaction, step_ open] -> committing -> folding.
// Durable: nothing here. A transaction that cannot be applied blocks the lane: what was folded before it is folded again
// without it and committed, then its error is given.

namespace lockstep::apply {
namespace {

using Did = Progress::Did;

/// The fault lies in a transaction itself: what came before it can be applied.
bool blames_transaction(ErrorKind kind) {
  return kind == ErrorKind::unsupported || kind == ErrorKind::bad_data || kind == ErrorKind::unexpected;
}

Error explained(Error error) {
  if (error.kind != ErrorKind::does_not_fit) return error;
  error.what = "a changed value does not fit its column's type, and a live table's column cannot be widened yet";
  error.remedy = "drop the mirror and copy again with --type " + error.table + "." + error.column + "=text";
  return error;
}

}  // namespace

Applier::Applier(destination::Destination& destination, journal::Journal& journal, const DecoderFactory& decoders,
                 ApplierOptions options)
    : destination_(destination), journal_(journal), decoders_(decoders), options_(std::move(options)) {}

Applier::~Applier() = default;

Status Applier::open() { return look_again(); }

Status Applier::look_again() {
  must_look_ = true;
  return settle();
}

/// Makes sure that we know what the destination holds.
Status Applier::settle() {
  if (!must_look_) return Done{};
  forget_batch();
  lane_.reset();
  search_.reset();
  TRY(contents, destination_.contents());
  if (has_looked_) TRY_DO(check_nobody_else_moved_it(contents.shown, contents_.shown, attempted_));
  TRY_DO(compare_with_journal(contents, journal_, options_.start));
  contents_ = std::move(contents);
  has_looked_ = true;
  attempted_.reset();
  publish_waits_ = !ready_to_join().empty();
  TRY_DO(start_lane());
  must_look_ = false;
  return Done{};
}

void Applier::forget_batch() {
  step_.reset();
  batch_transactions_ = 0;
  batch_since_.reset();
}

Status Applier::start_lane() {
  forget_batch();
  lane_.reset();
  if (!contents_.shown) return Done{};
  auto lane = std::make_unique<Lane>(journal_, decoders_);
  for (const destination::LiveTable& table : contents_.live) TRY_DO(lane->add_live(table));
  for (const TableId table : options_.wanted) lane->ignore(table);  // but for the live ones
  for (const TableId table : options_.left_out) lane->ignore(table);
  TRY_DO(lane->start_after(contents_.shown->state));
  lane_ = std::move(lane);
  return Done{};
}

Result<Progress> Applier::advance(std::chrono::nanoseconds now) {
  TRY_DO(settle());
  if (lane_ == nullptr) return Progress{};
  return fold_until_due(now);
}

Result<Progress> Applier::fold_until_due(std::chrono::nanoseconds now) {
  while (may_take()) {
    const Result<Lane::Took> took = lane_->take();
    if (!took.ok()) {
      if (!blames_transaction(took.error().kind)) return failed(took.error());
      const std::uint64_t state = lane_->at().value + (lane_->inside_transaction() ? 0 : 1);
      blocked_ = Blocked{StateId{state}, took.error()};
      if (const Status again = start_lane(); !again.ok()) return failed(again.error());
      continue;
    }
    if (took.value() == Lane::Took::nothing) break;
    if (!batch_since_) batch_since_ = now;
    if (took.value() == Lane::Took::end_of_transaction) {
      ++batch_transactions_;
      if (should_end(pending(now, true), options_.limits)) return commit_batch();
    } else if (chunk_is_full(lane_->bytes(), options_.limits)) {
      return write_chunk();
    }
  }
  return rest(now);
}

bool Applier::may_take() const {
  return !blocked_ || lane_->inside_transaction() || lane_->at().value + 1 < blocked_->state.value;
}

PendingBatch Applier::pending(std::chrono::nanoseconds now, bool more_waiting) const {
  PendingBatch batch;
  batch.transactions = batch_transactions_;
  batch.changes = lane_->changes();
  batch.bytes = lane_->bytes();
  batch.age = batch_since_ ? now - *batch_since_ : std::chrono::nanoseconds{0};
  batch.more_waiting = more_waiting;
  // What a chunk has already written must not wait for its age.
  if (step_ != nullptr) batch.age = std::max(batch.age, options_.limits.age_max);
  return batch;
}

/// Nothing more can be folded now.
Result<Progress> Applier::rest(std::chrono::nanoseconds now) {
  CHECK(!lane_->inside_transaction());
  if (batch_transactions_ == 0) {
    if (blocked_ && !may_take()) return blocked_->why;
    return move_position(now);
  }
  if (blocked_ || should_end(pending(now, false), options_.limits)) return commit_batch();
  Progress progress;
  progress.did = Did::folded;
  progress.look_again_at = *batch_since_ + options_.limits.age_max;
  return progress;
}

Result<Progress> Applier::write_chunk() {
  TRY_DO(ensure_step());
  if (const Status wrote = lane_->write(*step_); !wrote.ok()) return failed(explained(wrote.error()));
  if (const Status passed = pass_failpoint(failpoint_index("apply.chunk_written")); !passed.ok()) {
    return failed(passed.error());
  }
  Progress progress;
  progress.did = Did::wrote_chunk;
  return progress;
}

Result<Progress> Applier::commit_batch() {
  TRY_DO(ensure_step());
  if (const Status wrote = lane_->write(*step_); !wrote.ok()) return failed(explained(wrote.error()));
  const Commit& last = lane_->commit();
  TRY_DO(commit(with_newest_position({last.state, last.end, last.time})));
  Progress progress;
  progress.did = Did::committed;
  progress.transactions = batch_transactions_;
  progress.tables = lane_->take_counts();
  forget_batch();
  return progress;
}

/// The source's log may go on without changes of ours. That becomes visible at once in `shown`, and durable now and then.
Result<Progress> Applier::move_position(std::chrono::nanoseconds now) {
  Progress progress;
  const destination::Shown newest = with_newest_position(*contents_.shown);
  if (newest.position == contents_.shown->position) {
    position_due_.reset();
    return progress;
  }
  if (!position_due_) position_due_ = now + options_.limits.position_age_max;
  progress.look_again_at = *position_due_;
  if (now < *position_due_) return progress;
  position_due_.reset();
  progress.look_again_at.reset();
  TRY_DO(ensure_step());
  TRY_DO(commit(newest));
  forget_batch();
  progress.did = Did::committed;
  return progress;
}

Status Applier::ensure_step() {
  if (step_ != nullptr) return Done{};
  Result<std::unique_ptr<destination::Step>> step = destination_.begin(contents_.shown);
  if (!step.ok()) return failed(step.error());
  step_ = std::move(step).value();
  return Done{};
}

Status Applier::commit(const destination::Shown& now) {
  if (const Status passed = pass_failpoint(failpoint_index("apply.before_commit")); !passed.ok()) {
    return failed(passed.error());
  }
  attempted_ = now;
  if (const Status committed = step_->commit(now); !committed.ok()) return failed(committed.error());
  if (const Status passed = pass_failpoint(failpoint_index("apply.after_commit")); !passed.ok()) {
    return failed(passed.error());
  }
  contents_.shown = now;
  attempted_.reset();
  return Done{};
}

Error Applier::failed(Error error) {
  must_look_ = true;
  forget_batch();
  return error;
}

/// When everything received is applied, the position is as far as the source is known to hold no more of ours.
destination::Shown Applier::with_newest_position(destination::Shown shown) const {
  const journal::Durable durable = journal_.durable();
  if (durable.last == shown.state && durable.through && *durable.through > shown.position) {
    shown.position = *durable.through;
  }
  return shown;
}

std::optional<destination::Shown> Applier::shown() const {
  if (!contents_.shown) return std::nullopt;
  return with_newest_position(*contents_.shown);
}

bool Applier::caught_up() const { return contents_.shown && contents_.shown->state == journal_.durable().last; }

Status Applier::note(std::span<const destination::TableNote> notes) {
  TRY_DO(settle());
  CHECK(step_ == nullptr);
  TRY_DO(ensure_step());
  Status noted = step_->note(notes);
  if (noted.ok()) noted = step_->commit_unshown();
  step_.reset();
  if (!noted.ok()) return failed(noted.error());
  return Done{};
}

}  // namespace lockstep::apply
