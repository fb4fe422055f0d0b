#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "runtime/adapters.hpp"
#include "runtime/backoff.hpp"
#include "runtime/wakeup.hpp"

namespace lockstep::runtime {

/// Calls `attempt` until it succeeds, fails in a way that does not end by itself, `wait_max` is over, or stop. Says once,
/// as `event`, why it waits. `wait_max` nothing: for ever.
template <class Attempt>
auto patiently(const Surroundings& around, const std::stop_token& stop, std::string_view event,
               std::optional<std::chrono::nanoseconds> wait_max, Attempt attempt) -> decltype(attempt()) {
  const auto begun = around.clock.monotonic();
  Backoff backoff;
  Wakeup never;
  for (bool said = false;; said = true) {
    auto result = attempt();
    if (result.ok() || retry_for(result.error().kind) != Retry::later) return result;
    if (wait_max && around.clock.monotonic() - begun >= *wait_max) return result;
    if (!said) around.log.warn(event, {{"kind", name_of(result.error().kind)}, {"why", to_text(result.error())}});
    never.wait(stop, backoff.failed());
    if (stop.stop_requested()) return Error{ErrorKind::cancelled, "asked to stop"};
  }
}

/// How long a start waits for a lock that a killed predecessor or a short verb still holds.
inline constexpr std::chrono::seconds predecessor_wait{30};

}  // namespace lockstep::runtime
