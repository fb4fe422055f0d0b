#include "source/postgres/publication.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string_view>

#include "source/postgres/names.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

// Marks what we made, so that nobody else's publication is ever dropped or changed. Behind it stands the newest of the
// memberships that we made: oids grow, so a table that was taken out and put in again has a newer one.
constexpr std::string_view our_comment = "made by lockstep";
constexpr std::string_view our_newest = "made by lockstep, members up to ";

// SHARE UPDATE EXCLUSIVE, which publishing takes, stops no reader and no writer; ACCESS EXCLUSIVE, which an identity
// takes, stops everyone, also while it waits. So the second gives up soon and tries often.
constexpr const char* publish_lock_wait = "2s";
constexpr const char* identity_lock_wait = "300ms";
constexpr int tries_max = 40;
constexpr milliseconds pause_first{200};
constexpr milliseconds pause_max{2000};

struct Publication {
  bool exists = false;
  std::uint64_t oid = 0;
  std::optional<std::uint64_t> newest_member;  ///< as our comment says
  bool ours = false;
  bool via_root = false;
  bool whole = false;  ///< publishes inserts, updates, deletes and truncates
  std::set<TableId> tables;
};

std::optional<std::uint64_t> newest_said(std::string_view comment) {
  if (!comment.starts_with(our_newest)) return std::nullopt;
  comment.remove_prefix(our_newest.size());
  std::uint64_t oid = 0;
  const auto parsed = std::from_chars(comment.data(), comment.data() + comment.size(), oid);
  return parsed.ec == std::errc() ? std::optional(oid) : std::nullopt;
}

Result<Publication> read_publication(Connection& connection, const std::string& name) {
  Publication publication;
  TRY(rows, connection.query("SELECT coalesce(obj_description(oid, 'pg_publication'), ''), pubviaroot,"
                             " pubinsert AND pubupdate AND pubdelete AND pubtruncate, oid"
                             " FROM pg_publication WHERE pubname = $1",
                             {name}));
  if (rows.size() == 0) return publication;
  publication.exists = true;
  publication.ours = rows.text(0, 0).starts_with(our_comment);
  publication.newest_member = newest_said(rows.text(0, 0));
  publication.via_root = rows.truth(0, 1);
  publication.whole = rows.truth(0, 2);
  publication.oid = rows.unsigned_number(0, 3);
  TRY(members,
      connection.query("SELECT c.oid FROM pg_publication_tables t JOIN pg_namespace n ON n.nspname = t.schemaname"
                       " JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.tablename"
                       " WHERE t.pubname = $1",
                       {name}));
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
                             " ORDER BY c.oid",
                             {array_of(tables)}));
  std::vector<Named> named;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    named.push_back({TableId{rows.unsigned_number(r, 0)},
                     {rows.string(r, 1), rows.string(r, 2)},
                     rows.text(r, 3).empty() ? 'd' : rows.text(r, 3).front()});
  }
  return named;
}

