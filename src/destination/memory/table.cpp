#include "destination/memory/table.hpp"

#include <algorithm>

#include "destination/batch_reader.hpp"
#include "model/vector.hpp"

namespace lockstep::destination {
namespace {

Result<std::string> text_of_cell(const TableBatch& batch, std::size_t column, const Cell& cell) {
  ColumnBatch one({(*batch.decoders)[column].target}, 1);
  TRY_DO(decode_cell(batch, column, cell, one.columns()[0], 0));
  return value_text(one.columns()[0], 0);
}

}  // namespace

MemoryTable::MemoryTable(TableShape shape, std::vector<LogicalType> types)
    : shape_(std::move(shape)), types_(std::move(types)) {}

Result<std::size_t> MemoryTable::append(RowStream& stream) {
  constexpr std::size_t rows_at_once = 64;
  ColumnBatch batch(types_, rows_at_once);
  std::size_t total = 0;
  for (;;) {
    batch.clear();
    TRY(count, stream.read(batch.columns(), rows_at_once));
    if (count == 0) return total;
    for (std::size_t row = 0; row < count; ++row) {
      MemoryRow texts;
      for (const VectorView& column : batch.columns()) texts.push_back(value_text(column, row));
      TRY_DO(insert(std::move(texts)));
    }
    total += count;
  }
}

Status MemoryTable::write(const TableBatch& batch) {
  std::vector<MemoryRow> news;
  for (const FoldedRow& row : batch.rows) {
    TRY(texts, resolved(batch, row));
    news.push_back(std::move(texts));
  }
  if (batch.truncate) {
    keyed_.clear();
    keyless_.clear();
  }
  for (const FoldedErase& gone : batch.erases) TRY_DO(erase(batch, gone));
  for (MemoryRow& row : news) TRY_DO(insert(std::move(row)));
  return Done{};
}

std::vector<MemoryRow> MemoryTable::rows() const {
  std::vector<MemoryRow> all = keyless_;
  for (const auto& [key, row] : keyed_) all.push_back(row);
  return all;
}

Status MemoryTable::insert(MemoryRow row) {
  if (!is_keyed()) {
    keyless_.push_back(std::move(row));
    return Done{};
  }
  std::string key = key_of(row);
  if (keyed_.emplace(std::move(key), std::move(row)).second) return Done{};
  return Error{ErrorKind::unexpected, "a row with this key is there already", "", to_text(shape_.name)};
}

Status MemoryTable::erase(const TableBatch& batch, const FoldedErase& gone) {
  std::vector<Cell> cells;
  TRY_DO(read_cells(batch, gone.row, cells));
  MemoryRow texts(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool wanted = !is_keyed() || std::find(shape_.key.begin(), shape_.key.end(), i) != shape_.key.end();
    if (!wanted) continue;
    TRY(text, text_of_cell(batch, i, cells[i]));
    texts[i] = std::move(text);
  }
  if (is_keyed()) {
    keyed_.erase(key_of(texts));
    return Done{};
  }
  for (std::uint32_t i = 0; i < gone.count; ++i) {
    const auto found = std::find(keyless_.begin(), keyless_.end(), texts);
    if (found == keyless_.end()) {
      return Error{ErrorKind::unexpected, "a row to be taken away is not there", "", to_text(shape_.name)};
    }
    keyless_.erase(found);
  }
  return Done{};
}

Result<MemoryRow> MemoryTable::resolved(const TableBatch& batch, const FoldedRow& row) const {
  std::vector<Cell> cells;
  TRY_DO(resolve_cells(batch, row, cells));
  const MemoryRow* base = nullptr;
  if (needs_base(cells)) {
    std::vector<Cell> base_cells;
    TRY_DO(read_cells(batch, batch.layers[row.layers].base, base_cells));
    MemoryRow base_key(cells.size());
    for (const std::uint16_t i : shape_.key) {
      TRY(text, text_of_cell(batch, i, base_cells[i]));
      base_key[i] = std::move(text);
    }
    const auto found = keyed_.find(key_of(base_key));
    if (found == keyed_.end()) {
      return Error{ErrorKind::unexpected, "a base row is not there", "", to_text(shape_.name)};
    }
    base = &found->second;
  }
  MemoryRow texts;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cells[i].state == Cell::State::unchanged) {
      texts.push_back((*base)[i]);
      continue;
    }
    TRY(text, text_of_cell(batch, i, cells[i]));
    texts.push_back(std::move(text));
  }
  return texts;
}

std::string MemoryTable::key_of(const MemoryRow& row) const {
  std::string key;
  for (const std::uint16_t i : shape_.key) key += std::to_string(row[i].size()) + ":" + row[i];
  return key;
}

}  // namespace lockstep::destination
