#include "source/postgres/obstacles.hpp"

#include <set>

#include "source/postgres/names.hpp"
#include "source/postgres/publication.hpp"

namespace lockstep::postgres {
namespace {

constexpr int oldest_version = 140000;  // streaming of open transactions and messages in the log came with 14

constexpr const char* server_query = R"(
SELECT current_setting('server_version'), pg_is_in_recovery(), current_setting('wal_level'),
  r.rolsuper OR r.rolreplication
    OR coalesce((SELECT pg_has_role(g.oid, 'MEMBER') FROM pg_roles g WHERE g.rolname = 'rds_replication'), false),
  has_database_privilege(current_database(), 'CREATE'),
  current_setting('max_replication_slots')::int - (SELECT count(*) FROM pg_replication_slots),
  current_setting('max_wal_senders')::int - (SELECT count(*) FROM pg_stat_replication),
  EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1),
  current_setting('server_encoding'), current_user, current_database()
FROM pg_roles r WHERE r.rolname = current_user)";

// What the role may do with each table. With row_security off a hidden row is an error, so a policy stands in the way
// unless the role passes it.
constexpr const char* tables_query = R"(
SELECT c.oid, n.nspname, c.relname, has_schema_privilege(n.oid, 'USAGE'), has_table_privilege(c.oid, 'SELECT'),
  pg_has_role(c.relowner, 'USAGE'), pg_get_userbyid(c.relowner), row_security_active(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY($1::oid[]) ORDER BY n.nspname, c.relname)";

Error refused(std::string what, std::string remedy, std::string table = {}) {
  return {ErrorKind::refused, std::move(what), std::move(remedy), std::move(table)};
}

void judge_server(const Rows& server, int version, std::vector<Error>& found) {
  if (version < oldest_version) {
    found.push_back({ErrorKind::unsupported, "PostgreSQL " + server.string(0, 0) + " is too old", "use 14 or newer"});
  }
  if (server.truth(0, 1)) {
    found.push_back({ErrorKind::unsupported, "the server is a standby", "connect to the primary"});
  }
  if (server.text(0, 2) != "logical") {
    found.push_back(refused("wal_level is " + server.string(0, 2) + ", so changes cannot be followed",
                            "run: ALTER SYSTEM SET wal_level = 'logical', then restart the server"));
  }
  if (server.text(0, 8) == "SQL_ASCII") {
    found.push_back({ErrorKind::unsupported,
                     "the database's encoding is SQL_ASCII, so what its text means is not known",
                     "move it to a database with encoding UTF8"});
  }
}

void judge_role(const Rows& server, bool publication_is_there, std::vector<Error>& found) {
  const std::string role = quote_identifier(server.text(0, 9));
  if (!server.truth(0, 3)) {
    found.push_back(
        refused("role " + role + " may not follow the change log", "run: ALTER ROLE " + role + " REPLICATION"));
  }
  if (!server.truth(0, 4) && !publication_is_there) {
    const std::string database = quote_identifier(server.text(0, 10));
    found.push_back(refused("role " + role + " may not create a publication in database " + database,
                            "run: GRANT CREATE ON DATABASE " + database + " TO " + role));
  }
}

void judge_room(const Rows& server, std::vector<Error>& found) {
  const bool slot_is_there = server.truth(0, 7);
  if (server.number(0, 5) <= 0 && !slot_is_there) {
    found.push_back(
        refused("all replication slots are in use",
                "drop unused ones (pg_replication_slots), or raise max_replication_slots and restart the server"));
  }
  if (server.number(0, 6) <= 0) {
    found.push_back(refused("all walsenders are in use", "raise max_wal_senders and restart the server"));
  }
}

void judge_table(const Rows& rows, std::size_t r, const std::string& role, bool must_own, std::vector<Error>& found) {
  const TableName name{rows.string(r, 1), rows.string(r, 2)};
  const std::string quoted = quote_table(name.schema, name.table);
  if (!rows.truth(r, 3)) {
    found.push_back(refused("role " + role + " may not look into schema " + name.schema,
                            "run: GRANT USAGE ON SCHEMA " + quote_identifier(name.schema) + " TO " + role,
                            to_text(name)));
  }
  if (!rows.truth(r, 4)) {
    found.push_back(refused("role " + role + " may not read the table",
                            "run: GRANT SELECT ON " + quoted + " TO " + role, to_text(name)));
  }
  if (must_own && !rows.truth(r, 5)) {
    found.push_back(refused("role " + role + " may not publish the table: only its owner may",
                            "run: GRANT " + quote_identifier(rows.text(r, 6)) + " TO " + role +
                                ", or publish it yourself and name the publication with --publication",
                            to_text(name)));
  }
  if (rows.truth(r, 7)) {
    found.push_back(refused("row-level security hides rows from role " + role, "run: ALTER ROLE " + role + " BYPASSRLS",
                            to_text(name)));
  }
}

}  // namespace

Result<std::vector<Error>> find_obstacles(Connection& connection, const source::Setup& planned) {
  std::vector<Error> found;
  TRY(server, connection.query(server_query, {planned.slot}));
  judge_server(server, connection.server_version(), found);
  TRY(missing, not_published(connection, planned.publication, planned.tables));
  judge_role(server, missing.empty() && !planned.tables.empty(), found);
  judge_room(server, found);
  const std::set<TableId> to_publish(missing.begin(), missing.end());
  const std::set<TableId> to_alter(planned.full_identities.begin(), planned.full_identities.end());
  TRY(tables, connection.query(tables_query, {array_of(planned.tables)}));
  const std::string role = quote_identifier(server.text(0, 9));
  for (std::size_t r = 0; r < tables.size(); ++r) {
    const TableId id{tables.unsigned_number(r, 0)};
    judge_table(tables, r, role, to_publish.contains(id) || to_alter.contains(id), found);
  }
  return found;
}

}  // namespace lockstep::postgres
