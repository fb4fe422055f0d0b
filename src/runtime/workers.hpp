#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lockstep::runtime {

/// A few threads that run jobs which may block, so that the thread with the sockets and signals never does.
class Workers {
 public:
  explicit Workers(std::size_t count);
  /// Runs what is queued to its end.
  ~Workers();
  void submit(std::function<void()> job);
  /// True when no job is queued or running within `wait_max`.
  bool idle_within(std::chrono::milliseconds wait_max);

 private:
  void run(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  std::size_t running_ = 0;                 // guarded by mutex_
  std::vector<std::jthread> threads_;       // last: they use the rest
};

}  // namespace lockstep::runtime
