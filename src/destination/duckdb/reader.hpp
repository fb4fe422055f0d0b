#pragma once

#include <memory>
#include <string>

#include "destination/destination.hpp"
#include "destination/duckdb/connection.hpp"

namespace lockstep::destination::duck {

struct ResultTexts;

/// One connection for queries. One thread at a time.
struct Reader {
  static Result<std::unique_ptr<Reader>> make(std::shared_ptr<Database> database);
  /// Errors: bad_input, refused, cancelled, and what DuckDB may run into.
  Result<Answer> answer(const std::string& sql);

  std::unique_ptr<Connection> connection;
  bool finds_public = false;           // names without a schema are looked up in "public" too
  std::shared_ptr<ResultTexts> texts;  // DuckDB holds it too
};

}  // namespace lockstep::destination::duck
