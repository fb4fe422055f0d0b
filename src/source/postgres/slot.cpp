#include "source/postgres/slot.hpp"

#include "source/postgres/names.hpp"
#include "source/postgres/snapshot.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds report_interval{1000};
constexpr milliseconds drop_pause{250};
constexpr int drop_tries_max = 120;  // 30 s
constexpr int tries_before_ending =
    20;  // 5 s: a connection whose process was killed is gone by then, unless the network ate it
constexpr std::size_t blockers_named_max = 5;

// Slot creation waits for every transaction that has written something, in any database of the server. What another
// role's session does is hidden from ours unless it has pg_read_all_stats; its process and user are not.
constexpr const char* blockers_query = R"(
SELECT * FROM (
  SELECT 'process ' || pid || ', user ' || coalesce(usename, '?') || coalesce(', database ' || datname, '')
    || coalesce(', open for ' || extract(epoch FROM now() - xact_start)::bigint || ' s', '') || coalesce(', ' || state, ''),
    coalesce(xact_start, backend_start, now()) AS since
  FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
  UNION ALL
  SELECT 'prepared transaction ' || quote_literal(gid) || ', user ' || owner || ', database ' || database
    || ', since ' || extract(epoch FROM now() - prepared)::bigint || ' s', prepared
  FROM pg_prepared_xacts) blockers ORDER BY since)";

std::string describe_blockers(Connection& connection) {
  Result<Rows> rows = connection.query(blockers_query);
  if (!rows.ok()) return "the open transactions cannot be listed: " + rows.error().what;
  const std::size_t count = rows.value().size();
  if (count == 0) return "no open transaction is to be seen; perhaps a commit waits for a synchronous standby";
  std::string text;
  for (std::size_t r = 0; r < count && r < blockers_named_max; ++r) {
    text += (r == 0 ? "" : "; ") + rows.value().string(r, 0);
  }
  if (count > blockers_named_max) text += "; and " + std::to_string(count - blockers_named_max) + " more";
  return text;
}

/// Makes room for a new slot of that name.
Status remove_leftover(Connection& connection, const std::string& name) {
  TRY(rows,
      connection.query("SELECT s.active, s.active_pid, coalesce(t.total_bytes + t.stream_bytes + t.spill_bytes, 0)"
                       " FROM pg_replication_slots s LEFT JOIN pg_stat_replication_slots t USING (slot_name)"
                       " WHERE s.slot_name = $1",
                       {name}));
  if (rows.size() == 0) return Done{};
  if (rows.truth(0, 0)) {
    return Error{ErrorKind::busy, "replication slot " + name + " is active for PID " + rows.string(0, 1),
                 "another lockstep uses it; stop that one, or choose another --mirror name"};
  }
  if (rows.number(0, 2) > 0) {
    return Error{ErrorKind::conflict, "replication slot " + name + " exists, and a mirror has been reading from it",
                 "use that mirror's --state folder, or take it away first: lockstep drop --yes --from …"};
  }
  return drop_slot(connection, name);
}

Result<Rows> create_and_wait(Connection& replication, Connection& watcher, const std::string& name,
                             const std::function<bool(const std::string& blockers)>& waiting) {
  const bool old_syntax = replication.server_version() < 150000;
  TRY_DO(replication.send("CREATE_REPLICATION_SLOT " + quote_identifier(name) + " LOGICAL pgoutput " +
                          (old_syntax ? "EXPORT_SNAPSHOT" : "(SNAPSHOT 'export')")));
  for (;;) {
    TRY(ready, replication.result_ready(report_interval));
    if (ready) break;
    if (waiting(describe_blockers(watcher))) continue;
    // A slot that is being made vanishes with its statement.
    replication.cancel();
    static_cast<void>(replication.take_result());
    return Error{ErrorKind::cancelled, "given up while waiting for older transactions to end"};
  }
  return replication.take_result();
}

Result<source::CreatedSlot> finish_slot(const Address& address, const Rows& made) {
  TRY(start, parse_lsn(made.text(0, 1)));
  TRY(holder, Connection::open(address, Purpose::ordinary));
  TRY(snapshot, PgSnapshot::adopt(std::move(holder), made.string(0, 2)));
  return source::CreatedSlot{Position(PgPosition{start}), std::move(snapshot)};
}

