#include "runtime/copying.hpp"

#include <utility>

// A unit is loaded on a worker while the group, which belongs to one thread, stays here. One unit at a time: it is read
// by several streams side by side, and the destination commits one unit after another anyway.
namespace lockstep::runtime {
namespace {

constexpr std::chrono::milliseconds snapshot_retry{50};  // until the snapshot shows all that it must (H3)

}  // namespace

Copying::Copying(Parts parts, Options options) : parts_(parts), options_(std::move(options)) {}

Copying::~Copying() { settle(); }

void Copying::want(std::vector<copy::TableToCopy> tables) {
  CHECK(idle());
  wanted_ = std::move(tables);
}

std::vector<copy::TableProgress> Copying::progress() const {
  return group_ ? group_->progress() : std::vector<copy::TableProgress>{};
}

void Copying::settle() {
  if (!in_flight_) return;
  while (!worker_.idle_within(std::chrono::hours{1})) {}
}

void Copying::wait_a_little(const Error& why) {
  not_before_ = parts_.around.clock.monotonic() + backoff_.failed();
  if (said_why_) return;
  said_why_ = true;
  parts_.around.log.warn("copy_waits", {{"kind", name_of(why.kind)}, {"why", to_text(why)}});
}

Result<Copying::Did> Copying::advance() {
  if (std::optional<Outcome> outcome = finished_unit()) return take_outcome(std::move(*outcome));
  if (in_flight_ || idle()) return Did::nothing;
  if (not_before_) {
    if (parts_.around.clock.monotonic() < *not_before_) return Did::nothing;
    not_before_.reset();
  }
  if (!group_) return begin_group();
  if (std::optional<copy::Unit> unit = group_->next_unit()) {
    load(std::move(*unit));
    return Did::something;
  }
  if (group_->complete()) parts_.around.log.info("copy_completed", {{"tables", group_->progress().size()}});
  if (!group_->left().empty()) not_before_ = parts_.around.clock.monotonic() + backoff_.failed();
  group_.reset();
  wanted_.clear();
  return Did::finished;
}

Result<Copying::Did> Copying::begin_group() {
  copy::GroupRequest request;
  request.id = options_.id_prefix + "-" + std::to_string(++groups_);
  request.tables = wanted_;
  request.slot_snapshot = std::exchange(options_.slot_snapshot, nullptr);
  request.slot_visible = options_.slot_visible;
  Result<std::optional<copy::CopyGroup>> opened =
      copy::CopyGroup::open(parts_.source, parts_.journal, std::move(request));
  if (!opened.ok()) {
    if (retry_for(opened.error().kind) != Retry::later) return opened.error();
    wait_a_little(opened.error());
    return Did::nothing;
  }
  if (!opened.value()) {
    not_before_ = parts_.around.clock.monotonic() + snapshot_retry;
    return Did::nothing;
  }
  group_ = std::move(*opened.value());
  TRY_DO(group_->create_hidden(parts_.destination));
  parts_.around.log.info("copy_started", {{"tables", wanted_.size()}, {"snapshot", to_text(group_->visible())}});
  return Did::something;
}

void Copying::load(copy::Unit unit) {
  in_flight_ = true;
  worker_.submit([this, unit = std::move(unit), snapshot = group_->share_snapshot()] {
    Result<destination::CopyCounts> counts =
        copy::load_unit(parts_.source, parts_.destination, *snapshot, unit, options_.streams);
    const std::lock_guard lock(mutex_);
    outcome_.emplace(Outcome{unit, std::move(counts)});
    parts_.bell.ring();
  });
}

std::optional<Copying::Outcome> Copying::finished_unit() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcome_, std::nullopt);
}

Result<Copying::Did> Copying::take_outcome(Outcome outcome) {
  in_flight_ = false;
  if (!outcome.counts.ok()) return take_setback(outcome.unit, outcome.counts.error());
  anything_loaded_ = true;
  said_why_ = false;
  backoff_.succeeded();
  TRY(table_is_complete, group_->loaded(outcome.unit, outcome.counts.value()));
  if (table_is_complete) {
    parts_.around.log.info("table_copied", {{"table", to_text(outcome.unit.plan->shape.name)}});
  }
  return Did::something;
}

Result<Copying::Did> Copying::take_setback(const copy::Unit& unit, const Error& why) {
  TRY(setback, group_->failed(parts_.destination, unit, why));
  const std::string table = to_text(setback.table);
  switch (setback.what) {
    case copy::Setback::What::again:
      if (retry_for(why.kind) == Retry::later) wait_a_little(why);
      break;
    case copy::Setback::What::was_loaded:
    case copy::Setback::What::ignored: break;
    case copy::Setback::What::widened:
      parts_.around.log.warn("column_widened", {{"table", table}, {"column", setback.column}, {"why", to_text(why)}});
      break;
    case copy::Setback::What::table_again:
      parts_.around.log.warn("table_copied_again", {{"table", table}, {"why", to_text(why)}});
      break;
    case copy::Setback::What::group_over:
      parts_.around.log.warn("snapshot_lost", {{"why", to_text(why)}});
      not_before_ = parts_.around.clock.monotonic() + backoff_.failed();
      group_.reset();
      wanted_.clear();
      return Did::finished;
    case copy::Setback::What::failed: return setback.why;
  }
  return Did::something;
}

}  // namespace lockstep::runtime
