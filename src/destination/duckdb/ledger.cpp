#include "destination/duckdb/ledger.hpp"

#include <algorithm>
#include <charconv>

namespace lockstep::destination::duck {
namespace {

constexpr std::uint64_t format_version = 1;

Error damaged(const std::string& what) {
  return {ErrorKind::bad_data, "lockstep's own tables in the file are damaged: " + what,
          "take them away with `lockstep drop`, and copy again"};
}

// A cell that is never NULL.
const std::string& text(const std::vector<std::optional<std::string>>& row, std::size_t column) {
  CHECK(column < row.size() && row[column].has_value());
  return *row[column];
}

Result<std::uint64_t> number(const std::string& digits) {
  std::uint64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, value);
  if (digits.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return damaged("'" + digits + "' is no number");
  return value;
}

std::string types_text(const std::vector<LogicalType>& types) {
  std::string joined;
  for (const LogicalType& type : types) joined += (joined.empty() ? "" : ";") + lockstep::to_text(type);
  return joined;
}

Result<std::vector<LogicalType>> read_types(std::string_view joined) {
  std::vector<LogicalType> types;
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(';'), joined.size());
    TRY(type, parse_type(joined.substr(0, end)));
    types.push_back(type);
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return types;
}

std::string shape_literal(const TableShape& shape) {
  std::vector<std::byte> bytes;
  encode_shape(shape, bytes);
  return quote_bytes(text_of(bytes));
}

std::string numbers_text(std::span<const std::uint32_t> numbers) {
  std::string joined;
  for (const std::uint32_t one : numbers) joined += (joined.empty() ? "" : ",") + std::to_string(one);
  return joined;
}

Status read_numbers(std::string_view joined, std::vector<std::uint32_t>& into) {
  while (!joined.empty()) {
    const std::size_t end = std::min(joined.find(','), joined.size());
    TRY(one, number(std::string(joined.substr(0, end))));
    into.push_back(static_cast<std::uint32_t>(one));
    joined.remove_prefix(std::min(end + 1, joined.size()));
  }
  return Done{};
}

Result<HiddenEntry> hidden_of(const std::vector<std::optional<std::string>>& row) {
  HiddenEntry entry;
  TRY(shape, decode_shape(bytes_of(text(row, 2))));
  TRY(types, read_types(text(row, 3)));
  TRY(visible, parse_visible_set(text(row, 5)));
  TRY(applied, number(text(row, 6)));
  TRY(storage, number(text(row, 8)));
  TRY(ranges, number(text(row, 9)));
  entry.place = {text(row, 0), text(row, 1)};
  entry.ledger.table = shape.table;
  entry.ledger.shape = std::move(shape);
  entry.ledger.types = std::move(types);
  entry.ledger.snapshot = text(row, 4);
  entry.ledger.visible = std::move(visible);
  entry.ledger.applied = StateId{applied};
  entry.ledger.mark = text(row, 7);
  entry.ledger.storage = storage;
  entry.ledger.ranges = static_cast<std::uint32_t>(ranges);
  return entry;
}

std::string left_behind_comment(const std::string& mirror) { return "a copy that lockstep made for mirror " + mirror; }

std::string where_table(TableId table) { return " WHERE table_id = " + std::to_string(table.value); }

std::string where_tables(std::span<const TableId> tables) {
  std::string list;
  for (const TableId table : tables) list += (list.empty() ? "" : ", ") + std::to_string(table.value);
  return " WHERE table_id IN (" + list + ")";
}

// One statement's effect, where the number of rows does not matter.
Status run(Connection& connection, const std::string& sql) {
  TRY_DO(connection.run(sql));
  return Done{};
}

}  // namespace

Result<std::optional<MirrorIdentity>> Ledger::read_owner(Connection& connection) const {
  TRY(found, connection.query("SELECT table_name FROM duckdb_tables() WHERE database_name = " + quote_text(catalog_) +
                              " AND schema_name = 'lockstep_internal' AND table_name = 'about'"));
  if (found.empty()) return std::optional<MirrorIdentity>{};
  TRY(rows, connection.query("SELECT format::VARCHAR, mirror, source FROM " + own("about")));
  if (rows.size() != 1) return damaged("it has no owner");
  TRY(version, number(text(rows[0], 0)));
  if (version > format_version) {
    return Error{ErrorKind::unsupported, "the file was written by a newer lockstep", "use that one, or another file"};
  }
  return std::optional(MirrorIdentity{text(rows[0], 1), text(rows[0], 2)});
}