/// Runs a transaction that needs locks, again and again while they are not to be had.
Status run_with_locks(Connection& connection, const std::string& sql, const char* lock_wait) {
  const std::string transaction =
      "BEGIN; SET LOCAL lock_timeout = '" + std::string(lock_wait) + "'; " + sql + "; COMMIT";
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

Status note_newest_member(Connection& connection, const std::string& name) {
  TRY(rows,
      connection.query(
          "SELECT coalesce(max(m.oid), '0') FROM pg_publication p LEFT JOIN pg_publication_rel m ON m.prpubid = p.oid"
          " WHERE p.pubname = $1",
          {name}));
  return run_with_locks(connection,
                        "COMMENT ON PUBLICATION " + quote_identifier(name) + " IS " +
                            quote_literal(std::string(our_newest) + rows.string(0, 0)),
                        publish_lock_wait);
}

Status create(Connection& connection, const std::string& name, const std::vector<TableId>& tables) {
  TRY(named, name_tables(connection, tables));
  std::string sql = "CREATE PUBLICATION " + quote_identifier(name);
  if (!named.empty()) sql += " FOR TABLE " + table_list(named);
  sql += " WITH (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)";
  sql += "; COMMENT ON PUBLICATION " + quote_identifier(name) + " IS " + quote_literal(std::string(our_comment));
  TRY_DO(run_with_locks(connection, sql, publish_lock_wait));
  return note_newest_member(connection, name);
}

Status change(Connection& connection, const std::string& name, const Publication& now,
              const std::vector<TableId>& tables) {
  std::vector<TableId> missing;
  std::vector<TableId> extra;
  const std::set<TableId> wanted(tables.begin(), tables.end());
  std::set_difference(wanted.begin(), wanted.end(), now.tables.begin(), now.tables.end(), std::back_inserter(missing));
  std::set_difference(now.tables.begin(), now.tables.end(), wanted.begin(), wanted.end(), std::back_inserter(extra));
  TRY(to_add, name_tables(connection, missing));
  TRY(to_drop, name_tables(connection, extra));
  const std::string alter = "ALTER PUBLICATION " + quote_identifier(name);
  if (!to_add.empty())
    TRY_DO(run_with_locks(connection, alter + " ADD TABLE " + table_list(to_add), publish_lock_wait));
  if (!to_drop.empty())
    TRY_DO(run_with_locks(connection, alter + " DROP TABLE " + table_list(to_drop), publish_lock_wait));
  return note_newest_member(connection, name);
}

struct Member {
  std::string name;
  std::optional<std::uint64_t> oid;  ///< of the membership
  bool narrowed = false;             ///< by a row filter or a column list
};

/// Those of `tables` that still exist. Filters came with PostgreSQL 15, hence to_jsonb.
Result<std::vector<Member>> read_members(Connection& connection, const Publication& publication,
                                         const std::vector<TableId>& tables) {
  TRY(rows,
      connection.query(
          "SELECT n.nspname || '.' || c.relname, m.oid, coalesce(to_jsonb(m) ->> 'prqual', to_jsonb(m) ->> 'prattrs')"
          " IS NOT NULL FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
          " LEFT JOIN pg_publication_rel m ON m.prrelid = c.oid AND m.prpubid = $2::oid"
          " WHERE c.oid = ANY($1::oid[]) ORDER BY 1",
          {array_of(tables), std::to_string(publication.oid)}));
  std::vector<Member> members;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    Member member{rows.string(r, 0), std::nullopt, rows.truth(r, 2)};
    if (!rows.is_null(r, 1)) member.oid = rows.unsigned_number(r, 1);
    members.push_back(std::move(member));
  }
  return members;
}

/// Somebody else's publication, which must be good as it is.
Status check_foreign(Connection& connection, const std::string& name, const Publication& now,
                     const std::vector<TableId>& tables) {
  const std::string quoted = quote_identifier(name);
  if (!now.whole || !now.via_root) {
    return Error{ErrorKind::refused,
                 "publication " + name + " was not made by lockstep and does not publish everything",
                 "run: ALTER PUBLICATION " + quoted +
                     " SET (publish = 'insert, update, delete, truncate', publish_via_partition_root = true)"};
  }
  std::vector<TableId> missing;
  for (const TableId table : tables) {
    if (!now.tables.contains(table)) missing.push_back(table);
  }
  TRY(named, name_tables(connection, missing));
  if (named.empty()) return Done{};
  return Error{ErrorKind::refused,
               "publication " + name + " was not made by lockstep and lacks " + to_text(named[0].name),
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
    if (error.kind == ErrorKind::busy)
      error.remedy = "end the transactions that hold the table, or try at a quieter hour";
    return error;
  }
  return Done{};
}

Result<std::string> why_incomplete(Connection& connection, const std::string& name, const std::vector<TableId>& tables,
                                   std::uint64_t& known_oid) {
  const std::string subject = "publication " + name;
  TRY(now, read_publication(connection, name));
  if (!now.exists) return subject + " was dropped";
  if (known_oid != 0 && known_oid != now.oid) return subject + " was dropped and made again";
  known_oid = now.oid;
  if (!now.whole || !now.via_root) return "what " + subject + " publishes was changed";
  TRY(members, read_members(connection, now, tables));
  for (const Member& member : members) {
    if (member.narrowed) return subject + " was narrowed to a part of table " + member.name;
    if (!now.ours) continue;
    if (!member.oid) return "table " + member.name + " was taken out of " + subject;
    if (now.newest_member && *member.oid > *now.newest_member) {
      return "table " + member.name + " was taken out of " + subject + " and put in again";
    }
  }
  if (now.ours) return std::string();
  TRY(missing, not_published(connection, name, tables));
  TRY(named, name_tables(connection, missing));
  return named.empty() ? std::string() : subject + " lacks table " + to_text(named[0].name);
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
