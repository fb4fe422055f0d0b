#include "source/postgres/publication.hpp"

#include <algorithm>
#include <set>

#include "source/postgres/names.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

// Marks what we made, so that nobody else's publication is ever dropped or changed.
constexpr const char* our_comment = "made by lockstep";

// SHARE UPDATE EXCLUSIVE, which publishing takes, stops no reader and no writer; ACCESS EXCLUSIVE, which an identity
// takes, stops everyone, also while it waits. So the second gives up soon and tries often.
constexpr const char* publish_lock_wait = "2s";
constexpr const char* identity_lock_wait = "300ms";
constexpr int tries_max = 40;
constexpr milliseconds pause_first{200};
constexpr milliseconds pause_max{2000};

struct Publication {
  bool exists = false;
  bool ours = false;
  bool via_root = false;
  bool whole = false;  ///< publishes inserts, updates, deletes and truncates
  std::set<TableId> tables;
};

Result<Publication> read_publication(Connection& connection, const std::string& name) {
  Publication publication;
  TRY(rows, connection.query("SELECT obj_description(oid, 'pg_publication') LIKE 'made by lockstep%', pubviaroot,"
                             " pubinsert AND pubupdate AND pubdelete AND pubtruncate"
                             " FROM pg_publication WHERE pubname = $1", {name}));
  if (rows.size() == 0) return publication;
  publication.exists = true;
  publication.ours = rows.truth(0, 0);
  publication.via_root = rows.truth(0, 1);
  publication.whole = rows.truth(0, 2);
  TRY(members, connection.query("SELECT c.oid FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname"
                                " JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename"
                                " WHERE t.pubname = $1", {name}));
  for (std::size_t r = 0; r < members.size(); ++r) publication.tables.insert(TableId{members.unsigned_number(r, 0)});
  return publication;
}

struct Named {
  TableId id;
  TableName name;
  char identity = 'd';
  std::string quoted() const { return quote_table(name.schema, name.table); }
};

Result<std::vector<Named>> name_tables(Connection& connection, const std::vector<TableId>& tables) {
  TRY(rows, connection.query("SELECT c.oid, n.nspname, c.relname, c.relreplident FROM pg_class c"
                             " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = ANY($1::oid[])"
                             " ORDER BY c.oid", {array_of(tables)}));
  std::vector<Named> named;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    named.push_back({TableId{rows.unsigned_number(r, 0)}, {rows.string(r, 1), rows.string(r, 2)},
                     rows.text(r, 3).empty() ? 'd' : rows.text(r, 3).front()});
  }
  return named;
}

/// Runs a transaction that needs locks, again and again while they are not to be had.
Status run_with_locks(Connection& connection, const std::string& sql, const char* lock_wait) {
  const std::string transaction = "BEGIN; SET LOCAL lock_timeout = '" + std::string(lock_wait) + "'; " + sql + "; COMMIT";
  milliseconds pause = pause_first;
  for (int tries = 1;; ++tries) {
    Status done = connection.run(transaction);
    if (done.ok()) return done;
    if (connection.in_transaction() && !connection.broken()) TRY_DO(connection.run("ROLLBACK"));
    if (done.error().kind != ErrorKind::busy || tries == tries_max) return done;
    pause_for(pause);
    pause = std::min(pause * 2, pause_max);
  }
}

/// "ONLY a, ONLY b": inheriting tables are tables of their own.
std::string table_list(const std::vector<Named>& tables) {
  std::string list;
  for (const Named& table : tables) list += (list.empty() ? "ONLY " : ", ONLY ") + table.quoted();
  return list;
}

Status create(Connection& connection, const std::string& name, const std::vector<TableId>& tables) {
  TRY(named, name_tables(connection, tables));
  std::string sql = "CREATE PUBLICATION " + quote_identifier(name);
  if (!named.empty()) sql += " FOR TABLE " + table_list(named);
  sql += " WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)";
  sql += "; COMMENT ON PUBLICATION " + quote_identifier(name) + " IS " + quote_literal(our_comment);
  return run_with_locks(connection, sql, publish_lock_wait);
}

