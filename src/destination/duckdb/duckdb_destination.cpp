#include "destination/duckdb/duckdb_destination.hpp"

#include <filesystem>

#include "destination/duckdb/core.hpp"

namespace lockstep::destination {
namespace {

class ReadOnlyFile : public ServesQueries {
 public:
  explicit ReadOnlyFile(std::shared_ptr<duck::Database> database) : readers_(std::move(database)) {}
  Result<Answer> query(const std::string& sql) override { return readers_.query(sql); }
  void cancel_queries() override { readers_.cancel(); }

 private:
  duck::Readers readers_;
};

}  // namespace

DuckDbDestination::DuckDbDestination(std::string path, DuckDbOptions options) : core_(std::make_unique<duck::Core>()) {
  core_->path = std::move(path);
  core_->options = options;
}

DuckDbDestination::~DuckDbDestination() { close(); }

Status DuckDbDestination::open(const MirrorIdentity& identity) {
  core_->close_session();
  core_->identity = identity;
  return core_->open_session();
}

Result<Contents> DuckDbDestination::contents() {
  TRY_DO(core_->usable());
  duck::Session& session = *core_->session;
  return core_->watched([&]() -> Result<Contents> {
    TRY(transaction, duck::Transaction::begin(*session.admin.connection));
    Contents found;
    TRY(shown, session.ledger.read_shown(*session.admin.connection));
    TRY(hidden, session.ledger.read_hidden(*session.admin.connection));
    found.shown = shown;
    for (duck::HiddenEntry& entry : hidden) found.copies.push_back(std::move(entry.ledger));
    session.live_is_stale = true;
    TRY_DO(core_->load_live());
    for (const auto& [table, live] : session.live) found.live.push_back(live.about);
    TRY_DO(transaction.commit());
    return found;
  }());
}

Status DuckDbDestination::create_hidden(const CopyLedger& ledger) {
  TRY_DO(core_->usable());
  TRY_DO(core_->load_live());
  return core_->watched(duck::create_hidden_table(*core_->session, core_->identity.mirror, ledger));
}

Result<CopyCounts> DuckDbDestination::copy_into(TableId hidden, const std::string& snapshot,
                                                std::span<const std::uint32_t> done,
                                                std::span<const std::unique_ptr<RowStream>> streams) {
  core_->copying = true;
  Result<CopyCounts> copied = Error{ErrorKind::unreachable, "the destination must be opened again"};
  if (core_->session != nullptr && !core_->broken) {
    copied = core_->watched(duck::copy_rows(*core_->session, hidden, snapshot, done, streams));
  }
  core_->copying = false;
  return copied;
}

Status DuckDbDestination::drop_hidden(TableId hidden) {
  TRY_DO(core_->usable());
  duck::Session& session = *core_->session;
  duck::Connection& connection = *session.admin.connection;
  return core_->watched([&]() -> Status {
    TRY(transaction, duck::Transaction::begin(connection));
    TRY(entries, session.ledger.read_hidden(connection));
    for (const duck::HiddenEntry& entry : entries) {
      if (entry.ledger.table != hidden) continue;
      TRY_DO(connection.run("DROP TABLE " + session.ledger.hidden_table(entry)));
      TRY_DO(session.ledger.remove_hidden(connection, {&hidden, 1}));
    }
    return transaction.commit();
  }());
}

Result<std::unique_ptr<Step>> DuckDbDestination::begin(const std::optional<Shown>& expected) {
  TRY_DO(core_->usable());
  return core_->watched(duck::begin_step(*core_, expected));
}

Status DuckDbDestination::drop_live(const TableName& table) {
  TRY_DO(core_->usable());
  TRY_DO(core_->load_live());
  duck::Session& session = *core_->session;
  duck::Connection& connection = *session.admin.connection;
  session.live_is_stale = true;
  return core_->watched([&]() -> Status {
    TRY(transaction, duck::Transaction::begin(connection));
    for (const auto& [id, live] : session.live) {
      if (live.about.shape.name != table) continue;
      TRY_DO(connection.run("DROP TABLE " + session.ledger.qualified(live.place)));
      TRY_DO(session.ledger.remove_live(connection, {&id, 1}));
    }
    TRY_DO(session.ledger.remove_notes(connection, core_->identity.mirror, {&table, 1}));
    session.tables->forget_statements();
    return transaction.commit();
  }());
}

Status DuckDbDestination::tidy_up() {
  TRY_DO(core_->usable());
  if (core_->step_is_open || core_->copying) return Done{};  // no time now: there is work
  const Result<std::uint64_t> ran = core_->watched(core_->session->admin.connection->run("CHECKPOINT"));
  const bool others_at_work = !ran.ok() && ran.error().what.find("other") != std::string::npos;
  if (!ran.ok() && !others_at_work) return ran.error();
  return Done{};
}

Status DuckDbDestination::forget() {
  TRY_DO(core_->usable());
  TRY_DO(core_->load_live());
  duck::Session& session = *core_->session;
  duck::Connection& connection = *session.admin.connection;
  session.live_is_stale = true;
  return core_->watched([&]() -> Status {
    TRY(transaction, duck::Transaction::begin(connection));
    TRY(entries, session.ledger.read_hidden(connection));
    for (const duck::HiddenEntry& entry : entries) {
      TRY_DO(connection.run("DROP TABLE " + session.ledger.hidden_table(entry)));
    }
    for (const auto& [id, live] : session.live) {
      TRY_DO(session.ledger.mark_left_behind(connection, core_->identity.mirror, live.place));
    }
    TRY_DO(session.ledger.drop(connection));
    session.tables->forget_statements();
    return transaction.commit();
  }());
}

void DuckDbDestination::close() { core_->close_session(); }

Result<Answer> DuckDbDestination::query(const std::string& sql) {
  const std::shared_ptr<duck::Readers> readers = core_->readers.load();
  if (readers == nullptr) return Error{ErrorKind::unreachable, "the destination is not open"};
  return readers->query(sql);
}

void DuckDbDestination::cancel_queries() {
  if (const std::shared_ptr<duck::Readers> readers = core_->readers.load(); readers != nullptr) readers->cancel();
}

Result<std::unique_ptr<ServesQueries>> open_read_only(const std::string& path, const DuckDbOptions& options) {
  TRY(database, duck::Database::open(path, duck::database_options(options, true)));
  TRY(connection, duck::Connection::connect(database));
  TRY_DO(duck::lock_down(*connection));
  return std::unique_ptr<ServesQueries>(std::make_unique<ReadOnlyFile>(std::move(database)));
}

}  // namespace lockstep::destination
