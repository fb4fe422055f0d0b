#include "source/postgres/setter.hpp"

#include <charconv>

#include "base/failpoint.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/obstacles.hpp"
#include "source/postgres/publication.hpp"
#include "source/postgres/slot.hpp"
#include "source/postgres/table_list.hpp"

namespace lockstep::postgres {

// Everything by SQL: it gives what IDENTIFY_SYSTEM gives, and works for a role that has no REPLICATION yet, so that the
// assessment can go on and say so. The timeline is the first part of the current log file's name.
Result<source::Identity> PgSetter::identify() {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  TRY(rows, connection.query("SELECT s.system_identifier, CASE WHEN pg_is_in_recovery() THEN '0'"
                             " ELSE left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) END, d.datname, d.oid,"
                             " current_setting('server_version') FROM pg_control_system() s, pg_database d"
                             " WHERE d.datname = current_database()"));
  source::Identity identity;
  identity.kind = "postgresql";
  identity.system = rows.string(0, 0);
  const std::string_view timeline = rows.text(0, 1);
  std::from_chars(timeline.data(), timeline.data() + timeline.size(), identity.timeline, 16);
  identity.database = rows.string(0, 2);
  identity.database_id = rows.unsigned_number(0, 3);
  identity.version = rows.string(0, 4);
  return identity;
}

Result<std::vector<Error>> PgSetter::obstacles(const source::Setup& planned) {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  TRY(found, find_obstacles(connection, planned));
  if (!found.empty()) return found;
  // Rights are one thing, pg_hba.conf another: it can refuse a replication connection alone.
  Result<Connection> replication = Connection::open(address_, Purpose::replication);
  if (!replication.ok()) found.push_back(replication.error());
  return found;
}

Result<std::vector<source::Table>> PgSetter::tables() {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  return list_tables(connection, selection_);
}

Status PgSetter::publish(const source::Setup& setup) {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  // Identities first: a published table without one refuses the application's updates.
  TRY_DO(set_identities(connection, setup.full_identities, true));
  return make_publication(connection, setup.publication, setup.tables);
}

Result<source::CreatedSlot> PgSetter::create_slot(const source::Setup& setup,
                                                  const std::function<bool(const std::string& blockers)>& waiting) {
  return postgres::create_slot(address_, setup.slot, waiting);
}

Result<source::LogState> PgSetter::log_state(const source::Setup& setup) {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  return read_log_state(connection, setup.slot);
}

Status PgSetter::remove(const source::Setup& setup) {
  TRY(connection, Connection::open(address_, Purpose::ordinary));
  TRY_DO(drop_slot(connection, setup.slot));
  FAILPOINT("drop.slot_dropped");
  // The publication before the identities, so that no published table is ever without one.
  TRY_DO(drop_publication(connection, setup.publication));
  return set_identities(connection, setup.full_identities, false);
}

}  // namespace lockstep::postgres
