#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "source/postgres/connection.hpp"
#include "source/postgres/postgres.hpp"

namespace lockstep::postgres_test {

/// A PostgreSQL server of its own, in a temporary folder, on a free port of the loopback and a socket in the folder. Ends
/// with the object. When the tests run as root, it runs as the user postgres. Throws std::runtime_error.
class Server {
 public:
  /// `programs`: folder of initdb and postgres. `settings`: further lines of postgresql.conf.
  Server(const std::filesystem::path& programs, const std::string& settings);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void stop();
  void start();

  /// As superuser postgres, by the socket.
  std::string url(const std::string& database) const;
  /// By TCP, where a password is asked for.
  std::string tcp_url(const std::string& user_and_password, const std::string& database) const;
  const std::filesystem::path& folder() const { return folder_; }
  int port() const { return port_; }

 private:
  void initialise();

  std::filesystem::path programs_;
  std::filesystem::path folder_;
  std::string settings_;
  int port_ = 0;
  pid_t process_ = 0;
};

/// Folder of a server's programs, 15 or 18; empty when it is not installed.
std::filesystem::path programs_of(int version);

/// A session of a test; any failure throws std::runtime_error.
class Session {
 public:
  explicit Session(const std::string& url);
  postgres::Rows query(const std::string& sql);
  std::string value(const std::string& sql);  ///< the first value
  void run(const std::string& sql);
  /// Rows as "a|b|NULL", in the statement's order.
  std::vector<std::string> lines(const std::string& sql);
  postgres::Connection& connection() { return *connection_; }

 private:
  std::unique_ptr<postgres::Connection> connection_;
};

/// The value, or a std::runtime_error with the error's text.
template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(to_text(result.error()));
  return std::move(result).value();
}

}  // namespace lockstep::postgres_test
