#include <atomic>
#include <optional>
#include <vector>

#include "base/failpoint.hpp"
#include "destination/duckdb/core.hpp"
#include "destination/duckdb/type_map.hpp"

namespace lockstep::destination::duck {
namespace {

/// Streams side by side: a thread of DuckDB takes one, pulls it to its end, and takes the next that nobody has.
class CopyFeed : public Feed {
 public:
  explicit CopyFeed(std::span<const std::unique_ptr<RowStream>> streams) : streams_(streams), mine_(streams.size()) {}

  std::size_t threads_max() const override { return streams_.size(); }
  bool keeps_strings() const override {
    return false;
  }  // INSERT … SELECT copies each chunk before it asks for the next

  Result<std::size_t> read(std::size_t thread, std::span<VectorView> columns, std::size_t capacity) override {
    std::optional<std::size_t>& mine = mine_[thread];
    for (;;) {
      if (!mine) mine = next_.fetch_add(1);
      if (*mine >= streams_.size()) return std::size_t{0};
      TRY(rows, streams_[*mine]->read(columns, capacity));
      if (rows > 0) return rows;
      mine.reset();
    }
  }

 private:
  std::span<const std::unique_ptr<RowStream>> streams_;
  std::vector<std::optional<std::size_t>> mine_;  // by thread
  std::atomic<std::size_t> next_{0};
};

Result<std::uint64_t> insert_all(Session& session, const HiddenEntry& entry,
                                 std::span<const std::unique_ptr<RowStream>> streams) {
  if (streams.empty()) return std::uint64_t{0};
  Worker& copier = session.copier;
  FeedSlot& slot = copier.feeds->add(entry.ledger.types);
  Result<std::unique_ptr<Statement>> statement = copier.connection->prepare(
      "INSERT INTO " + session.ledger.hidden_table(entry) + " SELECT * FROM " + copier.feeds->call(slot));
  CopyFeed feed(streams);
  Result<std::uint64_t> inserted = statement.ok() ? slot.run(*statement.value(), feed) : statement.error();
  if (statement.ok()) statement.value().reset();
  copier.feeds->remove(slot);
  return inserted;
}

// Tables differ only by case, or the name is a stranger's: the rule stands in docs/format/ledger.md.
struct Taken {
  std::set<std::string> ours;
  std::set<std::string> all;
};

Result<Taken> names_taken(Session& session, const std::string& mirror, const std::string& schema,
                          const CopyLedger& ledger, const std::vector<HiddenEntry>& hidden) {
  Taken taken;
  const auto add = [&](const TableShape& shape, const Place& place) {
    const bool gives_way = shape.table == ledger.table || shape.name == ledger.shape.name;
    if (!gives_way && folded(place.schema) == folded(schema)) taken.ours.insert(folded(place.table));
  };
  for (const auto& [table, live] : session.live) add(live.about.shape, live.place);
  for (const HiddenEntry& entry : hidden) add(entry.ledger.shape, entry.place);
  TRY(rows,
      session.admin.connection->query(
          "SELECT name FROM (SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() UNION ALL "
          "SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal) "
          "WHERE database_name = current_database() AND lower(schema_name) = lower(" +
          quote_text(schema) + ")"));
  for (const auto& row : rows) taken.all.insert(folded(row.at(0).value_or("")));
  TRY(left_behind, session.ledger.left_behind(*session.admin.connection, mirror));
  for (const Place& place : left_behind) {
    if (folded(place.schema) == folded(schema)) taken.all.erase(folded(place.table));
  }
  taken.all.insert(taken.ours.begin(), taken.ours.end());
  return taken;
}

Result<Place> choose_place(Session& session, const std::string& mirror, const CopyLedger& ledger,
                           const std::vector<HiddenEntry>& hidden) {
  for (const auto& [table, live] : session.live) {
    if (live.about.shape.name == ledger.shape.name) return live.place;
  }
  Place place{schema_of(ledger.shape.name.schema), ledger.shape.name.table};
  TRY(taken, names_taken(session, mirror, place.schema, ledger, hidden));
  const std::string name = folded(place.table);
  if (taken.all.contains(name) && !taken.ours.contains(name)) {
    // Its own live table under an older name does not stand in its way; a stranger's does.
    const auto own = session.live.find(ledger.table);
    const bool is_own = own != session.live.end() && folded(own->second.place.schema) == folded(place.schema) &&
                        folded(own->second.place.table) == name;
    if (!is_own) {
      return Error{ErrorKind::refused, "a table of this name is there already and is not lockstep's",
                   "rename or drop it, or leave the table out", lockstep::to_text(ledger.shape.name)};
    }
    return place;
  }
  place.table = first_free(place.table, taken.ours.contains(name) ? taken.all : taken.ours);
  return place;
}

std::string create_statement(const Ledger& names, const HiddenEntry& entry) {
  const std::vector<std::string> columns = column_names(entry.ledger.shape);
  std::string sql = "CREATE SCHEMA IF NOT EXISTS " + names.qualified_schema(entry.place.schema) + "; CREATE TABLE " +
                    names.hidden_table(entry) + "(";
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sql += (i == 0 ? "" : ", ") + quote_name(columns[i]) + " " + sql_type(entry.ledger.types[i]);
  }
  return sql + ")";
}

}  // namespace

