#include "destination/memory/step.hpp"

#include "destination/fence.hpp"

namespace lockstep::destination {
namespace {

Status write_to(std::shared_ptr<const MemoryTable>& table, const TableBatch& batch) {
  MemoryTable changed = *table;
  TRY_DO(changed.write(batch));
  table = std::make_shared<const MemoryTable>(std::move(changed));
  return Done{};
}

}  // namespace

MemoryStep::MemoryStep(MemoryDestination& owner) : owner_(owner), work_(owner.durable_), life_(owner.life_) {
  owner_.step_ = this;
}

MemoryStep::~MemoryStep() {
  if (owner_.step_ == this) owner_.step_ = nullptr;
}

Status MemoryStep::usable() const {
  if (failed_) return Error{ErrorKind::unexpected, "the step has failed before"};
  if (life_ != owner_.life_) return Error{ErrorKind::unreachable, "the destination was closed under the step"};
  return Done{};
}

Status MemoryStep::write(const TableBatch& batch) {
  Status written = owner_.guarded("write", [&]() -> Status {
    TRY_DO(usable());
    const auto found = work_.live.find(batch.shape->table);
    if (found == work_.live.end()) {
      return Error{ErrorKind::unexpected, "there is no such live table", "", to_text(batch.shape->name)};
    }
    TRY_DO(check_fits(batch, found->second.about.types));
    wrote_live_ = true;
    return write_to(found->second.table, batch);
  });
  failed_ = failed_ || !written.ok();
  return written;
}

Status MemoryStep::write_hidden(const TableBatch& batch) {
  Status written = owner_.guarded("write_hidden", [&]() -> Status {
    TRY_DO(usable());
    TRY(hidden, complete_hidden(batch.shape->table));
    TRY_DO(check_fits(batch, hidden->ledger.types));
    return write_to(hidden->table, batch);
  });
  failed_ = failed_ || !written.ok();
  return written;
}

Status MemoryStep::publish(TableId hidden) {
  Status published = owner_.guarded("publish", [&]() -> Status {
    TRY_DO(usable());
    TRY(from, complete_hidden(hidden));
    MemoryDestination::Live live{{from->ledger.shape, from->ledger.types}, from->table};
    const TableName name = live.about.shape.name;
    std::erase_if(work_.live,
                  [&](const auto& entry) { return entry.first == hidden || entry.second.about.shape.name == name; });
    work_.live.emplace(hidden, std::move(live));
    work_.hidden.erase(hidden);
    work_.notes.insert_or_assign(name, TableNote{name, TableState::live, std::nullopt, ""});
    wrote_live_ = true;
    return Done{};
  });
  failed_ = failed_ || !published.ok();
  return published;
}

Status MemoryStep::advance_hidden(TableId hidden, StateId applied) {
  Status advanced = owner_.guarded("advance_hidden", [&]() -> Status {
    TRY_DO(usable());
    const auto found = work_.hidden.find(hidden);
    if (found == work_.hidden.end()) return Error{ErrorKind::unexpected, "there is no such hidden table"};
    found->second.ledger.applied = applied;
    touched_hidden_.insert(hidden);
    return Done{};
  });
  failed_ = failed_ || !advanced.ok();
  return advanced;
}

Status MemoryStep::note(std::span<const TableNote> notes) {
  Status noted = owner_.guarded("note", [&]() -> Status {
    TRY_DO(usable());
    for (const TableNote& note : notes) work_.notes.insert_or_assign(note.source, note);
    return Done{};
  });
  failed_ = failed_ || !noted.ok();
  return noted;
}

Status MemoryStep::commit(const Shown& now) {
  return owner_.guarded("commit", [&]() -> Status {
    work_.shown = now;
    return put_in_place();
  });
}

Status MemoryStep::commit_unshown() {
  return owner_.guarded("commit_unshown", [&]() -> Status {
    CHECK(!wrote_live_);  // rows that readers see move with what is shown
    return put_in_place();
  });
}

Result<MemoryDestination::Hidden*> MemoryStep::complete_hidden(TableId hidden) {
  const auto found = work_.hidden.find(hidden);
  if (found == work_.hidden.end()) return Error{ErrorKind::unexpected, "there is no such hidden table"};
  if (!is_complete(found->second.ledger)) {
    return Error{ErrorKind::unexpected, "a hidden table is not complete", "", to_text(found->second.ledger.shape.name)};
  }
  touched_hidden_.insert(hidden);
  return &found->second;
}

Status MemoryStep::put_in_place() {
  TRY_DO(usable());
  std::map<TableId, MemoryDestination::Hidden> hidden;
  for (const auto& [id, now] : owner_.durable_.hidden) {
    if (!touched_hidden_.contains(id)) hidden.emplace(id, now);
  }
  for (const auto& [id, ours] : work_.hidden) {
    if (touched_hidden_.contains(id)) hidden.emplace(id, ours);
  }
  work_.hidden = std::move(hidden);
  owner_.durable_ = std::move(work_);
  failed_ = true;  // it is used up
  owner_.step_ = nullptr;
  return Done{};
}

}  // namespace lockstep::destination
