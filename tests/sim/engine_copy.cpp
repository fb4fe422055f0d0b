#include <algorithm>
#include <utility>

#include "engine.hpp"

// The part of the driver that copies tables: groups, hidden tables, units in flight.

namespace lockstep::sim {

Status Engine::copy() {
  if (applier_->step_is_open()) return group_ && hidden_created_ ? load_one() : Status(Done{});
  if (must_look_ && (!group_ || hidden_created_)) return look_again();
  if (group_ && !hidden_created_) {
    must_look_ = true;  // whatever its answer, there may be new ones
    const Status created = group_->create_hidden(destination_);
    hidden_created_ = created.ok();
    return created.ok() ? look_again() : survive(created.error());
  }
  if (group_ && (group_->complete() || group_->over())) {
    group_.reset();
    in_flight_.clear();
    hidden_created_ = false;
    must_look_ = true;
    return look_again();
  }
  if (group_) {
    const bool failed =
        std::any_of(in_flight_.begin(), in_flight_.end(), [](const InFlight& one) { return one.failed; });
    return failed && world_.dice.one_in(2) ? settle_one() : load_one();
  }
  const apply::CopyNeeds needs = apply::copy_needs(applier_->contents(), wanted_);
  if (needs.to_copy.empty()) return Done{};
  return open_group(needs.to_copy);
}

// Only then is it known what may be published, and what the journal may forget.
Status Engine::look_again() {
  const Status looked = applier_->look_again();
  if (!looked.ok()) return survive(looked.error());
  must_look_ = false;
  copy_begins_ = false;
  return Done{};
}

Status Engine::open_group(const std::vector<TableId>& tables) {
  copy::GroupRequest request;
  request.id = "group " + std::to_string(++world_.notebook.groups);
  for (const TableId table : tables) request.tables.push_back({table, options_.table_bytes, -1, {}});
  request.slot_snapshot = std::exchange(world_.slot_snapshot, nullptr);  // it serves the first group only
  request.slot_visible = world_.notebook.slot_visible;
  request.trimmed = world_.notebook.trimmed;
  request.unit_bytes = options_.unit_bytes;
  if (flaw_ == Flaw::no_superset_check) {
    request.slot_visible.reset();
    request.trimmed.clear();
  }
  Result<std::optional<copy::CopyGroup>> opened =
      copy::CopyGroup::open(world_.snapshots, *journal_, std::move(request));
  if (!opened.ok()) return survive(opened.error());
  if (!opened.value()) {
    world_.record.reach(Probe::snapshot_not_enough);
    return Done{};
  }
  group_ = std::move(opened.value());
  if (world_.notebook.slot_visible && group_->visible() == *world_.notebook.slot_visible) {
    world_.record.reach(Probe::copied_under_slot_snapshot);
  }
  if (applier_->shown()) world_.record.reach(Probe::copy_beside_live);
  hidden_created_ = false;
  copy_begins_ = true;
  return Done{};
}

// Units are given out to several workers and come back in any order.
Status Engine::load_one() {
  while (in_flight_.size() < 3) {
    std::optional<copy::Unit> unit = group_->next_unit();
    if (!unit) break;
    in_flight_.push_back({std::move(*unit), std::nullopt});
  }
  const auto chosen = std::find_if(in_flight_.begin(), in_flight_.end(), [&](const InFlight& one) {
    return !one.failed && (&one == &in_flight_.back() || world_.dice.one_in(2));
  });
  if (chosen == in_flight_.end()) return Done{};
  const Result<destination::CopyCounts> loaded =
      copy::load_unit(world_.snapshots, destination_, group_->snapshot(), chosen->unit, 1 + world_.dice.below(2));
  if (!loaded.ok()) {
    chosen->failed = loaded.error();  // settled when the destination may be asked
    return Done{};
  }
  const copy::Unit unit = std::move(chosen->unit);
  in_flight_.erase(chosen);
  world_.record.reach(Probe::unit_loaded);
  const Result<bool> complete = group_->loaded(unit, loaded.value());
  return complete.ok() ? Status(Done{}) : survive(complete.error());
}

Status Engine::settle_one() {
  const auto failed =
      std::find_if(in_flight_.begin(), in_flight_.end(), [](const InFlight& one) { return one.failed; });
  const Result<copy::Setback> setback = group_->failed(destination_, failed->unit, *failed->failed);
  if (!setback.ok()) return survive(setback.error());  // asked again
  const Error why = *failed->failed;
  in_flight_.erase(failed);
  note(setback.value());
  return setback.value().what == copy::Setback::What::failed ? survive(why) : Status(Done{});
}

void Engine::note(const copy::Setback& setback) {
  switch (setback.what) {
    case copy::Setback::What::was_loaded: return world_.record.reach(Probe::unit_answer_lost);
    case copy::Setback::What::table_again: return world_.record.reach(Probe::table_copied_again);
    case copy::Setback::What::group_over: return world_.record.reach(Probe::group_over);
    case copy::Setback::What::again:
    case copy::Setback::What::ignored:
    case copy::Setback::What::widened:
    case copy::Setback::What::failed: return;
  }
}

}  // namespace lockstep::sim
