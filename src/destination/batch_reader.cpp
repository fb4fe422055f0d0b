#include "destination/batch_reader.hpp"

#include <algorithm>

namespace lockstep::destination {
namespace {

Error of_table(ErrorKind kind, std::string what, const TableBatch& batch) {
  Error error{kind, std::move(what)};
  error.table = to_text(batch.shape->name);
  return error;
}

bool is_unchanged(const Cell& cell) { return cell.state == Cell::State::unchanged; }

bool is_key(const TableShape& shape, std::size_t column) {
  return std::find(shape.key.begin(), shape.key.end(), column) != shape.key.end();
}

// Cells that are unchanged in `cells` take what `older` says of them.
Status fill_from(const TableBatch& batch, Bytes older, bool keys_only, std::vector<Cell>& cells) {
  std::vector<Cell> from;
  TRY_DO(read_cells(batch, older, from));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (is_unchanged(cells[i]) && (!keys_only || is_key(*batch.shape, i))) cells[i] = from[i];
  }
  return Done{};
}

}  // namespace

Status read_cells(const TableBatch& batch, Bytes row, std::vector<Cell>& cells) {
  if (!split_row(row, cells) || cells.size() != batch.shape->columns.size()) {
    return of_table(ErrorKind::bad_data, "a row does not have one cell a column", batch);
  }
  return Done{};
}

Status resolve_cells(const TableBatch& batch, const FoldedRow& row, std::vector<Cell>& cells) {
  TRY_DO(read_cells(batch, row.newest, cells));
  if (!needs_base(cells)) return Done{};
  if (row.layers >= batch.layers.size()) {
    return of_table(ErrorKind::unexpected, "a row has unchanged cells and nothing tells their values", batch);
  }
  const Layers& layers = batch.layers[row.layers];
  for (const Bytes older : layers.older) TRY_DO(fill_from(batch, older, false, cells));
  if (!needs_base(cells)) return Done{};
  if (layers.base.empty()) {
    return of_table(ErrorKind::unexpected, "a row has unchanged cells and no base row", batch);
  }
  // The base's key needs no look-up: it stands in the change itself.
  return fill_from(batch, layers.base, true, cells);
}

bool needs_base(const std::vector<Cell>& resolved) {
  return std::any_of(resolved.begin(), resolved.end(), is_unchanged);
}

Status decode_cell(const TableBatch& batch, std::size_t column, const Cell& cell, VectorView& out, std::size_t row) {
  if (cell.state == Cell::State::null) {
    out.set_null(row);
    return Done{};
  }
  const ColumnDecoder& decoder = (*batch.decoders)[column];
  const Decoded decoded = is_unchanged(cell) ? Decoded::malformed : decoder.decode(decoder, cell, out, row);
  if (decoded == Decoded::ok) return Done{};
  Error error = decoded == Decoded::does_not_fit
                    ? of_table(ErrorKind::does_not_fit, "a value does not fit into " + to_text(decoder.target), batch)
                    : of_table(ErrorKind::bad_data, "a value cannot be read", batch);
  error.column = batch.shape->columns[column].name;
  return error;
}

}  // namespace lockstep::destination
