#include "base/clock.hpp"

namespace lockstep {
namespace {

class SystemClock final : public Clock {
 public:
  std::chrono::nanoseconds monotonic() const override { return std::chrono::steady_clock::now().time_since_epoch(); }
  std::chrono::microseconds wall() const override {
    return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch());
  }
};

}  // namespace

const Clock& system_clock() {
  static const SystemClock clock;
  return clock;
}

}  // namespace lockstep
