#include "source/postgres/table_list.hpp"

#include <algorithm>
#include <map>

#include "source/postgres/shapes.hpp"

namespace lockstep::postgres {
namespace {

// Sizes are the planner's, so that nobody's lock holds us up. The last columns say of a partitioned table what its
// partitions are: foreign or unlogged ones, and ones that name their old rows in a way of their own.
constexpr const char* relations_query = R"(
SELECT c.oid, n.nspname, c.relname, c.relkind, c.relpersistence, c.relreplident, c.relispartition,
  pg_has_role(c.relowner, 'USAGE'),
  CASE WHEN c.relkind <> 'p' THEN c.reltuples ELSE p.row_count END,
  CASE WHEN c.relkind <> 'p' THEN c.relpages ELSE p.page_count END * current_setting('block_size')::bigint,
  p.foreign_ones, p.unlogged_ones, p.odd_identities
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN LATERAL (
  SELECT coalesce(sum(greatest(l.reltuples, 0)), 0) AS row_count, coalesce(sum(l.relpages), 0)::bigint AS page_count,
    bool_or(l.relkind = 'f') AS foreign_ones, bool_or(l.relpersistence = 'u') AS unlogged_ones,
    bool_or(l.relreplident NOT IN ('d', 'f')) AS odd_identities
  FROM pg_partition_tree(c.oid) t JOIN pg_class l ON l.oid = t.relid
  WHERE c.relkind = 'p' AND t.isleaf) p ON true
WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
  AND n.nspname !~ '^pg_(toast|temp_)'
ORDER BY n.nspname, c.relname)";

struct Relation {
  TableId id;
  TableName name;
  char kind = 'r';
  char persistence = 'p';
  char identity = 'd';
  bool partition = false;
  bool ours_to_alter = false;
  double rows = -1;
  std::uint64_t bytes = 0;
  bool foreign_partitions = false;
  bool unlogged_partitions = false;
  bool odd_identities = false;
};

char first_of(std::string_view text) { return text.empty() ? ' ' : text.front(); }

Result<std::vector<Relation>> read_relations(Connection& connection) {
  TRY(rows, connection.query(relations_query));
  std::vector<Relation> relations;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Relation relation;
    relation.id = TableId{rows.unsigned_number(r, 0)};
    relation.name = {rows.string(r, 1), rows.string(r, 2)};
    relation.kind = first_of(rows.text(r, 3));
    relation.persistence = first_of(rows.text(r, 4));
    relation.identity = first_of(rows.text(r, 5));
    relation.partition = rows.truth(r, 6);
    relation.ours_to_alter = rows.truth(r, 7);
    relation.rows = std::strtod(rows.string(r, 8).c_str(), nullptr);
    relation.bytes = rows.unsigned_number(r, 9);
    relation.foreign_partitions = rows.truth(r, 10);
    relation.unlogged_partitions = rows.truth(r, 11);
    relation.odd_identities = rows.truth(r, 12);
    relations.push_back(std::move(relation));
  }
  return relations;
}

/// Patterns, and which of them have stood for something.
class Patterns {
 public:
  static Result<Patterns> parse(const std::vector<std::string>& texts) {
    Patterns patterns;
    for (const std::string& text : texts) {
      TRY(pattern, Pattern::parse(text));
      patterns.patterns_.push_back(std::move(pattern));
    }
    patterns.used_.resize(patterns.patterns_.size());
    return patterns;
  }

  bool empty() const { return patterns_.empty(); }

  /// `plainly`: by a pattern without wildcards.
  struct Match {
    bool any = false;
    bool plainly = false;
  };
  Match match(const TableName& name) {
    Match match;
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (!patterns_[i].matches(name)) continue;
      used_[i] = true;
      match.any = true;
      match.plainly = match.plainly || patterns_[i].names_one();
    }
    return match;
  }

  Status all_used() const {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (used_[i]) continue;
      return Error{ErrorKind::bad_input, "no table matches '" + patterns_[i].text() + "'",
                   "check the name; names with capitals or dots need double quotes"};
    }
    return Done{};
  }

 private:
  std::vector<Pattern> patterns_;
  std::vector<bool> used_;
};

