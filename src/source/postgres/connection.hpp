#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/ids.hpp"
#include "source/postgres/address.hpp"

struct pg_conn;
struct pg_result;

namespace lockstep::postgres {

/// What a statement gave, as text.
class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}

  std::size_t size() const;
  std::size_t column_count() const;
  bool is_null(std::size_t row, std::size_t column) const;
  std::string_view text(std::size_t row, std::size_t column) const;  ///< lives as long as this; NULL: empty
  std::string string(std::size_t row, std::size_t column) const { return std::string(text(row, column)); }
  std::int64_t number(std::size_t row, std::size_t column) const;    ///< 0 when it is none
  std::uint64_t unsigned_number(std::size_t row, std::size_t column) const;
  bool truth(std::size_t row, std::size_t column) const { return text(row, column) == "t"; }
  const pg_result* raw() const { return result_.get(); }

 private:
  struct Clear {
    void operator()(pg_result* result) const;
  };
  std::unique_ptr<pg_result, Clear> result_;
};

enum class Purpose : std::uint8_t { ordinary, replication };

/// One connection to the source, in a session whose settings no server, role or database can bend: values always have
/// the same form. One thread at a time, but for `cancel`.
class Connection {
 public:
  /// Errors: unreachable, refused (password, pg_hba.conf, TLS), bad_input (no such database), busy; with a remedy.
  static Result<Connection> open(const Address& address, Purpose purpose);

  /// Runs one statement or several divided by semicolons; gives what the last one gave.
  Result<Rows> query(const std::string& sql);
  Result<Rows> query(const std::string& sql, const std::vector<std::string>& parameters);
  /// What each of several statements gave.
  Result<std::vector<Rows>> query_each(const std::string& sql);
  Status run(const std::string& sql);

  /// Starts a statement without waiting for it; `poll_result` then gives the answer, or nothing after `wait_max`.
  Status send(const std::string& sql);
  Result<bool> result_ready(std::chrono::milliseconds wait_max);
  Result<Rows> take_result();

  /// Asks the server to stop the statement that runs. From any thread.
  void cancel();

  /// The server's version as libpq counts it: 150018 is 15.18.
  int server_version() const;
  std::string database() const;
  std::string user() const;
  std::uint32_t backend() const;  ///< the server's process, as pg_stat_activity names it
  int socket() const;
  bool encrypted() const;         ///< by TLS or GSS
  bool broken() const;
  /// True when nothing says that the other end is gone. For an idle connection, from any thread.
  bool seems_alive() const;
  bool in_transaction() const;
  pg_conn* raw() const { return handle_.get(); }

  /// The connection's own last error, when no result came.
  Error last_error() const;
  Error error_of(const pg_result* result) const;

 private:
  struct Finish {
    void operator()(pg_conn* handle) const;
  };
  explicit Connection(pg_conn* handle) : handle_(handle) {}

  std::unique_ptr<pg_conn, Finish> handle_;
};

/// Waits until `socket` can be read (or written, too), or `wait_max` is over. False: it is over.
bool wait_for_socket(int socket, bool to_write, std::chrono::milliseconds wait_max);
/// Lets `wait` pass; a pause between two tries of something that only the server can tell us about.
void pause_for(std::chrono::microseconds wait);

/// "{1,2,3}": a parameter for `= any($1::oid[])`.
std::string array_of(const std::vector<TableId>& tables);
inline std::uint32_t oid_of(TableId table) { return static_cast<std::uint32_t>(table.value); }

}  // namespace lockstep::postgres