Status Ledger::create(Connection& connection, const MirrorIdentity& identity) const {
  // The formatter would tear the statements apart.
  // clang-format off
  const std::string sql =
      "CREATE SCHEMA IF NOT EXISTS " + qualified_schema("lockstep") + ";"
      "CREATE SCHEMA IF NOT EXISTS " + qualified_schema("lockstep_internal") + ";"
      "CREATE TABLE " + own("about") + "(format UBIGINT, mirror VARCHAR, source VARCHAR);"
      "CREATE TABLE " + own("live") +
      "(table_id UBIGINT, place_schema VARCHAR, place_table VARCHAR, shape BLOB, types VARCHAR);"
      "CREATE TABLE " + own("copies") +
      "(table_id UBIGINT, place_schema VARCHAR, place_table VARCHAR, shape BLOB, types VARCHAR, snapshot VARCHAR, "
      "visible VARCHAR, applied UBIGINT, mark VARCHAR, storage UBIGINT, ranges UBIGINT);"
      "CREATE TABLE " + own("copied") + "(table_id UBIGINT, ranges VARCHAR, rows UBIGINT);"
      "CREATE TABLE " + shown_to_readers("mirrors") +
      "(mirror VARCHAR, state_id UBIGINT, source_position VARCHAR, source_commit_time TIMESTAMPTZ, applied_at TIMESTAMPTZ);"
      "CREATE TABLE " + shown_to_readers("tables") +
      "(mirror VARCHAR, source_table VARCHAR, destination_table VARCHAR, state VARCHAR, as_of_state_id UBIGINT, "
      "error VARCHAR);"
      "CREATE TABLE " + shown_to_readers("schema_changes") +
      "(mirror VARCHAR, state_id UBIGINT, source_position VARCHAR, source_table VARCHAR, change VARCHAR);"
      "INSERT INTO " + own("about") + " VALUES (" + std::to_string(format_version) + ", " + quote_text(identity.mirror) +
      ", " + quote_text(identity.source) + ")";
  // clang-format on
  return run(connection, sql);
}

Status Ledger::drop(Connection& connection) const {
  return run(connection, "DROP SCHEMA IF EXISTS " + qualified_schema("lockstep") + " CASCADE; DROP SCHEMA IF EXISTS " +
                             qualified_schema("lockstep_internal") + " CASCADE");
}

Result<std::optional<Shown>> Ledger::read_shown(Connection& connection) const {
  TRY(rows, connection.query("SELECT state_id::VARCHAR, source_position, epoch_us(source_commit_time)::VARCHAR FROM " +
                             shown_to_readers("mirrors")));
  if (rows.empty()) return std::optional<Shown>{};
  if (rows.size() != 1) return damaged("it shows two states");
  TRY(state, number(text(rows[0], 0)));
  TRY(end, parse_lsn(text(rows[0], 1)));
  std::int64_t micros = 0;  // NULL before the first commit
  if (rows[0][2]) {
    const std::string& time = *rows[0][2];
    if (std::from_chars(time.data(), time.data() + time.size(), micros).ec != std::errc{}) return damaged("a time");
  }
  return std::optional(Shown{StateId{state}, PgPosition{end}, UnixMicros{micros}});
}

Status Ledger::mark_left_behind(Connection& connection, const std::string& mirror, const Place& place) const {
  return run(connection, "COMMENT ON TABLE " + qualified(place) + " IS " + quote_text(left_behind_comment(mirror)));
}

Result<std::vector<Place>> Ledger::left_behind(Connection& connection, const std::string& mirror) const {
  TRY(rows,
      connection.query("SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = current_database() "
                       "AND comment = " +
                       quote_text(left_behind_comment(mirror))));
  std::vector<Place> places;
  for (const auto& row : rows) places.push_back({text(row, 0), text(row, 1)});
  return places;
}

