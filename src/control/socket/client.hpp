#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace lockstep::control {

/// A connection to a running mirror, for one request.
class Client {
 public:
  /// Error: unreachable when no process answers in this folder.
  static Result<Client> connect(const std::string& folder);
  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  /// Sends the line and waits for the answer's. Errors: cancelled when `wait_max` is over, unreachable when the
  /// process ended meanwhile.
  Result<std::string> ask(const std::string& line, std::optional<std::chrono::milliseconds> wait_max,
                          const Clock& clock);
  /// Waits for the process to end. False: it did not within `wait_max`.
  bool wait_for_end(std::chrono::milliseconds wait_max, const Clock& clock);

 private:
  explicit Client(int fd) : fd_(fd) {}
  int fd_;
};

}  // namespace lockstep::control
