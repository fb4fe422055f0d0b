#include <set>

#include "base/failpoint.hpp"
#include "destination/duckdb/core.hpp"
#include "destination/fence.hpp"

namespace lockstep::destination::duck {
namespace {

/// One DuckDB transaction on the writer's connection.
class DuckStep : public Step {
 public:
  DuckStep(Core& core, Transaction transaction, std::optional<Shown> before)
      : core_(core), session_(*core.session), transaction_(std::move(transaction)), before_(std::move(before)) {
    core_.step_is_open = true;
  }
  ~DuckStep() override { let_go(); }

  Status write(const TableBatch& batch) override {
    return guarded([&]() -> Status {
      const auto found = live().find(batch.shape->table);
      if (found == live().end()) {
        return Error{ErrorKind::unexpected, "there is no such live table", "", lockstep::to_text(batch.shape->name)};
      }
      const LiveEntry& entry = found->second;
      wrote_live_ = true;
      return write_to(batch, entry.about.shape, entry.about.types, session_.ledger.qualified(entry.place));
    });
  }

  Status write_hidden(const TableBatch& batch) override {
    return guarded([&]() -> Status {
      TRY(hidden, complete_hidden(batch.shape->table));
      return write_to(batch, hidden->ledger.shape, hidden->ledger.types, session_.ledger.hidden_table(*hidden));
    });
  }

  Status publish(TableId hidden) override {
    return guarded([&]() -> Status {
      TRY(found, complete_hidden(hidden));
      const HiddenEntry entry = *found;
      TRY_DO(make_way(entry));
      TRY_DO(connection().run("ALTER TABLE " + session_.ledger.hidden_table(entry) + " RENAME TO " +
                              quote_name(entry.place.table)));
      live_->insert_or_assign(hidden, LiveEntry{{entry.ledger.shape, entry.ledger.types}, entry.place});
      hidden_->erase(hidden);
      published_.insert(hidden);
      wrote_live_ = true;
      notes_.insert_or_assign(entry.ledger.shape.name,
                              TableNote{entry.ledger.shape.name, TableState::live, std::nullopt, ""});
      return Done{};
    });
  }

  Status advance_hidden(TableId hidden, StateId applied) override {
    return guarded([&]() -> Status {
      TRY_DO(complete_hidden(hidden));
      return session_.ledger.set_applied(connection(), hidden, applied);
    });
  }

  Status note(std::span<const TableNote> notes) override {
    return guarded([&]() -> Status {
      for (const TableNote& one : notes) notes_.insert_or_assign(one.source, one);
      return Done{};
    });
  }

  Status commit(const Shown& now) override {
    return guarded([&]() -> Status {
      TRY_DO(session_.ledger.set_shown(connection(), core_.identity.mirror, before_, now));
      for (const TableId table : published_) TRY_DO(say_renamings(live().at(table), now));
      return finish();
    });
  }

  Status commit_unshown() override {
    CHECK(!wrote_live_);  // rows that readers see move with what is shown
    return guarded([&]() -> Status { return finish(); });
  }

 private:
  // The writer is free for another step. Statements that were prepared for moved or taken back tables go.
  void let_go() {
    if (!holds_writer_) return;
    if (moved_tables_) session_.tables->forget_statements();
    core_.step_is_open = false;
    holds_writer_ = false;
  }

  Connection& connection() { return *session_.writer.connection; }

  // After an error the transaction may hold anything: nothing more is written, and nothing is committed.
  template <class Effect>
  Status guarded(Effect effect) {
    if (ended_) return Error{ErrorKind::unexpected, "the step has ended before"};
    Status done = core_.watched(effect());
    if (!done.ok()) ended_ = true;
    return done;
  }

  Status write_to(const TableBatch& batch, const TableShape& shape, const std::vector<LogicalType>& types,
                  const std::string& table) {
    TRY_DO(check_fits(batch, types));
    TRY_DO(session_.tables->write(batch, target_of(session_.ledger, shape, types, table)));
    FAILPOINT("apply.chunk_written");
    return Done{};
  }

  const std::map<TableId, LiveEntry>& live() const { return live_ ? *live_ : session_.live; }

  Result<const HiddenEntry*> complete_hidden(TableId hidden) {
    if (!hidden_) {
      TRY(entries, session_.ledger.read_hidden(connection()));
      hidden_.emplace();
      for (HiddenEntry& entry : entries) {
        const TableId table = entry.ledger.table;
        hidden_->emplace(table, std::move(entry));
      }
    }
    const auto found = hidden_->find(hidden);
    if (found == hidden_->end()) return Error{ErrorKind::unexpected, "there is no such hidden table"};
    if (is_complete(found->second.ledger)) return &found->second;
    return Error{ErrorKind::unexpected, "a hidden table is not complete", "",
                 lockstep::to_text(found->second.ledger.shape.name)};
  }

