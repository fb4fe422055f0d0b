#include "checks.hpp"

#include <algorithm>

#include "destination/fence.hpp"

namespace lockstep::sim {
namespace {

Lsn lsn_of(const Position& position) { return std::get<PgPosition>(position).end; }

std::string join(const Rows& rows) {
  std::string text = "{";
  for (const std::string& row : rows) text += " (" + row + ")";
  return text + " }";
}

Rows sorted_texts(const std::vector<destination::MemoryRow>& rows) {
  Rows texts;
  for (const destination::MemoryRow& row : rows) {
    std::string text;
    for (const std::string& value : row) text += (text.empty() ? "" : "|") + value;
    texts.push_back(std::move(text));
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

std::string difference(const std::string& what, const Rows& have, const Rows& want) {
  return what + ": destination " + join(have) + ", source " + join(want);
}

}  // namespace

void Checks::after_step(const Engine* engine) {
  shown_state_is_true();
  if (engine == nullptr || engine->journal() == nullptr) return;
  auto& journal = const_cast<journal::Journal&>(*engine->journal());  // reading calls of it are not const
  if (journal_is_the_commit_order(journal)) acknowledged_is_durable();
  nothing_needed_is_forgotten(journal);
  if (engine->started()) complete_copies_are_true(*engine->applier());
}

// ---- promise 1: only true states

void Checks::shown_state_is_true() {
  const auto& shown = world_.destination.shown();
  if (!shown) {
    if (!world_.destination.table_names().empty()) broken("a table is visible, but no state is");
    return;
  }
  position_never_goes_back(*shown);
  state_names_one_commit(*shown);
  tables_equal_truth(world_.server.truth_at(lsn_of(shown->position)));
}

void Checks::position_never_goes_back(const destination::Shown& shown) {
  if (last_shown_ && (shown.state < last_shown_->state || shown.position < last_shown_->position)) {
    broken("the position went back from state " + std::to_string(last_shown_->state.value));
  }
  last_shown_ = shown;
}

// A position may move on under one state id, over commits that change nothing of ours.
void Checks::state_names_one_commit(const destination::Shown& shown) {
  const Lsn at = lsn_of(shown.position);
  const Lsn first = shown_at_.try_emplace(shown.state, at).first->second;
  for (const Truth& truth : world_.server.truths()) {
    if (truth.end > first && truth.end <= at && changes_ours(truth)) {
      broken("state " + std::to_string(shown.state.value) + " named two commits");
    }
  }
  const auto commit = commits_.find(shown.state);
  if (commit != commits_.end() && at < commit->second) broken("the position shown lies before its state's commit");
}

void Checks::tables_equal_truth(const Truth& truth) {
  for (std::size_t i = 0; i < world_.server.tables().size(); ++i) {
    const SimTable& table = world_.server.tables()[i];
    const auto rows = world_.destination.rows(table.shape.name);
    if (!rows) {
      if (table.first_copy)
        broken("table " + table.shape.name.table + " of the first copy is not visible with the others");
      continue;
    }
    const Rows have = sorted_texts(*rows);
    if (have != *truth.tables[i]) {
      const std::string where = " after commit " + std::to_string(truth.xid.value);
      broken(difference("table " + table.shape.name.table + where, have, *truth.tables[i]));
    }
  }
}

bool Checks::changes_ours(const Truth& truth) const {
  return std::any_of(truth.changes.begin(), truth.changes.end(), [&](const LoggedChange& change) {
    const auto ours = [&](std::size_t table) { return world_.server.tables()[table].published; };
    if (change.kind == ChangeKind::message) return false;
    if (change.kind == ChangeKind::truncate) return std::any_of(change.truncated.begin(), change.truncated.end(), ours);
    return ours(change.table);
  });
}

// ---- the journal

void Checks::after_open(const journal::Journal& journal) {
  const journal::Durable durable = journal.durable();
  if (!commits_.empty() && durable.last < commits_.rbegin()->first)
    broken("the journal has lost a commit that was durable");
  const Lsn through = durable.through ? lsn_of(*durable.through) : world_.server.slot_start();
  if (through < world_.server.confirmed()) broken("the source has forgotten more than the journal holds");
}

// Durable commits are the source's, in its order, without a gap, each under one number for good.
bool Checks::journal_is_the_commit_order(journal::Journal& journal) {
  const StateId last = journal.durable().last;
  StateId next = commits_.empty() ? StateId{1} : StateId{commits_.rbegin()->first.value + 1};
  for (; next <= last; ++next.value) {
    const Result<Commit> commit = journal.commit_at(next);
    if (!commit.ok() && commit.error().what.find("asked to fail") != std::string::npos) return false;
    if (!commit.ok()) broken("a durable commit cannot be read: " + to_text(commit.error()));
    if (!commit.ok()) return false;
    const Lsn end = lsn_of(commit.value().end);
    const Lsn before = commits_.empty() ? world_.server.slot_start() : commits_.rbegin()->second;
    if (end <= before) broken("the journal is out of the source's order");
    const Truth& truth = world_.server.truth_at(end);
    if (truth.end != end || truth.xid != commit.value().xid) broken("the journal holds a commit that never was");
    for (const Truth& skipped : world_.server.truths()) {
      if (skipped.end > before && skipped.end < end && changes_ours(skipped)) {
        broken("the journal lacks commit " + std::to_string(skipped.xid.value));
      }
    }
    commits_.emplace(next, end);
  }
  return true;
}

void Checks::acknowledged_is_durable() {
  const Lsn claimed = world_.changes.claimed();
  const Lsn last = commits_.empty() ? Lsn{0} : commits_.rbegin()->second;
  for (const Truth& truth : world_.server.truths()) {
    if (truth.end > std::max(last, world_.server.slot_start()) && truth.end <= claimed && changes_ours(truth)) {
      broken("commit " + std::to_string(truth.xid.value) + " was acknowledged and is not durable");
    }
  }
}

void Checks::nothing_needed_is_forgotten(const journal::Journal& journal) {
  const std::uint64_t forgotten = journal.first_held().value - 1;
  const auto& shown = world_.destination.shown();
  if (shown && shown->state.value < forgotten) broken("the journal has forgotten what the destination lacks");
}

// ---- the copy's invariant: true rows of "all J[1..applied], plus what the snapshot shows"

void Checks::complete_copies_are_true(const apply::Applier& applier) {
  for (const destination::CopyLedger& copy : applier.contents().copies) {
    // Seen first as it was copied; when it has caught up, that it is right shows once it is published.
    const std::string name = copy.snapshot + " " + to_text(copy.shape.name);
    const auto rows = world_.destination.hidden_rows(copy.table);
    if (!destination::is_complete(copy) || !rows || !checked_copies_.insert(name).second) continue;
    const Rows want = world_.server.truth_under(copy.visible, world_.server.table_of(copy.table));
    const Rows have = sorted_texts(*rows);
    if (have != want) broken(difference("hidden copy " + name, have, want));
  }
}

// ---- promise 2: everything, exactly once

void Checks::at_end() {
  shown_state_is_true();
  tables_equal_truth(world_.server.truths().back());
}

}  // namespace lockstep::sim
