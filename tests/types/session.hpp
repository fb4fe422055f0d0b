#pragma once

#include <libpq-fe.h>

#include <memory>
#include <string>
#include <vector>

namespace lockstep::types_test {

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

/// A session, by libpq itself, with the settings that the decoders ask for. Throws std::runtime_error on any failure.
class Session {
 public:
  explicit Session(const std::string& url);

  Answer run(const std::string& sql, const std::vector<std::string>& parameters = {}, Form form = Form::text);

 private:
  struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
  };
  std::unique_ptr<PGconn, Finish> connection_;
};

}  // namespace lockstep::types_test
