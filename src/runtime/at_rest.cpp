#include "runtime/at_rest.hpp"

#include <charconv>
#include <filesystem>
#include <utility>

#include "base/failpoint.hpp"
#include "destination/fence.hpp"
#include "runtime/patience.hpp"
#include "runtime/setup.hpp"
#include "runtime/state_files.hpp"
#include "runtime/table_list.hpp"

namespace lockstep::runtime {
namespace {

Result<catalog::Mirror> load(const std::string& state_folder, const Adapters& adapters) {
  TRY(catalog, adapters.open_catalog(state_folder));
  TRY(mirror, catalog->load());
  if (!mirror) return Error{ErrorKind::bad_input, "there is no mirror in " + state_folder};
  return *mirror;
}

/// What the journal holds; a journal that does not open is reported, not an end.
void add_journal(MirrorStatus& status, const std::string& state_folder, const catalog::Mirror& mirror) {
  if (!std::filesystem::exists(journal_folder(state_folder))) return;
  const auto journal = open_journal(state_folder, mirror, {});
  if (!journal.ok()) {
    status.error = to_text(journal.error());
    return;
  }
  const journal::Durable durable = journal.value()->durable();
  status.received = durable.through;
  status.journal_state = durable.last;
  status.journal_bytes = journal.value()->bytes();
  if (!status.applied) return;
  if (status.applied->state < durable.last) {
    const Result<Commit> next = journal.value()->commit_at(StateId{status.applied->state.value + 1});
    if (next.ok()) status.oldest_unapplied = next.value().time;
  } else if (durable.through && *durable.through > status.applied->position) {
    status.applied->position = *durable.through;
  }
}

/// "schema.table" as lockstep writes it; a schema with a dot in it reads wrong, and only people see it.
TableName name_from(const std::string& text) {
  const std::size_t dot = text.find('.');
  return dot == std::string::npos ? TableName{"", text} : TableName{text.substr(0, dot), text.substr(dot + 1)};
}

destination::TableState table_state(const std::string& word) {
  using destination::TableState;
  for (const TableState state : {TableState::waiting, TableState::copying, TableState::joining, TableState::live,
                                 TableState::resyncing, TableState::quarantined, TableState::left_out}) {
    if (word == destination::name_of(state)) return state;
  }
  return TableState::waiting;
}

std::string text_of(const std::optional<std::string>& cell) { return cell.value_or(""); }

template <class Number>
Number number_of(const std::optional<std::string>& cell) {
  Number number = 0;  // what does not parse stays 0: we wrote it ourselves
  if (cell) std::from_chars(cell->data(), cell->data() + cell->size(), number);
  return number;
}

/// Asks the tables that every destination of lockstep has (docs/format/ledger.md).
Status add_destination(MirrorStatus& status, const catalog::Mirror& mirror, const Adapters& adapters) {
  TRY(destination, adapters.open_to_read(mirror.destination));
  TRY(shown,
      destination->query("select state_id, source_position, "
                         "cast(extract(epoch from source_commit_time) * 1000000 as bigint) from lockstep.mirrors"));
  if (!shown.rows.empty() && shown.rows.front()[0]) {
    const auto& row = shown.rows.front();
    TRY(lsn, parse_lsn(text_of(row[1])));
    status.applied = destination::Shown{StateId{number_of<std::uint64_t>(row[0])}, PgPosition{lsn},
                                        UnixMicros{number_of<std::int64_t>(row[2])}};
  }
  TRY(tables, destination->query("select source_table, state, as_of_state_id, error from lockstep.tables order by 1"));
  for (const auto& row : tables.rows) {
    TableStatus table;
    table.name = name_from(text_of(row[0]));
    table.state = table_state(text_of(row[1]));
    if (row[2]) table.as_of = StateId{number_of<std::uint64_t>(row[2])};
    table.error = text_of(row[3]);
    status.tables.push_back(std::move(table));
  }
  status.published = status.applied.has_value();
  return Done{};
}

}  // namespace

Result<MirrorStatus> status_at_rest(const std::string& state_folder, const Adapters& adapters) {
  TRY(mirror, load(state_folder, adapters));
  MirrorStatus status;
  status.mirror = mirror.name;
  status.source_kind = mirror.source_identity.substr(0, mirror.source_identity.find(' '));
  status.state = MirrorState::stopped;
  if (const Status added = add_destination(status, mirror, adapters); !added.ok())
    status.error = to_text(added.error());
  add_journal(status, state_folder, mirror);
  return status;
}

Result<destination::Answer> query_at_rest(const std::string& state_folder, const Adapters& adapters,
                                          const std::string& sql) {
  TRY(mirror, load(state_folder, adapters));
  TRY(destination, adapters.open_to_read(mirror.destination));
  return destination->query(sql);
}

Status drop_at_rest(const std::string& state_folder, const Adapters& adapters,
                    const std::optional<std::string>& source_url, Surroundings around) {
  TRY(catalog, adapters.open_catalog(state_folder));
  TRY(loaded, catalog->load());
  if (!loaded) return Error{ErrorKind::bad_input, "there is no mirror in " + state_folder};
  catalog::Mirror mirror = *loaded;
  mirror.phase = catalog::Phase::dropping;
  TRY_DO(catalog->save(mirror));

  const std::stop_token never;
  TRY(source, adapters.make_source(source_url.value_or(mirror.source_address), {}));
  TRY(identity,
      patiently(around, never, "source_waited_for", predecessor_wait, [&] { return source.setter->identify(); }));
  if (!mirror.source_identity.starts_with(database_text(identity) + " ")) {
    return Error{ErrorKind::conflict, "the source is another database than the one that was copied",
                 "give the mirror's own source with --from"};
  }
  TRY_DO(patiently(around, never, "source_waited_for", predecessor_wait,
                   [&] { return source.setter->remove(setup_of(mirror)); }));
  FAILPOINT("drop.source_clean");

  TRY(destination, adapters.make_destination(mirror.destination, {}));
  TRY_DO(patiently(around, never, "destination_waited_for", predecessor_wait, [&] {
    return destination.writer->open({mirror.name, mirror.source_identity});
  }));
  TRY_DO(destination.writer->forget());
  destination.writer->close();

  TRY_DO(remove_journal(state_folder));
  return catalog->forget();
}

Status drop_unremembered(const std::string& mirror, const Adapters& adapters, const std::string& source_url,
                         Surroundings around) {
  const std::stop_token never;
  TRY(source, adapters.make_source(source_url, {}));
  TRY(identity,
      patiently(around, never, "source_waited_for", predecessor_wait, [&] { return source.setter->identify(); }));
  const source::Setup made = adapters.plan_setup(identity, mirror);
  return patiently(around, never, "source_waited_for", predecessor_wait, [&] { return source.setter->remove(made); });
}

}  // namespace lockstep::runtime
