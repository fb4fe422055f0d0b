#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "source/postgres/connection.hpp"

namespace lockstep::postgres {

/// The messages of a COPY: out of a table, or both ways with a walsender. One thread.
class CopyChannel {
 public:
  enum class Got : std::uint8_t { data, nothing, end };
  struct Message {
    Got got = Got::nothing;
    Bytes bytes{};  ///< one CopyData's content; lives until `release`
  };

  virtual ~CopyChannel() = default;
  /// Sends the statement that starts the COPY, and waits for the server's consent.
  virtual Status start(const std::string& sql) = 0;
  /// The next message; nothing when none came within `wait_max`. After the end the connection is as it was before.
  virtual Result<Message> next(std::chrono::milliseconds wait_max) = 0;
  /// Lets go of the messages that were given.
  virtual void release() = 0;
  /// Sends one CopyData; what the socket does not take goes with the next call of anything.
  virtual Status send(Bytes content) = 0;
};

/// A channel over a connection that outlives it. `paced`: lets small messages gather for a moment, because being woken
/// for each one costs both sides more than it brings.
std::unique_ptr<CopyChannel> open_channel(Connection& connection, bool paced);

/// Both kinds, for tests. The socket's own reads 1 MB blocks and copies no message, and cannot do encryption.
std::unique_ptr<CopyChannel> open_socket_channel(Connection& connection, bool paced);
std::unique_ptr<CopyChannel> open_libpq_channel(Connection& connection, bool paced);

}  // namespace lockstep::postgres
