#pragma once

#include <cstddef>
#include <vector>

#include "base/result.hpp"
#include "destination/table_batch.hpp"
#include "model/row.hpp"
#include "model/vector.hpp"

namespace lockstep::destination {

/// What every destination has to work out of a TableBatch before it can write it. Thread-safe; pure.

/// The cells of one encoded row. Error: bad_data when they are not one a column.
Status read_cells(const TableBatch& batch, Bytes row, std::vector<Cell>& cells);

/// The cells of a row to be written, after its layers. A cell that is still unchanged takes its value from the
/// destination's row with the key of the layers' base. Error: unexpected when there is no base to take it from.
Status resolve_cells(const TableBatch& batch, const FoldedRow& row, std::vector<Cell>& cells);

/// True when some cell of the row comes out of the destination's own row.
bool needs_base(const std::vector<Cell>& resolved);

/// Decodes one cell of column `column` into slot `row`. Errors: does_not_fit, bad_data; both name table and column.
Status decode_cell(const TableBatch& batch, std::size_t column, const Cell& cell, VectorView& out, std::size_t row);

}  // namespace lockstep::destination
