#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/secret.hpp"

namespace lockstep::postgres {

/// Where a PostgreSQL database is and who asks. What the URL leaves out comes from libpq's usual places: the PG*
/// variables, the service file, `.pgpass`.
class Address {
 public:
  /// Reads `postgresql://user[:password]@host:port/database?sslmode=…`. The password, there or as `?password=`, may also
  /// be `env:NAME` (a variable) or `file:PATH` (a file's first line). Errors: bad_input, refused (file); none of them
  /// repeats the password.
  static Result<Address> parse(const std::string& url);

  /// The URL without any secret, for messages, logs and the catalog.
  std::string printable() const;
  /// The database that will be asked for; the URL's, else PGDATABASE, else the user's name.
  std::string database() const;
  /// Where the server is, for messages: "host:port".
  std::string server() const;

  /// What the URL says, by libpq's keywords, without the password.
  const std::vector<std::pair<std::string, std::string>>& parameters() const { return parameters_; }
  /// Empty when the URL has none: libpq then looks in its usual places.
  const Secret& password() const { return password_; }
  std::string parameter(std::string_view keyword) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
  Secret password_;
};

}  // namespace lockstep::postgres
