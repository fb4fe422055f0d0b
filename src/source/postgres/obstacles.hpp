#pragma once

#include <vector>

#include "base/result.hpp"
#include "source/postgres/connection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// What stands in the way of `planned` on the server's side, worst first, each with the statement that removes it.
Result<std::vector<Error>> find_obstacles(Connection& connection, const source::Setup& planned);

}  // namespace lockstep::postgres
