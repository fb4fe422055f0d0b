#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "base/result.hpp"

namespace lockstep::control {

/// The address of `control.sock` in a state folder. A socket's path may have 107 bytes only, so it goes through an open
/// descriptor of the folder, which this object holds.
class SocketAddress {
 public:
  static Result<SocketAddress> in(const std::string& folder);
  SocketAddress(SocketAddress&& other) noexcept;
  SocketAddress& operator=(SocketAddress&&) = delete;
  ~SocketAddress();

  const sockaddr* get() const;
  socklen_t size() const { return sizeof address_; }
  const char* path() const { return address_.sun_path; }

 private:
  explicit SocketAddress(int folder_fd);
  int folder_fd_;
  sockaddr_un address_{};
};

}  // namespace lockstep::control
