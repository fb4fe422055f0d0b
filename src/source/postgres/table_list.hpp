#pragma once

#include <vector>

#include "base/result.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/selection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// The selection's tables by name, with those that cannot be mirrored and why. Partitions are mirrored through their
/// root. Views and partitions only show when a pattern without wildcards names them.
/// Error: bad_input for a pattern that stands for nothing.
Result<std::vector<source::Table>> list_tables(Connection& connection, const Selection& selection);

}  // namespace lockstep::postgres