Result<std::vector<Relation>> select_relations(std::vector<Relation> all, const Selection& selection) {
  TRY(include, Patterns::parse(selection.include));
  TRY(exclude, Patterns::parse(selection.exclude));
  std::vector<Relation> chosen;
  for (Relation& relation : all) {
    const Patterns::Match wanted = include.match(relation.name);
    const bool unwanted = exclude.match(relation.name).any;
    const bool no_table = relation.kind == 'v' || relation.kind == 'm' || relation.partition;
    const bool in = no_table ? wanted.plainly : include.empty() || wanted.any;
    if (in && !unwanted) chosen.push_back(std::move(relation));
  }
  TRY_DO(include.all_used());
  TRY_DO(exclude.all_used());
  return chosen;
}

/// Why the relation can never be mirrored, whatever its key; empty: it can.
std::string unfit(const Relation& relation) {
  if (relation.kind == 'v') return "it is a view";
  if (relation.kind == 'm') return "it is a materialized view: its refresh sends no rows";
  if (relation.kind == 'f') return "it is a foreign table: its rows live at another server";
  if (relation.partition) return "it is a partition, and mirrored through its root";
  if (relation.persistence == 'u' || relation.unlogged_partitions)
    return "it is unlogged: its changes are not in the log";
  if (relation.foreign_partitions) return "it has foreign partitions: their rows live at another server";
  if (relation.name.schema == "lockstep") return "schema lockstep is the mirror's own";
  if (relation.identity == 'n') {
    return "its REPLICA IDENTITY is NOTHING, so updates and deletes could not be sent; set it to DEFAULT or FULL";
  }
  if (relation.odd_identities) return "some partitions have a REPLICA IDENTITY of their own; set it to DEFAULT";
  return {};
}

/// What keeps a keyless table out, or an empty text: lockstep may give it a full identity, or it has one.
std::string keyless_unfit(const Relation& relation, const Selection& selection) {
  if (relation.kind == 'p') return "it has no usable key, and new partitions of such a table would refuse updates";
  if (selection.keyless == Keyless::leave_out) return "it has no usable key, and keyless tables are to be left out";
  if (relation.identity != 'f' && !relation.ours_to_alter) {
    return "it has no usable key, and only its owner may set REPLICA IDENTITY FULL";
  }
  return {};
}

source::Table describe(const Relation& relation, const Catalog& catalog, const Selection& selection,
                       int server_version) {
  source::Table table;
  table.rows_estimated = relation.rows;
  table.bytes = relation.bytes;
  table.shape.table = relation.id;
  table.shape.name = relation.name;
  table.left_out = unfit(relation);
  const auto found = catalog.tables.find(relation.id);
  if (!table.left_out.empty()) return table;
  if (found == catalog.tables.end()) {
    table.left_out = "it has just been dropped";
    return table;
  }
  table.shape = shape_of(catalog.types, found->second);
  if (table.shape.columns.empty()) {
    table.left_out = "it has no columns that are sent";
    return table;
  }
  const bool keyless = table.shape.key.empty();
  if (keyless) table.left_out = keyless_unfit(relation, selection);
  const auto& columns = found->second.columns;
  const bool generated = std::any_of(columns.begin(), columns.end(),
                                     [](const CatalogColumn& column) { return !column.dropped && column.generated; });
  // From 18 on the server refuses updates of a published table whose full identity has columns that are not sent.
  if (generated && server_version >= 180000 && (keyless || relation.identity == 'f')) {
    table.left_out = "it has generated columns and a full identity: updates would be refused";
  }
  table.needs_full_identity = table.left_out.empty() && keyless && relation.identity != 'f';
  return table;
}

}  // namespace

Result<std::vector<source::Table>> list_tables(Connection& connection, const Selection& selection) {
  TRY(all, read_relations(connection));
  TRY(chosen, select_relations(std::move(all), selection));
  std::vector<TableId> ids;
  for (const Relation& relation : chosen) ids.push_back(relation.id);
  TRY(catalog, read_catalog(connection, ids));
  std::vector<source::Table> tables;
  for (const Relation& relation : chosen) {
    tables.push_back(describe(relation, catalog, selection, connection.server_version()));
  }
  return tables;
}

}  // namespace lockstep::postgres