Result<std::vector<LiveEntry>> Ledger::read_live(Connection& connection) const {
  TRY(rows,
      connection.query("SELECT place_schema, place_table, shape, types FROM " + own("live") + " ORDER BY table_id"));
  std::vector<LiveEntry> entries;
  for (const auto& row : rows) {
    TRY(shape, decode_shape(bytes_of(text(row, 2))));
    TRY(types, read_types(text(row, 3)));
    entries.push_back({{std::move(shape), std::move(types)}, {text(row, 0), text(row, 1)}});
  }
  return entries;
}

Result<std::vector<HiddenEntry>> Ledger::read_hidden(Connection& connection) const {
  return read_hidden_where(connection, "");
}

Result<std::vector<HiddenEntry>> Ledger::read_hidden_where(Connection& connection, const std::string& where) const {
  TRY(rows,
      connection.query("SELECT place_schema, place_table, shape, types, snapshot, visible, applied::VARCHAR, mark, "
                       "storage::VARCHAR, ranges::VARCHAR FROM " +
                       own("copies") + where + " ORDER BY table_id"));
  std::vector<HiddenEntry> entries;
  for (const auto& row : rows) {
    TRY(entry, hidden_of(row));
    entries.push_back(std::move(entry));
  }
  TRY_DO(read_copied(connection, where, entries));
  return entries;
}

Status Ledger::read_copied(Connection& connection, const std::string& where, std::vector<HiddenEntry>& entries) const {
  TRY(rows, connection.query("SELECT table_id::VARCHAR, ranges, rows::VARCHAR FROM " + own("copied") + where));
  for (const auto& row : rows) {
    TRY(table, number(text(row, 0)));
    const auto entry =
        std::lower_bound(entries.begin(), entries.end(), table,
                         [](const HiddenEntry& one, std::uint64_t id) { return one.ledger.table.value < id; });
    if (entry == entries.end() || entry->ledger.table.value != table) return damaged("rows of no copy");
    TRY_DO(read_numbers(text(row, 1), entry->ledger.done));
    TRY(count, number(text(row, 2)));
    entry->ledger.rows += count;
  }
  return Done{};
}

Result<HiddenEntry> Ledger::read_hidden(Connection& connection, TableId table) const {
  TRY(entries, read_hidden_where(connection, where_table(table)));
  if (entries.size() == 1) return std::move(entries[0]);
  return Error{ErrorKind::unexpected, "there is no such hidden table"};
}

Status Ledger::insert_hidden(Connection& connection, const HiddenEntry& entry) const {
  const CopyLedger& ledger = entry.ledger;
  TRY_DO(run(connection, "INSERT INTO " + own("copies") + " VALUES (" + std::to_string(ledger.table.value) + ", " +
                             quote_text(entry.place.schema) + ", " + quote_text(entry.place.table) + ", " +
                             shape_literal(ledger.shape) + ", " + quote_text(types_text(ledger.types)) + ", " +
                             quote_text(ledger.snapshot) + ", " + quote_text(to_text(ledger.visible)) + ", " +
                             std::to_string(ledger.applied.value) + ", " + quote_text(ledger.mark) + ", " +
                             std::to_string(ledger.storage) + ", " + std::to_string(ledger.ranges) + ")"));
  if (ledger.done.empty() && ledger.rows == 0) return Done{};
  return add_copied(connection, ledger.table, ledger.done, ledger.rows);
}

Status Ledger::remove_hidden(Connection& connection, std::span<const TableId> tables) const {
  if (tables.empty()) return Done{};
  return run(connection, "DELETE FROM " + own("copies") + where_tables(tables) + "; DELETE FROM " + own("copied") +
                             where_tables(tables));
}

Status Ledger::add_copied(Connection& connection, TableId table, std::span<const std::uint32_t> done,
                          std::uint64_t rows) const {
  return run(connection, "INSERT INTO " + own("copied") + " VALUES (" + std::to_string(table.value) + ", " +
                             quote_text(numbers_text(done)) + ", " + std::to_string(rows) + ")");
}

Status Ledger::set_applied(Connection& connection, TableId table, StateId applied) const {
  TRY(changed, connection.run("UPDATE " + own("copies") + " SET applied = " + std::to_string(applied.value) +
                              where_table(table)));
  if (changed == 1) return Done{};
  return Error{ErrorKind::unexpected, "there is no such hidden table"};
}

