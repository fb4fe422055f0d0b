#include "source/postgres/shapes.hpp"

#include <algorithm>
#include <charconv>

namespace lockstep::postgres {
namespace {

// A usable key is the chosen identity index or the primary key: valid, unique, immediate, without predicate or
// expression, its columns not null. Anything less makes the server refuse updates, or names several rows.
constexpr const char* tables_query = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind, c.relreplident,
  (SELECT i.indkey::text FROM pg_index i
   WHERE i.indrelid = c.oid AND i.indisvalid AND i.indisunique AND i.indimmediate
     AND i.indpred IS NULL AND i.indexprs IS NULL
     AND CASE WHEN c.relreplident = 'i' THEN i.indisreplident ELSE i.indisprimary END
     AND NOT EXISTS (SELECT FROM unnest(i.indkey::int2[]) WITH ORDINALITY k(number, place)
                     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.number
                     WHERE k.place <= i.indnkeyatts AND NOT a.attnotnull)),
  (SELECT i.indnkeyatts FROM pg_index i
   WHERE i.indrelid = c.oid AND CASE WHEN c.relreplident = 'i' THEN i.indisreplident ELSE i.indisprimary END)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY('%s'::oid[]) ORDER BY c.oid)";

constexpr const char* columns_query = R"(
SELECT attrelid, attnum, attname, atttypid, atttypmod, attndims, attisdropped, attgenerated
FROM pg_attribute WHERE attrelid = ANY('%s'::oid[]) AND attnum > 0 ORDER BY attrelid, attnum)";

std::string with_tables(std::string query, const std::vector<TableId>& tables) {
  return query.replace(query.find("%s"), 2, array_of(tables));
}

/// The first `count` numbers of "1 2 …".
std::vector<std::uint16_t> numbers_of(std::string_view list, std::int64_t count) {
  std::vector<std::uint16_t> numbers;
  while (!list.empty() && static_cast<std::int64_t>(numbers.size()) < count) {
    const std::size_t end = std::min(list.find(' '), list.size());
    std::uint16_t number = 0;
    std::from_chars(list.data(), list.data() + end, number);
    numbers.push_back(number);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return numbers;
}

Status read_tables(Connection& connection, const std::vector<TableId>& ids, Catalog& catalog) {
  TRY(rows, connection.query(with_tables(tables_query, ids)));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    CatalogTable table;
    table.id = TableId{rows.unsigned_number(r, 0)};
    table.name = {rows.string(r, 1), rows.string(r, 2)};
    table.kind = rows.text(r, 3).empty() ? 'r' : rows.text(r, 3).front();
    table.identity = rows.text(r, 4).empty() ? 'd' : rows.text(r, 4).front();
    if (!rows.is_null(r, 5)) table.key_numbers = numbers_of(rows.text(r, 5), rows.number(r, 6));
    catalog.tables.emplace(table.id, std::move(table));
  }
  return Done{};
}

Status read_columns(Connection& connection, const std::vector<TableId>& ids, Catalog& catalog) {
  TRY(rows, connection.query(with_tables(columns_query, ids)));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto found = catalog.tables.find(TableId{rows.unsigned_number(r, 0)});
    if (found == catalog.tables.end()) continue;
    CatalogColumn column;
    column.number = static_cast<std::uint16_t>(rows.number(r, 1));
    column.name = rows.string(r, 2);
    column.type = static_cast<std::uint32_t>(rows.unsigned_number(r, 3));
    column.modifier = static_cast<std::int32_t>(rows.number(r, 4));
    column.dimensions = static_cast<std::int32_t>(rows.number(r, 5));
    column.dropped = rows.truth(r, 6);
    column.generated = !rows.text(r, 7).empty();
    column.virtual_one = rows.text(r, 7) == "v";
    found->second.columns.push_back(std::move(column));
  }
  return Done{};
}

/// The columns' types, what domains and arrays among them are made of, and nothing of the thousands of others.
Status read_types(Connection& connection, const std::vector<TableId>& ids, Catalog& catalog) {
  TRY(rows, connection.query(
                "WITH RECURSIVE used(type) AS (SELECT DISTINCT atttypid FROM pg_attribute WHERE attrelid = ANY('" +
                array_of(ids) +
                "'::oid[]) AND attnum > 0 AND NOT attisdropped"
                " UNION SELECT part FROM used JOIN pg_type t ON t.oid = used.type,"
                " LATERAL unnest(ARRAY[t.typelem, t.typbasetype]) part WHERE part <> 0) " +
                std::string(type_rows_query) + " WHERE oid IN (SELECT type FROM used)"));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    TypeRow type;
    type.oid = static_cast<std::uint32_t>(rows.unsigned_number(r, 0));
    type.kind = rows.text(r, 1).empty() ? 'b' : rows.text(r, 1).front();
    type.category = rows.text(r, 2).empty() ? 'X' : rows.text(r, 2).front();
    type.name = rows.string(r, 3);
    type.element = static_cast<std::uint32_t>(rows.unsigned_number(r, 4));
    type.base = static_cast<std::uint32_t>(rows.unsigned_number(r, 5));
    type.base_modifier = static_cast<std::int32_t>(rows.number(r, 6));
    type.base_dimensions = static_cast<std::int32_t>(rows.number(r, 7));
    catalog.types.emplace(type.oid, std::move(type));
  }
  return Done{};
}

SourceType type_of(const TypeRows& types, const CatalogColumn& column) {
  return resolve_type(types, column.type, column.modifier, column.dimensions);
}

}  // namespace

Result<Catalog> read_catalog(Connection& connection, const std::vector<TableId>& tables) {
  Catalog catalog;
  if (tables.empty()) return catalog;
  TRY_DO(read_tables(connection, tables, catalog));
  TRY_DO(read_columns(connection, tables, catalog));
  TRY_DO(read_types(connection, tables, catalog));
  return catalog;
}

Column column_of(const TypeRows& types, const CatalogColumn& column) {
  const SourceType type = type_of(types, column);
  return {column.name, logical_type(type), type.oid, type.modifier, column.number};
}

bool arrives_as_text(const TypeRows& types, const CatalogColumn& column) {
  return !has_binary_decoder(type_of(types, column));
}

TableShape shape_of(const TypeRows& types, const CatalogTable& table) {
  TableShape shape;
  shape.table = table.id;
  shape.name = table.name;
  std::size_t keys_found = 0;
  for (const CatalogColumn& column : table.columns) {
    if (!column.sent()) continue;
    const auto& numbers = table.key_numbers;
    if (std::find(numbers.begin(), numbers.end(), column.number) != numbers.end()) {
      shape.key.push_back(static_cast<std::uint16_t>(shape.columns.size()));
      ++keys_found;
    }
    shape.columns.push_back(column_of(types, column));
  }
  // A key with a generated column is never sent whole.
  if (keys_found != table.key_numbers.size()) shape.key.clear();
  shape.old_rows_are_keys = table.identity != 'f' && !shape.key.empty();
  return shape;
}

}  // namespace lockstep::postgres
