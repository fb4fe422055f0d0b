#pragma once

#include <string>

#include "model/shape.hpp"

namespace lockstep::apply {

/// What keeps rows of shape `seen` from being written to a table of shape `live`: "column x is new", …; empty: nothing.
/// The shape's number, how old rows come, and column numbers that one side does not know make no difference.
std::string difference(const TableShape& live, const TableShape& seen);

}  // namespace lockstep::apply
