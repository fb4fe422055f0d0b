#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace lockstep::runtime {

/// One thread that waits for file descriptors, signals, timers and posted work, and calls back one at a time.
/// Everything from the loop's own thread, but `post` and `wake` from any.
class EventLoop {
 public:
  explicit EventLoop(const Clock& clock);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  enum class For { reading, writing, both };
  /// Calls `ready` whenever `fd` can be read or written, until `unwatch`. One watch a descriptor; a second replaces it.
  void watch(int fd, For what, std::function<void()> ready);
  void unwatch(int fd);
  /// Calls `tick` about every `period` from now on; there is no end to it but the loop's.
  void every(std::chrono::milliseconds period, std::function<void()> tick);
  /// Calls `caught` for SIGINT and SIGTERM. Before any other thread is started: those inherit the blocked signals.
  Status catch_stop_signals(std::function<void()> caught);
  /// Runs `work` on the loop's thread.
  void post(std::function<void()> work);

  void run();  ///< until `end`
  void end() { ended_ = true; }
  void run_posted_now() { run_posted(); }  ///< after the end: what was posted meanwhile

 private:
  struct Watch {
    For what;
    std::shared_ptr<std::function<void()>> ready;
  };
  struct Timer {
    std::chrono::nanoseconds period, due;
    std::function<void()> tick;
  };
  int wait_ms() const;
  void run_posted();
  void run_timers();
  void wait_and_call();

  const Clock& clock_;
  std::map<int, Watch> watches_;
  std::vector<Timer> timers_;
  int wake_fd_ = -1;
  int signal_fd_ = -1;
  bool ended_ = false;
  std::mutex mutex_;
  std::deque<std::function<void()>> posted_;  // guarded by mutex_
};

}  // namespace lockstep::runtime
