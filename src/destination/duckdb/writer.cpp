#include "destination/duckdb/writer.hpp"

#include <set>

#include "destination/batch_reader.hpp"
#include "destination/duckdb/batch_feed.hpp"
#include "destination/duckdb/type_map.hpp"

namespace lockstep::destination::duck {
namespace {

constexpr std::size_t prepared_tables_max = 500;  // a plan takes some tens of kilobytes
constexpr const char* bases_table = "temp.main.lockstep_bases";

constexpr LogicalType int64_type{TypeKind::int64, 0, 0, 0};
constexpr LogicalType boolean_type{TypeKind::boolean, 0, 0, 0};

std::string column(std::size_t number) { return "s.c" + std::to_string(number); }

std::vector<LogicalType> key_types(const TableBatch& batch, const Target& target) {
  std::vector<LogicalType> types;
  for (const std::uint16_t i : batch.shape->key) types.push_back(target.types[i]);
  return types;
}

// t.key = s.cN and so on, the feed's key columns standing from `first` on.
std::string key_equal(const TableBatch& batch, const Target& target, std::size_t first) {
  std::string condition;
  for (const std::uint16_t i : batch.shape->key) {
    condition += (condition.empty() ? "" : " AND ") + ("t." + target.columns[i]) + " = " + column(first++);
  }
  return condition;
}

std::string exact(const LogicalType& type, const std::string& expression) {
  return equal_needs_text(type) ? "CAST(" + expression + " AS VARCHAR)" : expression;
}

// Takes rows of a keyless table away, as many of each as its count says, equal by exact bytes. Equal erases of the
// feed are put together first, so that none takes a row that another one has taken already.
std::pair<std::string, std::string> exact_erase(const Target& target) {
  std::string wanted;
  std::string condition;
  for (std::size_t i = 0; i < target.types.size(); ++i) {
    const std::string name = "e" + std::to_string(i);
    wanted += exact(target.types[i], column(i)) + " AS " + name + ", ";
    condition +=
        (i == 0 ? "" : " AND ") + exact(target.types[i], "t." + target.columns[i]) + " IS NOT DISTINCT FROM w." + name;
  }
  const std::string before = "DELETE FROM " + target.table +
                             " WHERE rowid IN (SELECT row_id FROM (SELECT t.rowid AS row_id, "
                             "w.n AS n, row_number() OVER (PARTITION BY w.number ORDER BY t.rowid) AS nth FROM " +
                             target.table +
                             " t JOIN "
                             "(SELECT *, row_number() OVER () AS number FROM (SELECT " +
                             wanted + "sum(" + column(target.types.size()) + ")::BIGINT AS n FROM ";
  return {before, " s GROUP BY ALL)) w ON " + condition + ") WHERE nth <= n)"};
}

Error with_table(Error error, const TableBatch& batch) {
  if (error.table.empty()) error.table = to_text(batch.shape->name);
  return error;
}

}  // namespace

Status TableWriter::write(const TableBatch& batch, const Target& target) {
  std::vector<std::uint32_t> whole;
  Partial partial;
  TRY_DO(sort_rows(batch, whole, partial));
  TRY(statements, prepared(batch, target));
  if (!partial.rows.empty()) TRY_DO(read_bases(batch, target, partial));
  if (batch.truncate) TRY_DO(connection_.run("DELETE FROM " + target.table));
  if (!batch.erases.empty()) TRY_DO(erase(batch, target, *statements));
  if (!whole.empty()) {
    WholeRows rows(batch, whole);
    const Result<std::uint64_t> inserted = statements->insert.run(rows);
    if (!inserted.ok()) return with_table(inserted.error(), batch);
  }
  if (!partial.rows.empty()) TRY_DO(insert_partial(batch, target, partial));
  return Done{};
}

void TableWriter::forget_statements() {
  for (auto& [name, statements] : prepared_) {
    statements.erase.statement.reset();
    statements.insert.statement.reset();
    feeds_.remove(*statements.erase.slot);
    feeds_.remove(*statements.insert.slot);
  }
  prepared_.clear();
}

Status TableWriter::sort_rows(const TableBatch& batch, std::vector<std::uint32_t>& whole, Partial& partial) {
  std::set<std::uint16_t> columns;
  std::vector<Cell> cells;
  whole.reserve(batch.rows.size());
  for (std::uint32_t row = 0; row < batch.rows.size(); ++row) {
    if (batch.rows[row].layers == FoldedRow::complete) {
      whole.push_back(row);
      continue;
    }
    TRY_DO(resolve_cells(batch, batch.rows[row], cells));
    (needs_base(cells) ? partial.rows : whole).push_back(row);
    for (std::uint16_t i = 0; i < cells.size(); ++i) {
      if (cells[i].state == Cell::State::unchanged) columns.insert(i);
    }
  }
  partial.columns.assign(columns.begin(), columns.end());
  return Done{};
}

Result<TableWriter::Prepared*> TableWriter::prepared(const TableBatch& batch, const Target& target) {
  const auto found = prepared_.find(target.table);
  if (found != prepared_.end() && found->second.key == batch.shape->key &&
      found->second.insert.slot->types() == target.types) {
    return &found->second;
  }
  if (found != prepared_.end() || prepared_.size() >= prepared_tables_max) forget_statements();
  Prepared made;
  made.key = batch.shape->key;
  TRY(insert, prepare(target.types, "INSERT INTO " + target.table + " SELECT * FROM ", ""));
  made.insert = std::move(insert);
  std::vector<LogicalType> types = made.key.empty() ? target.types : key_types(batch, target);
  if (made.key.empty()) types.push_back(int64_type);
  const auto [before, after] = made.key.empty() ? exact_erase(target)
                                                : std::pair("DELETE FROM " + target.table + " t USING ",
                                                            " s WHERE " + key_equal(batch, target, 0));
  Result<FedStatement> erase = prepare(std::move(types), before, after);
  if (!erase.ok()) {
    made.insert.statement.reset();
    feeds_.remove(*made.insert.slot);
    return erase.error();
  }
  made.erase = std::move(erase).value();
  return &prepared_.emplace(target.table, std::move(made)).first->second;
}

Result<FedStatement> TableWriter::prepare(std::vector<LogicalType> types, const std::string& before,
                                          const std::string& after) {
  FeedSlot& slot = feeds_.add(std::move(types));
  Result<std::unique_ptr<Statement>> statement = connection_.prepare(before + feeds_.call(slot) + after);
  if (!statement.ok()) {
    feeds_.remove(slot);
    return statement.error();
  }
  return FedStatement{&slot, std::move(statement).value()};
}

Result<std::uint64_t> TableWriter::run_once(std::vector<LogicalType> types, Feed& feed, const std::string& before,
                                            const std::string& after) {
  TRY(statement, prepare(std::move(types), before, after));
  const Result<std::uint64_t> ran = statement.run(feed);
  statement.statement.reset();
  feeds_.remove(*statement.slot);
  return ran;
}

Status TableWriter::erase(const TableBatch& batch, const Target&, Prepared& statements) {
  if (!batch.shape->key.empty()) {
    EraseKeys keys(batch);
    const Result<std::uint64_t> erased = statements.erase.run(keys);
    if (!erased.ok()) return with_table(erased.error(), batch);
    return Done{};
  }
  EraseRows rows(batch);
  const Result<std::uint64_t> erased = statements.erase.run(rows);
  if (!erased.ok()) return with_table(erased.error(), batch);
  std::uint64_t asked = 0;
  for (const FoldedErase& one : batch.erases) asked += one.count;
  if (erased.value() == asked) return Done{};
  return with_table({ErrorKind::unexpected, "a row to be taken away is not there"}, batch);
}

// The values are put aside before anything is written: a row may take them from a key that another row moves to.
Status TableWriter::read_bases(const TableBatch& batch, const Target& target, const Partial& partial) {
  std::vector<LogicalType> types = key_types(batch, target);
  types.insert(types.begin(), int64_type);
  std::string select = std::string("CREATE OR REPLACE TEMP TABLE ") + bases_table + " AS SELECT s.c0 AS number";
  for (const std::uint16_t i : partial.columns) select += ", t." + target.columns[i] + " AS b" + std::to_string(i);
  BaseKeys keys(batch, partial.rows);
  const Result<std::uint64_t> found = run_once(std::move(types), keys, select + " FROM " + target.table + " t JOIN ",
                                               " s ON " + key_equal(batch, target, 1));
  if (!found.ok()) return with_table(found.error(), batch);
  if (found.value() == partial.rows.size()) return Done{};
  return with_table({ErrorKind::unexpected, "a base row is not there"}, batch);
}

Status TableWriter::insert_partial(const TableBatch& batch, const Target& target, const Partial& partial) {
  std::vector<LogicalType> types = target.types;
  types.insert(types.begin(), int64_type);
  std::string select;
  std::size_t next = 0;  // of partial.columns
  for (std::size_t i = 0; i < target.types.size(); ++i) {
    if (i > 0) select += ", ";
    if (next == partial.columns.size() || partial.columns[next] != i) {
      select += column(i + 1);
      continue;
    }
    select += "CASE WHEN " + column(target.types.size() + 1 + next) + " THEN b.b" + std::to_string(i) + " ELSE " +
              column(i + 1) + " END";
    types.push_back(boolean_type);
    ++next;
  }
  PartialRows rows(batch, partial.rows, partial.columns);
  const Result<std::uint64_t> inserted =
      run_once(std::move(types), rows, "INSERT INTO " + target.table + " SELECT " + select + " FROM ",
               std::string(" s JOIN ") + bases_table + " b ON b.number = s.c0");
  if (!inserted.ok()) return with_table(inserted.error(), batch);
  TRY_DO(connection_.run(std::string("DROP TABLE ") + bases_table));
  return Done{};
}

}  // namespace lockstep::destination::duck
