#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/postgres/address.hpp"

struct pg_conn;

namespace lockstep::postgres {

/// Connects and authenticates. The caller owns what it gets.
Result<pg_conn*> login(const Address& address, bool replication);

/// Statements for the settings that can only be given once the server's version is known.
std::string session_settings(int server_version);

/// What libpq said when no connection came about, as an error with a remedy. `message` as built with verbosity "verbose".
Error login_error(const Address& address, std::string_view message, bool replication);

}  // namespace lockstep::postgres
