#pragma once

#include <chrono>

namespace lockstep {

/// The one way to know the time. Rooms receive it; tests give their own.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Never goes back; for waits and ages.
  virtual std::chrono::nanoseconds monotonic() const = 0;
  /// Microseconds since 1970-01-01 UTC; for people and for lag. May jump.
  virtual std::chrono::microseconds wall() const = 0;
};

/// The machine's clock. Thread-safe.
const Clock& system_clock();

}  // namespace lockstep
