#pragma once

#include <string_view>

#include "base/result.hpp"

namespace lockstep::postgres {

/// What a server's SQLSTATE means for us (PostgreSQL manual, appendix A, "PostgreSQL Error Codes").
ErrorKind kind_of_sqlstate(std::string_view code);

/// The five characters of the code in a message that libpq has built with verbosity "verbose": "FATAL:  28P01: …".
/// Empty: none, the server never answered.
std::string_view sqlstate_in(std::string_view message);

/// What is said after the code, up to the end of that line.
std::string_view text_after_sqlstate(std::string_view message);

}  // namespace lockstep::postgres
