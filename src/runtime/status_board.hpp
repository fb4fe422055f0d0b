#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

#include "runtime/status.hpp"

namespace lockstep::runtime {

/// Where a mirror's threads write what is known, and everybody else reads it. Thread-safe.
class StatusBoard {
 public:
  MirrorStatus read() const {
    const std::lock_guard lock(mutex_);
    return status_;
  }

  /// Changes the status in place; `change` must not block.
  template <class Change>
  void update(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change(status_);
      changed_.notify_all();
    }
    const std::lock_guard lock(listener_mutex_);
    if (listener_) listener_();
  }

  /// When this returns the one before is not called any more. A listener must not change the board.
  void on_change(std::function<void()> listener) {
    const std::lock_guard lock(listener_mutex_);
    listener_ = std::move(listener);
  }

  /// Waits until the goal is reached. False: stop came first.
  bool wait_for(const Goal& goal, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    return changed_.wait(lock, stop, [&] { return is_reached(goal, status_); });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  MirrorStatus status_;             // guarded by mutex_
  std::mutex listener_mutex_;       // never held together with mutex_
  std::function<void()> listener_;  // guarded by listener_mutex_
};

}  // namespace lockstep::runtime
