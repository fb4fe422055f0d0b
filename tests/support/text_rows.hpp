#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/wire.hpp"
#include "model/change.hpp"
#include "model/decoder.hpp"
#include "model/row.hpp"
#include "model/row_stream.hpp"
#include "model/shape.hpp"

namespace lockstep::test {

/// A row as tests write it: text, NULL, or a value that the source leaves unsaid.
inline constexpr std::string_view unsaid = "\x01unsaid";
using TextRow = std::vector<std::optional<std::string>>;

inline std::vector<std::byte> encoded(const TextRow& row) {
  std::vector<Cell> cells;
  for (const auto& value : row) {
    if (!value) {
      cells.push_back({Cell::State::null, {}});
    } else if (*value == unsaid) {
      cells.push_back({Cell::State::unchanged, {}});
    } else {
      cells.push_back({Cell::State::text, bytes_of(*value)});
    }
  }
  std::vector<std::byte> bytes;
  encode_row(cells, bytes);
  return bytes;
}

/// A table of text columns; `key` are indexes.
inline TableShape text_table(std::uint64_t id, const std::string& name, const std::vector<std::string>& columns,
                             std::vector<std::uint16_t> key, bool old_rows_are_keys = true) {
  TableShape shape{TableId{id}, {"public", name}, {}, std::move(key), old_rows_are_keys};
  for (const std::string& column : columns) shape.columns.push_back({column, {TypeKind::text}, 25, -1, 0});
  return shape;
}

inline std::vector<LogicalType> types_of(const TableShape& shape) {
  std::vector<LogicalType> types;
  for (const Column& column : shape.columns) types.push_back(column.type);
  return types;
}

inline Decoded decode_to_text(const ColumnDecoder&, const Cell& cell, VectorView& out, std::size_t row) {
  if (cell.state == Cell::State::null) {
    out.set_null(row);
  } else {
    out.set(row, StringValue::of(text_of(cell.bytes)));
  }
  return Decoded::ok;
}

/// Decodes decimal digits.
template <class Number>
Decoded decode_to_number(const ColumnDecoder&, const Cell& cell, VectorView& out, std::size_t row) {
  if (cell.state == Cell::State::null) {
    out.set_null(row);
    return Decoded::ok;
  }
  Number value = 0;
  const std::string_view text = text_of(cell.bytes);
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec == std::errc::result_out_of_range) return Decoded::does_not_fit;
  if (parsed.ec != std::errc{} || parsed.ptr != text.data() + text.size()) return Decoded::malformed;
  out.set(row, value);
  return Decoded::ok;
}

/// Decodes text cells to text, and to int16 where a value may turn out not to fit.
class TextDecoders final : public DecoderFactory {
 public:
  Result<ColumnDecoder> decoder(const Column& column, const LogicalType& target) const override {
    if (target.kind == TypeKind::text) return ColumnDecoder{decode_to_text, target, column.source_type, -1};
    if (target.kind == TypeKind::int16)
      return ColumnDecoder{decode_to_number<std::int16_t>, target, column.source_type, -1};
    return Error{ErrorKind::unsupported, "tests know only text and int16"};
  }
};

/// Gives rows of text, decoded to `targets` as TextDecoders decodes.
class TextRowStream final : public RowStream {
 public:
  TextRowStream(TableShape shape, std::vector<TextRow> rows, const std::vector<LogicalType>& targets)
      : shape_(std::move(shape)), rows_(std::move(rows)) {
    for (std::size_t i = 0; i < targets.size(); ++i) {
      decoders_.push_back(TextDecoders().decoder(shape_.columns[i], targets[i]).value());
    }
  }
  Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) override {
    std::size_t given = 0;
    for (; given < capacity && next_ < rows_.size(); ++given, ++next_) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        const auto& value = rows_[next_][i];
        const Cell cell = value ? Cell{Cell::State::text, bytes_of(*value)} : Cell{};
        if (decoders_[i].decode(decoders_[i], cell, columns[i], given) != Decoded::ok) {
          return Error{ErrorKind::does_not_fit, "a value does not fit", "", to_text(shape_.name),
                       shape_.columns[i].name};
        }
      }
    }
    return given;
  }

 private:
  TableShape shape_;
  std::vector<TextRow> rows_;
  std::vector<ColumnDecoder> decoders_;
  std::size_t next_ = 0;
};

}  // namespace lockstep::test