  // Takes the live table away that the hidden one comes in the place of: its own, or an older one of its name.
  Status make_way(const HiddenEntry& entry) {
    if (!moved_tables_) session_.tables->forget_statements();
    moved_tables_ = true;
    if (!live_) live_ = session_.live;
    for (auto place = live_->begin(); place != live_->end();) {
      const TableShape& shape = place->second.about.shape;
      if (shape.table != entry.ledger.table && shape.name != entry.ledger.shape.name) {
        ++place;
        continue;
      }
      TRY_DO(connection().run("DROP TABLE " + session_.ledger.qualified(place->second.place)));
      replaced_.push_back(shape.table);
      published_.erase(shape.table);
      if (shape.name != entry.ledger.shape.name) unnoted_.push_back(shape.name);
      place = live_->erase(place);
    }
    return take_away_left_behind(entry.place);
  }

  // A copy that an earlier life of this mirror has left gives way as well.
  Status take_away_left_behind(const Place& place) {
    if (!left_behind_) {
      TRY(found, session_.ledger.left_behind(connection(), core_.identity.mirror));
      left_behind_ = std::move(found);
    }
    for (const Place& left : *left_behind_) {
      const bool is_there = folded(left.schema) == folded(place.schema) && folded(left.table) == folded(place.table);
      if (is_there) TRY_DO(connection().run("DROP TABLE " + session_.ledger.qualified(left)));
    }
    return Done{};
  }

  // The ledger's rows of all tables at once: a first copy may publish thousands.
  Status write_ledger() {
    const std::vector<TableId> published(published_.begin(), published_.end());
    TRY_DO(session_.ledger.remove_hidden(connection(), published));
    TRY_DO(session_.ledger.remove_live(connection(), replaced_));
    std::vector<LiveEntry> entries;
    for (const TableId table : published) entries.push_back(live().at(table));
    TRY_DO(session_.ledger.insert_live(connection(), entries));
    TRY_DO(session_.ledger.remove_notes(connection(), core_.identity.mirror, unnoted_));
    if (notes_.empty()) return Done{};
    std::map<TableName, Place> places;
    for (const auto& [table, entry] : live()) places.emplace(entry.about.shape.name, entry.place);
    std::vector<Ledger::PlacedNote> notes;
    for (const auto& [name, note] : notes_) {
      const auto place = places.find(name);
      notes.push_back({note, place == places.end() ? std::nullopt : std::optional(place->second)});
    }
    return session_.ledger.set_notes(connection(), core_.identity.mirror, notes);
  }

  Status say_renamings(const LiveEntry& entry, const Shown& now) {
    for (const std::string& said : renamings(entry.about.shape, entry.place)) {
      TRY_DO(session_.ledger.add_schema_change(connection(), core_.identity.mirror, now, entry.about.shape.name, said));
    }
    return Done{};
  }

  Status finish() {
    TRY_DO(write_ledger());
    if (published_.empty()) {
      FAILPOINT("apply.before_commit");
    } else {
      FAILPOINT("publish.before_commit");
    }
    ended_ = true;
    session_.live_is_stale = true;  // until the commit is known to have taken place
    TRY_DO(transaction_.commit());
    if (live_) session_.live = std::move(*live_);
    session_.live_is_stale = false;
    let_go();
    if (published_.empty()) {
      FAILPOINT("apply.after_commit");
    } else {
      FAILPOINT("publish.after_commit");
    }
    return Done{};
  }

  Core& core_;
  Session& session_;
  Transaction transaction_;
  std::optional<Shown> before_;
  std::optional<std::map<TableId, LiveEntry>> live_;      // as this step leaves it, once it publishes
  std::optional<std::map<TableId, HiddenEntry>> hidden_;  // once one was asked for
  std::set<TableId> published_;
  std::vector<TableId> replaced_;
  std::optional<std::vector<Place>> left_behind_;
  std::vector<TableName> unnoted_;  // names that a table has left
  std::map<TableName, TableNote> notes_;
  bool moved_tables_ = false;
  bool wrote_live_ = false;
  bool ended_ = false;
  bool holds_writer_ = true;
};

}  // namespace

Result<std::unique_ptr<Step>> begin_step(Core& core, const std::optional<Shown>& expected) {
  CHECK(!core.step_is_open);  // one step at a time
  TRY_DO(core.load_live());
  Session& session = *core.session;
  TRY(transaction, Transaction::begin(*session.writer.connection));
  TRY(shown, session.ledger.read_shown(*session.writer.connection));
  TRY_DO(check_shown(shown, expected));
  return std::unique_ptr<Step>(std::make_unique<DuckStep>(core, std::move(transaction), expected));
}

}  // namespace lockstep::destination::duck