Status Ledger::insert_live(Connection& connection, std::span<const LiveEntry> entries) const {
  if (entries.empty()) return Done{};
  std::string values;
  for (const LiveEntry& entry : entries) {
    const TableShape& shape = entry.about.shape;
    values += (values.empty() ? "(" : ", (") + std::to_string(shape.table.value) + ", " +
              quote_text(entry.place.schema) + ", " + quote_text(entry.place.table) + ", " + shape_literal(shape) +
              ", " + quote_text(types_text(entry.about.types)) + ")";
  }
  return run(connection, "INSERT INTO " + own("live") + " VALUES " + values);
}

Status Ledger::remove_live(Connection& connection, std::span<const TableId> tables) const {
  if (tables.empty()) return Done{};
  return run(connection, "DELETE FROM " + own("live") + where_tables(tables));
}

Status Ledger::set_shown(Connection& connection, const std::string& mirror, const std::optional<Shown>& before,
                         const Shown& now) const {
  const std::string commit_time = now.commit_time == UnixMicros{}
                                      ? "NULL"
                                      : "make_timestamptz(" + std::to_string(now.commit_time.value) + "::BIGINT)";
  const std::string values = std::to_string(now.state.value) +
                             ", source_position = " + quote_text(lockstep::to_text(now.position)) +
                             ", source_commit_time = " + commit_time + ", applied_at = get_current_timestamp()";
  if (!before) {
    TRY_DO(connection.run("INSERT INTO " + shown_to_readers("mirrors") + "(mirror) SELECT " + quote_text(mirror) +
                          " WHERE NOT EXISTS (FROM " + shown_to_readers("mirrors") + ")"));
  }
  TRY(changed,
      connection.run("UPDATE " + shown_to_readers("mirrors") + " SET state_id = " + values + " WHERE state_id " +
                     (before ? "= " + std::to_string(before->state.value) : std::string("IS NULL"))));
  if (changed == 1) return Done{};
  return Error{ErrorKind::conflict, "the destination was moved on by somebody else"};
}

Status Ledger::set_notes(Connection& connection, const std::string& mirror, std::span<const PlacedNote> notes) const {
  if (notes.empty()) return Done{};
  std::vector<TableName> tables;
  std::string values;
  for (const auto& [note, place] : notes) {
    tables.push_back(note.source);
    values += (values.empty() ? "(" : ", (") + quote_text(mirror) + ", " + quote_text(lockstep::to_text(note.source)) +
              ", " + (place ? quote_text(to_text(*place)) : "NULL") + ", " + quote_text(name_of(note.state)) + ", " +
              (note.as_of ? std::to_string(note.as_of->value) : "NULL") + ", " +
              (note.error.empty() ? "NULL" : quote_text(note.error)) + ")";
  }
  TRY_DO(remove_notes(connection, mirror, tables));
  return run(connection, "INSERT INTO " + shown_to_readers("tables") + " VALUES " + values);
}

Status Ledger::remove_notes(Connection& connection, const std::string& mirror,
                            std::span<const TableName> tables) const {
  if (tables.empty()) return Done{};
  std::string list;
  for (const TableName& table : tables) list += (list.empty() ? "" : ", ") + quote_text(lockstep::to_text(table));
  return run(connection, "DELETE FROM " + shown_to_readers("tables") + " WHERE mirror = " + quote_text(mirror) +
                             " AND source_table IN (" + list + ")");
}

Status Ledger::add_schema_change(Connection& connection, const std::string& mirror, const Shown& at,
                                 const TableName& table, const std::string& change) const {
  return run(connection, "INSERT INTO " + shown_to_readers("schema_changes") + " VALUES (" + quote_text(mirror) + ", " +
                             std::to_string(at.state.value) + ", " + quote_text(lockstep::to_text(at.position)) + ", " +
                             quote_text(lockstep::to_text(table)) + ", " + quote_text(change) + ")");
}

std::string Ledger::qualified(const std::string& schema, const std::string& table) const {
  return quote_name(catalog_) + "." + quote_name(schema) + "." + quote_name(table);
}

}  // namespace lockstep::destination::duck
