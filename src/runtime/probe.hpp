#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "runtime/adapters.hpp"
#include "runtime/status_board.hpp"
#include "runtime/wakeup.hpp"

namespace lockstep::runtime {

/// Asks the source, on connections of its own, where its log ends, and keeps an idle database's log moving. Thread-safe.
class Probe {
 public:
  Probe(std::unique_ptr<source::ChangeSource> source, StatusBoard& board, Surroundings around);

  /// Asks now, and writes something small, so that the position will be passed even when nothing happens.
  Result<Position> end_of_log();
  /// Looks about every second until stop. Failures are silent: the receiver is the one who reports the source.
  void run(const std::stop_token& stop);

 private:
  Result<Position> ask();
  void keep_moving(const Position& end, std::chrono::nanoseconds now);

  std::mutex mutex_;                                    // one question at a time
  const std::unique_ptr<source::ChangeSource> source_;  // guarded by mutex_
  StatusBoard& board_;
  Surroundings around_;
  std::optional<Position> received_;  ///< when last looked, by `run` alone
  std::chrono::nanoseconds moved_at_{0};
};

}  // namespace lockstep::runtime
