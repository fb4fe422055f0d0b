#include "control/socket/client.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "control/socket/address.hpp"

namespace lockstep::control {
namespace {

/// Waits until there is something to read. False: `due` came first.
bool readable(int fd, std::optional<std::chrono::nanoseconds> due, const Clock& clock) {
  pollfd polled{fd, POLLIN, 0};
  while (true) {
    int wait_ms = -1;
    if (due) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due - clock.monotonic()).count();
      wait_ms = static_cast<int>(std::clamp<long>(left, 0, 3'600'000));
    }
    const int ready = ::poll(&polled, 1, wait_ms);
    if (ready > 0) return true;
    if (ready == 0 && due && clock.monotonic() >= *due) return false;
    if (ready < 0 && errno != EINTR) return true;  // reading will tell why
  }
}

}  // namespace

Result<Client> Client::connect(const std::string& folder) {
  TRY(address, SocketAddress::in(folder));
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return Error{ErrorKind::unexpected, std::string("control socket: ") + std::strerror(errno)};
  Client client(fd);
  if (::connect(fd, address.get(), address.size()) != 0) {
    return Error{ErrorKind::unreachable, "the mirror is not running"};
  }
  return client;
}

Client::Client(Client&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Client::~Client() {
  if (fd_ >= 0) ::close(fd_);
}

Result<std::string> Client::ask(const std::string& line, std::optional<std::chrono::milliseconds> wait_max,
                                const Clock& clock) {
  const Error ended{ErrorKind::unreachable, "the mirror's process ended"};
  std::string out = line + "\n";
  while (!out.empty()) {
    const ssize_t put = ::send(fd_, out.data(), out.size(), MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return ended;
    out.erase(0, static_cast<std::size_t>(put));
  }
  std::optional<std::chrono::nanoseconds> due;
  if (wait_max) due = clock.monotonic() + *wait_max;
  std::string in;
  std::array<char, 65536> buffer;
  while (in.empty() || in.back() != '\n') {
    if (!readable(fd_, due, clock)) return Error{ErrorKind::cancelled, "timed out"};
    const ssize_t got = ::read(fd_, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return ended;
    in.append(buffer.data(), static_cast<std::size_t>(got));
  }
  in.pop_back();
  return in;
}

bool Client::wait_for_end(std::chrono::milliseconds wait_max, const Clock& clock) {
  const auto due = clock.monotonic() + wait_max;
  char byte = 0;
  while (readable(fd_, due, clock)) {
    if (::read(fd_, &byte, 1) <= 0) return true;
  }
  return false;
}

}  // namespace lockstep::control
