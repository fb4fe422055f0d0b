#pragma once

#include <libpq-fe.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::types_test {

/// A PostgreSQL server of its own, in a folder of its own, that listens on a socket there and nowhere else. Gone with
/// the object. When the tests run as root, it runs as the user postgres.
class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  bool started_ = false;
};

/// One result; empty cells of NULL are told by `is_null`.
class Answer {
 public:
  explicit Answer(PGresult* result) : result_(result) {}

  int rows() const { return PQntuples(result_.get()); }
  bool is_null(int row, int column) const { return PQgetisnull(result_.get(), row, column) == 1; }
  std::string_view get(int row, int column) const {
    return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
  }

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

enum class Form : int { text = 0, binary = 1 };

/// A session with the settings that the decoders ask for. Throws std::runtime_error on any failure.
class Session {
 public:
  explicit Session(const Server& server);

  Answer run(const std::string& sql, const std::vector<std::string>& parameters = {}, Form form = Form::text);

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace lockstep::types_test
