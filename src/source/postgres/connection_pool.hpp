#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <utility>

#include "source/postgres/connection.hpp"

namespace lockstep::postgres {

/// Keeps a few idle connections, because logging in costs more than copying a small table. Thread-safe.
class ConnectionPool {
 public:
  explicit ConnectionPool(Address address) : address_(std::move(address)) {}
  ~ConnectionPool() {
    for (auto& slot : idle_) delete slot.exchange(nullptr);
  }
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;

  /// An idle connection, or a new one.
  Result<std::unique_ptr<Connection>> take() {
    for (auto& slot : idle_) {
      std::unique_ptr<Connection> connection(slot.exchange(nullptr));
      if (connection != nullptr && connection->seems_alive()) return connection;
    }
    TRY(fresh, Connection::open(address_, Purpose::ordinary));
    return std::make_unique<Connection>(std::move(fresh));
  }

  /// Only for a connection that is in no transaction and no COPY.
  void give_back(std::unique_ptr<Connection> connection) {
    if (connection == nullptr || connection->broken() || connection->in_transaction()) return;
    for (auto& slot : idle_) {
      Connection* expected = nullptr;
      if (slot.compare_exchange_strong(expected, connection.get())) {
        static_cast<void>(connection.release());
        return;
      }
    }
  }

  const Address& address() const { return address_; }

 private:
  Address address_;
  std::array<std::atomic<Connection*>, 8> idle_{};
};

}  // namespace lockstep::postgres
