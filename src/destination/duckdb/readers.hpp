#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <string>

#include "destination/destination.hpp"
#include "destination/duckdb/connection.hpp"

namespace lockstep::destination::duck {

struct Reader;

/// Answers queries of users, several at a time, each out of one state: its transaction's. Thread-safe.
class Readers {
 public:
  explicit Readers(std::shared_ptr<Database> database);
  ~Readers();
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  /// Errors: bad_input (with DuckDB's words), refused (not only reading), busy (too many at once), cancelled.
  Result<Answer> query(const std::string& sql);
  /// Cancels what runs and returns when all is quiet. Queries may begin again then.
  void cancel();

 private:
  static constexpr std::size_t readers_max = 8;  // each may use all threads and memory of DuckDB
  struct Slot {
    std::atomic<bool> taken{false};
    std::atomic<Connection*> running{nullptr};
    std::unique_ptr<Reader> reader;  // made when it is first needed; used by whoever has `taken`
  };
  friend struct Core;
  /// Cancels what runs, lets nothing new begin, and returns when all is quiet.
  void stop();
  Result<Answer> query_in(Slot& slot, const std::string& sql);

  std::shared_ptr<Database> database_;
  std::array<Slot, readers_max> slots_;
  std::atomic<std::size_t> active_{0};
  std::atomic<std::size_t> stopping_{0};  // calls of `cancel` that have not returned, and `stop`
};

}  // namespace lockstep::destination::duck
