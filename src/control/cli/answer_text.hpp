#pragma once

#include <string>

#include "control/cli/arguments.hpp"
#include "destination/destination.hpp"

namespace lockstep::control {

/// A query's answer as a table for people, as CSV (RFC 4180; NULL is empty, an empty text is ""), or as a JSON array of
/// objects (numbers and booleans as such, everything else as text).
std::string answer_text(const destination::Answer& answer, TableFormat format);

/// `lockstep status` for people, from the JSON of the status. Error: bad_data.
Result<std::string> status_text(const std::string& json);

}  // namespace lockstep::control
