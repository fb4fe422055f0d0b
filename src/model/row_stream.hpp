#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"
#include "model/vector.hpp"

namespace lockstep {

/// Rows of one table that are pulled in column vectors. One thread at a time.
class RowStream {
 public:
  virtual ~RowStream() = default;
  /// Decodes up to `capacity` (at least 1) rows into `columns`, one vector a column, all valid when lent. Gives their number; 0: no
  /// more. Strings may point into memory that lives until the next call. Error: does_not_fit names table and column.
  virtual Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) = 0;
};

}  // namespace lockstep
