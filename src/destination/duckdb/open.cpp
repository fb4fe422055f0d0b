// Opening: a file that is not ours, or not for us, must stay as it is. So an existing file is first looked at read-only,
// where DuckDB writes nothing, and only then opened to be written.

#include <filesystem>

#include "destination/duckdb/core.hpp"

namespace lockstep::destination::duck {
namespace {

Status check_place(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::path parent = std::filesystem::absolute(path, ignored).parent_path();
  if (!std::filesystem::is_directory(parent, ignored)) {
    return Error{ErrorKind::refused, "there is no directory " + parent.string(), "create it, or choose another path"};
  }
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorKind::refused, path + " is a directory", "name a file in it"};
  }
  return Done{};
}

Result<Ledger> ledger_of(Connection& connection) {
  TRY(rows, connection.query("SELECT current_database()"));
  return Ledger(rows.at(0).at(0).value_or(""));
}

Status check_owner(const std::optional<MirrorIdentity>& owner, const MirrorIdentity& ours) {
  if (!owner || (owner->mirror == ours.mirror && owner->source == ours.source)) return Done{};
  if (owner->mirror == ours.mirror) {
    return Error{ErrorKind::refused,
                 "the file holds the copy of another database: " + owner->source + ", not " + ours.source,
                 "choose another file, or `lockstep drop` the old mirror"};
  }
  return Error{ErrorKind::refused, "the file holds the copy of mirror '" + owner->mirror + "' (" + owner->source + ")",
               "choose another file, or `lockstep drop` that mirror"};
}

Status look_at(const std::string& path, const DuckDbOptions& options, const MirrorIdentity& identity) {
  TRY(database, Database::open(path, database_options(options, true)));
  TRY(connection, Connection::connect(database));
  TRY(ledger, ledger_of(*connection));
  TRY(owner, ledger.read_owner(*connection));
  return check_owner(owner, identity);
}

Status take_over(Session& session, const MirrorIdentity& identity) {
  Connection& connection = *session.admin.connection;
  TRY(transaction, Transaction::begin(connection));
  TRY(owner, session.ledger.read_owner(connection));
  TRY_DO(check_owner(owner, identity));
  if (!owner) TRY_DO(session.ledger.create(connection, identity));
  return transaction.commit();
}

}  // namespace

DatabaseOptions database_options(const DuckDbOptions& options, bool read_only) {
  return {options.memory_bytes, options.threads, options.checkpoint_bytes, read_only};
}

Status lock_down(Connection& connection) {
  TRY_DO(connection.run("SET enable_external_access = false; SET lock_configuration = true"));
  return Done{};
}

Result<Worker> Worker::make(std::shared_ptr<Database> database) {
  Worker worker;
  TRY(connection, Connection::connect(std::move(database)));
  TRY(feeds, FeedFunction::make(*connection));
  worker.connection = std::move(connection);
  worker.feeds = std::move(feeds);
  return worker;
}

Status Core::open_session() {
  TRY_DO(check_place(path));
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) TRY_DO(look_at(path, options, identity));
  auto opened = std::make_unique<Session>();
  TRY(database, Database::open(path, database_options(options, false)));
  opened->database = database;
  TRY(admin, Worker::make(database));
  opened->admin = std::move(admin);
  TRY(writer, Worker::make(database));
  opened->writer = std::move(writer);
  TRY(copier, Worker::make(database));
  opened->copier = std::move(copier);
  opened->tables = std::make_unique<TableWriter>(*opened->writer.connection, *opened->writer.feeds);
  TRY(ledger, ledger_of(*opened->admin.connection));
  opened->ledger = std::move(ledger);
  TRY_DO(lock_down(*opened->admin.connection));
  TRY_DO(take_over(*opened, identity));
  session = std::move(opened);
  readers = std::make_shared<Readers>(database);
  broken = false;
  return Done{};
}

void Core::close_session() {
  if (const std::shared_ptr<Readers> stopped = readers.exchange(nullptr); stopped != nullptr) stopped->stop();
  session.reset();
}

Status Core::usable() {
  if (session != nullptr && broken && !copying && !step_is_open) {
    close_session();
    return open_session();
  }
  if (session == nullptr) return Error{ErrorKind::unexpected, "the destination is not open"};
  return Done{};
}

Status Core::load_live() {
  if (!session->live_is_stale) return Done{};
  TRY(entries, session->ledger.read_live(*session->admin.connection));
  session->live.clear();
  for (LiveEntry& entry : entries) {
    const TableId table = entry.about.shape.table;
    session->live.emplace(table, std::move(entry));
  }
  session->live_is_stale = false;
  return Done{};
}

}  // namespace lockstep::destination::duck