// to_jsonb because 17 added the reason and older servers lack the column.
constexpr const char* state_query = R"(
SELECT s.active, s.active_pid, s.confirmed_flush_lsn, pg_wal_lsn_diff(pg_current_wal_lsn(), s.restart_lsn)::bigint,
  s.wal_status, s.restart_lsn IS NULL, s.database, s.plugin,
  coalesce(a.application_name || coalesce(' from ' || host(a.client_addr), '') || ', user ' || a.usename, ''),
  coalesce(to_jsonb(s) ->> 'invalidation_reason', '')
FROM pg_replication_slots s LEFT JOIN pg_stat_activity a ON a.pid = s.active_pid WHERE s.slot_name = $1)";

/// Why the slot can never be read again; empty: it can.
std::string why_lost(const Rows& rows, const std::string& database) {
  const std::string_view reason = rows.text(0, 9);
  if (reason == "wal_removed") return "the server removed log that was still needed (max_slot_wal_keep_size)";
  if (reason == "idle_timeout") return "it was not used for longer than idle_replication_slot_timeout";
  if (reason == "wal_level_insufficient") return "wal_level was lowered";
  if (!reason.empty()) return "the server invalidated it: " + std::string(reason);
  if (rows.text(0, 4) == "lost" || rows.truth(0, 5))
    return "the server removed log that was still needed (max_slot_wal_keep_size)";
  if (rows.text(0, 6) != database) return "it belongs to database " + rows.string(0, 6);
  if (rows.text(0, 7) != "pgoutput") return "it uses plugin " + rows.string(0, 7);
  return {};
}

/// Ends the walsender that holds our slot, if it is a lockstep's: of a process that was killed on a machine that is cut off.
Status end_our_sender(Connection& connection, const std::string& name) {
  return connection.run(
      "SELECT pg_terminate_backend(a.pid) FROM pg_replication_slots s JOIN pg_stat_activity a"
      " ON a.pid = s.active_pid WHERE s.slot_name = " +
      quote_literal(name) + " AND a.application_name = 'lockstep' AND a.usename = current_user");
}

}  // namespace

Result<source::CreatedSlot> create_slot(const Address& address, const std::string& name,
                                        const std::function<bool(const std::string& blockers)>& waiting) {
  TRY(watcher, Connection::open(address, Purpose::ordinary));
  TRY_DO(remove_leftover(watcher, name));
  TRY(replication, Connection::open(address, Purpose::replication));
  Result<Rows> made = create_and_wait(replication, watcher, name, waiting);
  if (!made.ok()) return with_context(made.error(), "creating replication slot " + name);
  // The exported snapshot lives as long as the replication connection stays idle: until the end of this function.
  Result<source::CreatedSlot> created = finish_slot(address, made.value());
  if (!created.ok()) static_cast<void>(drop_slot(watcher, name));  // the first error is the one to tell
  return created;
}

Result<source::LogState> read_log_state(Connection& connection, const std::string& name) {
  source::LogState state;
  TRY(rows, connection.query(state_query, {name}));
  if (rows.size() == 0) return state;
  state.exists = true;
  state.active = rows.truth(0, 0);
  if (state.active) {
    state.active_by = "PID " + rows.string(0, 1);
    if (!rows.text(0, 8).empty()) state.active_by += " (" + rows.string(0, 8) + ")";
  }
  state.lost = why_lost(rows, connection.database());
  if (!rows.is_null(0, 2)) {
    TRY(confirmed, parse_lsn(rows.text(0, 2)));
    state.confirmed = PgPosition{confirmed};
  }
  if (!rows.is_null(0, 3) && rows.number(0, 3) > 0) state.retained_bytes = rows.unsigned_number(0, 3);
  return state;
}

Status drop_slot(Connection& connection, const std::string& name) {
  for (int tries = 1;; ++tries) {
    TRY(state, read_log_state(connection, name));
    if (!state.exists) return Done{};
    if (!state.active) {
      Status dropped = connection.run("SELECT pg_drop_replication_slot(" + quote_literal(name) + ")");
      // Somebody may have been quicker, in either way: the next look tells.
      if (dropped.ok() || dropped.error().native == "42704") return Done{};
      if (dropped.error().kind != ErrorKind::busy) return dropped;
    }
    if (tries == drop_tries_max) {
      return Error{ErrorKind::busy, "replication slot " + name + " is active for " + state.active_by,
                   "stop what reads from it"};
    }
    if (tries == tries_before_ending) TRY_DO(end_our_sender(connection, name));
    pause_for(drop_pause);
  }
}

}  // namespace lockstep::postgres
