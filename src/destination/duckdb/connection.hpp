#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

// The handles of duckdb.h, so that only .cpp files need that header.
struct _duckdb_database;
struct _duckdb_connection;
struct _duckdb_prepared_statement;

namespace lockstep::destination::duck {

struct DatabaseOptions {
  std::uint64_t memory_bytes = 0;                 ///< DuckDB's own buffers; 0: DuckDB decides
  std::uint32_t threads = 0;                      ///< 0: DuckDB decides
  std::uint64_t checkpoint_bytes = 256ull << 20;  ///< of write-ahead log, before a commit has to wait for a checkpoint
  bool read_only = false;
};

/// What DuckDB says went wrong, as an Error. `type` is a duckdb_error_type. Never carries values of rows.
Error error_of(int type, std::string_view message);
/// After such an error the file must be opened again before anything else works.
bool is_fatal(const Error& error);

/// An open file. Closed when the last holder lets go.
class Database {
 public:
  /// Errors: busy (names the process that holds it), bad_data, unsupported, refused, no_space.
  static Result<std::shared_ptr<Database>> open(const std::string& path, const DatabaseOptions& options);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  _duckdb_database* handle() const { return handle_; }

 private:
  explicit Database(_duckdb_database* handle) : handle_(handle) {}
  _duckdb_database* handle_;
};

using TextRows = std::vector<std::vector<std::optional<std::string>>>;

class Statement {
 public:
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  /// The number of rows changed.
  Result<std::uint64_t> run();
  int type() const;  ///< a duckdb_statement_type
  _duckdb_prepared_statement* handle() const { return handle_; }

 private:
  friend class Connection;
  explicit Statement(_duckdb_prepared_statement* handle) : handle_(handle) {}
  _duckdb_prepared_statement* handle_;
};

/// One connection: one thread at a time, but for `interrupt`.
class Connection {
 public:
  static Result<std::unique_ptr<Connection>> connect(std::shared_ptr<Database> database);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs one statement or several; the number of rows that the last one changed.
  Result<std::uint64_t> run(const std::string& sql);
  /// Every column of the statement must be VARCHAR or BLOB.
  Result<TextRows> query(const std::string& sql);
  Result<std::unique_ptr<Statement>> prepare(const std::string& sql);
  /// Takes an open transaction back, if there is one.
  void rollback();
  void interrupt();
  std::uint64_t id() const { return id_; }
  _duckdb_connection* handle() const { return handle_; }

 private:
  Connection(std::shared_ptr<Database> database, _duckdb_connection* handle);
  std::shared_ptr<Database> database_;
  _duckdb_connection* handle_;
  std::uint64_t id_;
};

/// BEGIN now; taken back when it is destroyed before `commit`.
class Transaction {
 public:
  static Result<Transaction> begin(Connection& connection);
  Transaction(Transaction&& other) noexcept : connection_(std::exchange(other.connection_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  explicit Transaction(Connection* connection) : connection_(connection) {}
  Connection* connection_;
};

/// "name" with quotes doubled; any text may stand in a name.
std::string quote_name(std::string_view name);
/// 'text' as a literal of type VARCHAR; a zero byte, which DuckDB's text of a statement cannot carry, is left out.
std::string quote_text(std::string_view text);
/// A literal of type BLOB.
std::string quote_bytes(std::string_view bytes);

}  // namespace lockstep::destination::duck