Target target_of(const Ledger&, const TableShape& shape, const std::vector<LogicalType>& types,
                 const std::string& table) {
  Target target{table, column_names(shape), types};
  for (std::string& column : target.columns) column = quote_name(column);
  return target;
}

Status create_hidden_table(Session& session, const std::string& mirror, const CopyLedger& ledger) {
  CHECK(ledger.types.size() == ledger.shape.columns.size() && ledger.shape.table == ledger.table);
  if (ledger.types.empty()) {
    return Error{ErrorKind::unsupported, "DuckDB has no tables without columns", "leave the table out",
                 lockstep::to_text(ledger.shape.name)};
  }
  Connection& connection = *session.admin.connection;
  TRY(transaction, Transaction::begin(connection));
  TRY(hidden, session.ledger.read_hidden(connection));
  TRY(place, choose_place(session, mirror, ledger, hidden));
  for (const HiddenEntry& older : hidden) {
    if (older.ledger.table != ledger.table) continue;
    TRY_DO(connection.run("DROP TABLE " + session.ledger.hidden_table(older)));
    TRY_DO(session.ledger.remove_hidden(connection, {&ledger.table, 1}));
  }
  const HiddenEntry entry{ledger, place};
  TRY_DO(connection.run(create_statement(session.ledger, entry)));
  TRY_DO(session.ledger.insert_hidden(connection, entry));
  return transaction.commit();
}

Result<CopyCounts> copy_rows(Session& session, TableId hidden, const std::string& snapshot,
                             std::span<const std::uint32_t> done, std::span<const std::unique_ptr<RowStream>> streams) {
  Connection& connection = *session.copier.connection;
  TRY(transaction, Transaction::begin(connection));
  const Result<HiddenEntry> entry = session.ledger.read_hidden(connection, hidden);
  if (!entry.ok()) return Error{ErrorKind::conflict, "the table is not being copied"};
  if (entry.value().ledger.snapshot != snapshot) {
    return Error{ErrorKind::conflict, "the table is being copied under another snapshot", "",
                 lockstep::to_text(entry.value().ledger.shape.name)};
  }
  Result<std::uint64_t> rows = insert_all(session, entry.value(), streams);
  if (!rows.ok()) {
    Error error = rows.error();
    if (error.table.empty()) error.table = lockstep::to_text(entry.value().ledger.shape.name);
    return error;
  }
  TRY_DO(session.ledger.add_copied(connection, hidden, done, rows.value()));
  FAILPOINT("copy.range_loading");
  TRY_DO(transaction.commit());
  FAILPOINT("copy.range_loaded");
  return CopyCounts{rows.value()};
}

}  // namespace lockstep::destination::duck