Status change(Connection& connection, const std::string& name, const Publication& now, const std::vector<TableId>& tables) {
  std::vector<TableId> missing;
  std::vector<TableId> extra;
  const std::set<TableId> wanted(tables.begin(), tables.end());
  std::set_difference(wanted.begin(), wanted.end(), now.tables.begin(), now.tables.end(), std::back_inserter(missing));
  std::set_difference(now.tables.begin(), now.tables.end(), wanted.begin(), wanted.end(), std::back_inserter(extra));
  TRY(to_add, name_tables(connection, missing));
  TRY(to_drop, name_tables(connection, extra));
  const std::string alter = "ALTER PUBLICATION " + quote_identifier(name);
  if (!to_add.empty()) TRY_DO(run_with_locks(connection, alter + " ADD TABLE " + table_list(to_add), publish_lock_wait));
  if (!to_drop.empty()) TRY_DO(run_with_locks(connection, alter + " DROP TABLE " + table_list(to_drop), publish_lock_wait));
  return Done{};
}

/// Somebody else's publication, which must be good as it is.
Status check_foreign(Connection& connection, const std::string& name, const Publication& now,
                     const std::vector<TableId>& tables) {
  const std::string quoted = quote_identifier(name);
  if (!now.whole || !now.via_root) {
    return Error{ErrorKind::refused, "publication " + name + " was not made by lockstep and does not publish everything",
                 "run: ALTER PUBLICATION " + quoted +
                     " SET (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)"};
  }
  std::vector<TableId> missing;
  for (const TableId table : tables) {
    if (!now.tables.contains(table)) missing.push_back(table);
  }
  TRY(named, name_tables(connection, missing));
  if (named.empty()) return Done{};
  return Error{ErrorKind::refused, "publication " + name + " was not made by lockstep and lacks " + to_text(named[0].name),
               "run: ALTER PUBLICATION " + quoted + " ADD TABLE " + table_list(named)};
}

}  // namespace

Status make_publication(Connection& connection, const std::string& name, const std::vector<TableId>& tables) {
  TRY(now, read_publication(connection, name));
  if (!now.exists) return create(connection, name, tables);
  if (!now.ours) return check_foreign(connection, name, now, tables);
  return change(connection, name, now, tables);
}

Status drop_publication(Connection& connection, const std::string& name) {
  TRY(now, read_publication(connection, name));
  if (!now.exists || !now.ours) return Done{};
  return run_with_locks(connection, "DROP PUBLICATION IF EXISTS " + quote_identifier(name), publish_lock_wait);
}

Status set_identities(Connection& connection, const std::vector<TableId>& tables, bool full) {
  TRY(named, name_tables(connection, tables));
  for (const Named& table : named) {
    if ((table.identity == 'f') == full) continue;
    const std::string sql = "ALTER TABLE ONLY " + table.quoted() + " REPLICA IDENTITY " + (full ? "FULL" : "DEFAULT");
    Status done = run_with_locks(connection, sql, identity_lock_wait);
    if (done.ok()) continue;
    Error error = with_context(done.error(), "setting the replica identity");
    error.table = to_text(table.name);
    if (error.kind == ErrorKind::busy) error.remedy = "end the transactions that hold the table, or try at a quieter hour";
    return error;
  }
  return Done{};
}

Result<std::vector<TableId>> not_published(Connection& connection, const std::string& name,
                                           const std::vector<TableId>& tables) {
  TRY(now, read_publication(connection, name));
  std::vector<TableId> missing;
  for (const TableId table : tables) {
    if (!now.tables.contains(table)) missing.push_back(table);
  }
  return missing;
}

}  // namespace lockstep::postgres
