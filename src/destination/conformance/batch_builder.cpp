#include "destination/conformance/batch_builder.hpp"

#include <charconv>
#include <cstdlib>

#include "base/check.hpp"

namespace lockstep::destination::conformance {
namespace {

template <class Number>
Decoded decode_number(const Cell& cell, VectorView& out, std::size_t row) {
  const std::string_view digits = text_of(cell.bytes);
  Number value{};
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) return Decoded::does_not_fit;
  if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size()) return Decoded::malformed;
  out.set<Number>(row, value);
  return Decoded::ok;
}

Decoded decode_float(const Cell& cell, VectorView& out, std::size_t row) {
  out.set<double>(row, std::strtod(std::string(text_of(cell.bytes)).c_str(), nullptr));
  return Decoded::ok;
}

Decoded decode_interval(const Cell& cell, VectorView& out, std::size_t row) {
  const std::string text(text_of(cell.bytes));
  char* end = nullptr;
  IntervalValue value;
  value.months = static_cast<std::int32_t>(std::strtol(text.c_str(), &end, 10));
  value.days = static_cast<std::int32_t>(std::strtol(end, &end, 10));
  value.micros = std::strtoll(end, &end, 10);
  out.set(row, value);
  return Decoded::ok;
}

Decoded decode_list(const Cell& cell, VectorView& out, std::size_t row) {
  std::string_view rest = text_of(cell.bytes);
  ListValue list{out.child_size, 0};
  while (!rest.empty()) {
    const std::size_t end = rest.find(',');
    if (end == std::string_view::npos) return Decoded::malformed;
    out.reserve_child(out, out.child_size + 1);
    const std::string_view element = rest.substr(0, end);
    if (element == null_cell) out.child->set_null(out.child_size);
    else out.child->set(out.child_size, StringValue::of(element));
    ++out.child_size;
    ++list.length;
    rest.remove_prefix(end + 1);
  }
  out.set(row, list);
  return Decoded::ok;
}

Decoded decode(const ColumnDecoder& self, const Cell& cell, VectorView& out, std::size_t row) {
  if (self.target.list_depth > 0) return decode_list(cell, out, row);
  if (self.target.kind == TypeKind::int32) return decode_number<std::int32_t>(cell, out, row);
  if (self.target.kind == TypeKind::int64) return decode_number<std::int64_t>(cell, out, row);
  if (self.target.kind == TypeKind::float64) return decode_float(cell, out, row);
  if (self.target.kind == TypeKind::interval) return decode_interval(cell, out, row);
  out.set(row, StringValue::of(text_of(cell.bytes)));
  return Decoded::ok;
}

std::vector<ColumnDecoder> decoders_of(const TableShape& shape) {
  std::vector<ColumnDecoder> decoders;
  for (const Column& column : shape.columns) {
    decoders.push_back(TextDecoders().decoder(column, column.type).value());
  }
  return decoders;
}

Cell cell_of(std::string_view text) {
  if (text == null_cell) return {};
  if (text == unchanged_cell) return {Cell::State::unchanged, {}};
  return {Cell::State::text, bytes_of(text)};
}

}  // namespace

Result<ColumnDecoder> TextDecoders::decoder(const Column&, const LogicalType& target) const {
  return ColumnDecoder{decode, target};
}

TableShape make_shape(std::uint64_t id, TableName name, const std::vector<std::pair<std::string, LogicalType>>& columns,
                      std::vector<std::uint16_t> key) {
  TableShape shape;
  shape.table = TableId{id};
  shape.name = std::move(name);
  for (const auto& [column, type] : columns) shape.columns.push_back({column, type});
  shape.old_rows_are_keys = !key.empty();
  shape.key = std::move(key);
  return shape;
}

std::vector<LogicalType> types_of(const TableShape& shape) {
  std::vector<LogicalType> types;
  for (const Column& column : shape.columns) types.push_back(column.type);
  return types;
}

BatchBuilder::BatchBuilder(TableShape shape) : shape_(std::move(shape)), decoders_(decoders_of(shape_)) {}

BatchBuilder& BatchBuilder::truncate() {
  batch_.truncate = true;
  return *this;
}

BatchBuilder& BatchBuilder::erase(const TextRow& row, std::uint32_t count) {
  batch_.erases.push_back({encoded(row), count});
  return *this;
}

BatchBuilder& BatchBuilder::insert(const TextRow& row) {
  batch_.rows.push_back({encoded(row)});
  return *this;
}

BatchBuilder& BatchBuilder::update(const TextRow& row) {
  erase(row);
  return insert(row);
}

BatchBuilder& BatchBuilder::insert_over(const TextRow& newest, const std::vector<TextRow>& older, const TextRow& base) {
  Layers layers;
  for (const TextRow& row : older) layers.older.push_back(encoded(row));
  if (!base.empty()) layers.base = encoded(base);
  batch_.rows.push_back({encoded(newest), static_cast<std::uint32_t>(batch_.layers.size())});
  batch_.layers.push_back(std::move(layers));
  return *this;
}

const TableBatch& BatchBuilder::batch() {
  batch_.shape = &shape_;
  batch_.decoders = &decoders_;
  return batch_;
}

Bytes BatchBuilder::encoded(const TextRow& row) {
  CHECK(row.size() == shape_.columns.size());
  std::vector<Cell> cells;
  for (const std::string& text : row) cells.push_back(cell_of(text));
  encode_row(cells, kept_.emplace_back());
  return kept_.back();
}

TextStream::TextStream(const TableShape& shape, std::vector<TextRow> rows, std::size_t rows_at_once,
                       std::optional<Error> error)
    : decoders_(decoders_of(shape)), rows_(std::move(rows)), rows_at_once_(rows_at_once), error_(std::move(error)) {}

Result<std::size_t> TextStream::read(std::span<VectorView> columns, std::size_t capacity) {
  const std::size_t count = std::min({capacity, rows_at_once_, rows_.size() - next_});
  if (count == 0 && error_) return *error_;
  lent_.assign(count * decoders_.size(), "overwritten, as the seam allows");
  for (std::size_t row = 0; row < count; ++row, ++next_) {
    for (std::size_t i = 0; i < decoders_.size(); ++i) {
      std::string& text = lent_[row * decoders_.size() + i] = rows_[next_][i];
      const Cell cell = cell_of(text);
      if (cell.state == Cell::State::null) columns[i].set_null(row);
      else CHECK(decoders_[i].decode(decoders_[i], cell, columns[i], row) == Decoded::ok);
    }
  }
  return count;
}

}  // namespace lockstep::destination::conformance
