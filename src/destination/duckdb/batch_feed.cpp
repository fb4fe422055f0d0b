#include "destination/duckdb/batch_feed.hpp"

#include <algorithm>

#include "destination/batch_reader.hpp"

namespace lockstep::destination::duck {
namespace {

// Below this a second thread costs more than it decodes.
constexpr std::size_t rows_per_thread = 16'384;
constexpr std::size_t threads_at_most = 64;  // DuckDB takes as many as it has

}  // namespace

BatchFeed::BatchFeed(const TableBatch& batch, std::size_t rows)
    : batch_(batch), rows_(rows), threads_(std::clamp<std::size_t>(rows / rows_per_thread, 1, threads_at_most)) {}

Result<std::size_t> BatchFeed::read(std::size_t, std::span<VectorView> columns, std::size_t capacity) {
  const std::size_t first = next_.fetch_add(capacity);
  if (first >= rows_) return std::size_t{0};
  const std::size_t count = std::min(capacity, rows_ - first);
  std::vector<Cell> cells;
  for (std::size_t i = 0; i < count; ++i) TRY_DO(write_row(first + i, cells, columns, i));
  return count;
}

Status EraseKeys::write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                            std::size_t row) {
  TRY_DO(read_cells(batch_, batch_.erases[number].row, cells));
  const std::vector<std::uint16_t>& key = batch_.shape->key;
  for (std::size_t i = 0; i < key.size(); ++i) TRY_DO(decode_cell(batch_, key[i], cells[key[i]], columns[i], row));
  return Done{};
}

Status EraseRows::write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                            std::size_t row) {
  TRY_DO(read_cells(batch_, batch_.erases[number].row, cells));
  for (std::size_t i = 0; i < cells.size(); ++i) TRY_DO(decode_cell(batch_, i, cells[i], columns[i], row));
  columns[cells.size()].set<std::int64_t>(row, batch_.erases[number].count);
  return Done{};
}

Status WholeRows::write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                            std::size_t row) {
  TRY_DO(resolve_cells(batch_, batch_.rows[which_[number]], cells));
  for (std::size_t i = 0; i < cells.size(); ++i) TRY_DO(decode_cell(batch_, i, cells[i], columns[i], row));
  return Done{};
}

Status BaseKeys::write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                           std::size_t row) {
  const Layers& layers = batch_.layers[batch_.rows[which_[number]].layers];
  TRY_DO(read_cells(batch_, layers.base, cells));
  columns[0].set<std::int64_t>(row, which_[number]);
  const std::vector<std::uint16_t>& key = batch_.shape->key;
  for (std::size_t i = 0; i < key.size(); ++i) TRY_DO(decode_cell(batch_, key[i], cells[key[i]], columns[i + 1], row));
  return Done{};
}

Status PartialRows::write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                              std::size_t row) {
  TRY_DO(resolve_cells(batch_, batch_.rows[which_[number]], cells));
  columns[0].set<std::int64_t>(row, which_[number]);
  std::size_t flag = cells.size() + 1;
  for (const std::uint16_t i : from_base_) {
    columns[flag++].set<bool>(row, cells[i].state == Cell::State::unchanged);
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].state == Cell::State::unchanged) cells[i] = Cell{};  // NULL here: the base has it
    TRY_DO(decode_cell(batch_, i, cells[i], columns[i + 1], row));
  }
  return Done{};
}

}  // namespace lockstep::destination::duck
