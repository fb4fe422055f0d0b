#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>

namespace lockstep::runtime {

/// A bell for one waiting thread: rings that come before it waits are not lost, several count as one.
class Wakeup {
 public:
  void ring() {
    const std::lock_guard lock(mutex_);
    rung_ = true;
    changed_.notify_all();
  }
  /// Waits for a ring, the end of `wait_max`, or stop. True: it rang.
  bool wait(const std::stop_token& stop, std::optional<std::chrono::nanoseconds> wait_max = std::nullopt) {
    std::unique_lock lock(mutex_);
    const auto is_rung = [&] { return rung_; };
    if (wait_max) {
      changed_.wait_for(lock, stop, *wait_max, is_rung);
    } else {
      changed_.wait(lock, stop, is_rung);
    }
    const bool rang = rung_;
    rung_ = false;
    return rang;
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool rung_ = false;  // guarded by mutex_
};

}  // namespace lockstep::runtime
