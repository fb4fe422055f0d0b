#pragma once

#include <cstdint>

#include "base/strong.hpp"

namespace lockstep {

/// The number that lockstep gives to each source commit it has received; grows by one; 0 is the state before the first.
using StateId = Strong<struct StateIdTag>;

/// What a source calls a table for as long as the table lives, whatever its name (PostgreSQL: the oid).
using TableId = Strong<struct TableIdTag>;

/// A version of a table's shape, numbered by the journal that recorded it; 0 is none.
using ShapeId = Strong<struct ShapeIdTag, std::uint32_t>;

/// A transaction of the source, in 64 bits, so that numbers never come again (PostgreSQL: xid8).
using Xid = Strong<struct XidTag>;

/// Microseconds since 1970-01-01 UTC.
using UnixMicros = Strong<struct UnixMicrosTag, std::int64_t>;

}  // namespace lockstep
