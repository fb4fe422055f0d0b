#pragma once

#include <functional>

#include "control/cli/state_folder.hpp"
#include "control/socket/client.hpp"

namespace lockstep::control {

/// Asks a mirror: `running` when its process answers, `at_rest` under its lock when there is none. Waits up to `wait_max`
/// for a process that is starting or ending. Errors: busy, refused, and those of the two.
template <class Answer>
Result<Answer> reach(const std::string& folder, std::chrono::milliseconds wait_max, const Clock& clock,
                     const std::function<Result<Answer>(Client& client)>& running,
                     const std::function<Result<Answer>()>& at_rest) {
  constexpr std::chrono::milliseconds look_every{20};
  const auto due = clock.monotonic() + wait_max;
  while (true) {
    Result<Client> client = Client::connect(folder);
    if (client.ok()) {
      Result<Answer> answered = running(client.value());
      const bool ended = !answered.ok() && answered.error().kind == ErrorKind::unreachable;
      if (!ended || clock.monotonic() >= due) return answered;
    } else {
      const Result<FolderLock> lock = FolderLock::take(folder, std::chrono::milliseconds{0}, clock);
      if (lock.ok()) return at_rest();
      if (lock.error().kind != ErrorKind::busy || clock.monotonic() >= due) return lock.error();
    }
    pause_for(look_every);
  }
}

}  // namespace lockstep::control
