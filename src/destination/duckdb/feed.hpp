#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.hpp"
#include "destination/duckdb/connection.hpp"
#include "model/vector.hpp"

namespace lockstep::destination::duck {

/// Rows that a statement pulls in, from several threads of DuckDB.
class Feed {
 public:
  virtual ~Feed() = default;
  virtual std::size_t threads_max() const = 0;
  /// Fills up to `capacity` rows; 0: this thread has no more. `thread` is below threads_max, and each number is used by
  /// one thread at a time. With `keeps_strings` strings live as long as the statement runs, else until the next call.
  virtual Result<std::size_t> read(std::size_t thread, std::span<VectorView> columns, std::size_t capacity) = 0;
  virtual bool keeps_strings() const = 0;
};

/// A place in a statement where a feed is plugged in for one run. Its columns are named c0, c1, …
class FeedSlot {
 public:
  explicit FeedSlot(std::vector<LogicalType> types) : types_(std::move(types)) {}

  /// Runs the statement with the feed plugged in. A feed's own Error comes out as it is.
  Result<std::uint64_t> run(Statement& statement, Feed& feed);
  const std::vector<LogicalType>& types() const { return types_; }

 private:
  friend struct FeedCallbacks;
  void keep_error(const Error& error);

  std::vector<LogicalType> types_;
  Feed* feed_ = nullptr;
  std::atomic<std::size_t> threads_started_{0};
  std::atomic<bool> has_error_{false};
  std::optional<Error> error_;  // written once, by whoever set has_error_; read when the statement has ended
};

/// The table function of one connection, `lockstep_feed_N(slot)`. Functions are seen by all connections of a file, so
/// it answers to its own connection only, and DuckDB holds it too. Not thread-safe.
class FeedFunction {
 public:
  static Result<std::shared_ptr<FeedFunction>> make(Connection& connection);
  FeedFunction(const FeedFunction&) = delete;
  FeedFunction& operator=(const FeedFunction&) = delete;

  FeedSlot& add(std::vector<LogicalType> types);
  void remove(const FeedSlot& slot);
  /// How a statement names it: "lockstep_feed_3(17)".
  std::string call(const FeedSlot& slot) const;

 private:
  friend struct FeedCallbacks;
  explicit FeedFunction(std::uint64_t connection) : connection_(connection) {}

  std::uint64_t connection_;
  std::uint64_t next_ = 1;
  std::unordered_map<std::uint64_t, std::unique_ptr<FeedSlot>> slots_;
};

/// A prepared statement with one feed in it.
struct FedStatement {
  FeedSlot* slot = nullptr;
  std::unique_ptr<Statement> statement;

  Result<std::uint64_t> run(Feed& feed) { return slot->run(*statement, feed); }
};

}  // namespace lockstep::destination::duck
