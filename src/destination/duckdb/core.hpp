#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "destination/destination.hpp"
#include "destination/duckdb/duckdb_destination.hpp"
#include "destination/duckdb/feed.hpp"
#include "destination/duckdb/ledger.hpp"
#include "destination/duckdb/readers.hpp"
#include "destination/duckdb/writer.hpp"

namespace lockstep::destination::duck {

/// A connection with the table function that feeds it.
struct Worker {
  std::shared_ptr<FeedFunction> feeds;
  std::unique_ptr<Connection> connection;

  static Result<Worker> make(std::shared_ptr<Database> database);
};

/// What is there while the file is open. `admin` and `writer` belong to the destination's one thread, `copier` to
/// `copy_into`, which may run beside it.
struct Session {
  std::shared_ptr<Database> database;
  Ledger ledger{""};
  Worker admin;
  Worker writer;
  Worker copier;
  std::unique_ptr<TableWriter> tables;  ///< on `writer`
  std::map<TableId, LiveEntry> live;    ///< as committed
  bool live_is_stale = true;            ///< read it again before it is used
};

struct Core {
  std::string path;
  DuckDbOptions options;
  MirrorIdentity identity;
  std::unique_ptr<Session> session;
  std::atomic<std::shared_ptr<Readers>> readers;
  std::atomic<bool> copying{false};
  std::atomic<bool> broken{false};  ///< a fatal error of DuckDB: the file must be opened again
  bool step_is_open = false;

  Status open_session();
  void close_session();
  /// Before each call: opens the file again after a fatal error. Error: unexpected when it is not open.
  Status usable();
  Status load_live();
  /// Remembers when the session is of no more use. Gives `result` back.
  template <class T>
  Result<T> watched(Result<T> result) {
    if (!result.ok() && is_fatal(result.error())) broken = true;
    return result;
  }
};

/// Opens a file with the settings of `options`. Nothing else may be read through it, and settings are locked.
Status lock_down(Connection& connection);
DatabaseOptions database_options(const DuckDbOptions& options, bool read_only);

Target target_of(const Ledger& ledger, const TableShape& shape, const std::vector<LogicalType>& types,
                 const std::string& table);

Result<CopyCounts> copy_rows(Session& session, TableId hidden, const std::string& snapshot,
                             std::span<const std::uint32_t> done, std::span<const std::unique_ptr<RowStream>> streams);

/// Creates the hidden table, in place of an older one, and its ledger.
Status create_hidden_table(Session& session, const std::string& mirror, const CopyLedger& ledger);

Result<std::unique_ptr<Step>> begin_step(Core& core, const std::optional<Shown>& expected);

}  // namespace lockstep::destination::duck
