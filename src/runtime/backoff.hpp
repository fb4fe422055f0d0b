#pragma once

#include <algorithm>
#include <chrono>

namespace lockstep::runtime {

/// How long to wait before the next try: 200 ms, doubled with each failure, at most 30 s.
class Backoff {
 public:
  std::chrono::milliseconds failed() {
    const auto wait = wait_;
    wait_ = std::min(wait_ * 2, wait_max);
    return wait;
  }
  void succeeded() { wait_ = wait_first; }

 private:
  static constexpr std::chrono::milliseconds wait_first{200};   // a server that restarts is often back within a second
  static constexpr std::chrono::milliseconds wait_max{30'000};  // an operator who mended it sees it go on soon
  std::chrono::milliseconds wait_ = wait_first;
};

}  // namespace lockstep::runtime
