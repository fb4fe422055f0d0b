#include "control/socket/address.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace lockstep::control {

Result<SocketAddress> SocketAddress::in(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return Error{ErrorKind::unreachable, "state folder " + folder + ": " + std::strerror(errno)};
  return SocketAddress(fd);
}

SocketAddress::SocketAddress(int folder_fd) : folder_fd_(folder_fd) {
  address_.sun_family = AF_UNIX;
  std::snprintf(address_.sun_path, sizeof address_.sun_path, "/proc/self/fd/%d/control.sock", folder_fd);
}

SocketAddress::SocketAddress(SocketAddress&& other) noexcept
    : folder_fd_(std::exchange(other.folder_fd_, -1)), address_(other.address_) {}

SocketAddress::~SocketAddress() {
  if (folder_fd_ >= 0) ::close(folder_fd_);
}

const sockaddr* SocketAddress::get() const {
  return reinterpret_cast<const sockaddr*>(&address_);  // NOLINT: how the socket API is made
}

}  // namespace lockstep::control
