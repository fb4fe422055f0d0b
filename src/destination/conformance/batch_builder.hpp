#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "destination/table_batch.hpp"
#include "model/decoder.hpp"
#include "model/row_stream.hpp"

namespace lockstep::destination::conformance {

/// Cells as tests write them: any text, or one of these two.
inline constexpr std::string_view null_cell = "\\N";
inline constexpr std::string_view unchanged_cell = "~";
using TextRow = std::vector<std::string>;

/// A source whose cells are plain text. Reads int32, int64, float64, text, json, bytes (as they are), and interval
/// ("MONTHS DAYS MICROS"); a list of text as elements with a comma after each. An int32 that is out of range does not fit.
class TextDecoders : public DecoderFactory {
 public:
  Result<ColumnDecoder> decoder(const Column& column, const LogicalType& target) const override;
};

TableShape make_shape(std::uint64_t id, TableName name, const std::vector<std::pair<std::string, LogicalType>>& columns,
                      std::vector<std::uint16_t> key);
std::vector<LogicalType> types_of(const TableShape& shape);

/// Puts a TableBatch together and keeps all that it points at.
class BatchBuilder {
 public:
  explicit BatchBuilder(TableShape shape);

  BatchBuilder& truncate();
  BatchBuilder& erase(const TextRow& row, std::uint32_t count = 1);
  BatchBuilder& insert(const TextRow& row);
  /// Erases the row of this key and inserts the new one, as an update folds to.
  BatchBuilder& update(const TextRow& row);
  /// A row with unchanged cells; `base` empty: none.
  BatchBuilder& insert_over(const TextRow& newest, const std::vector<TextRow>& older, const TextRow& base);

  const TableBatch& batch();

 private:
  Bytes encoded(const TextRow& row);

  TableShape shape_;
  std::vector<ColumnDecoder> decoders_;
  std::deque<std::vector<std::byte>> kept_;
  TableBatch batch_;
};

/// Rows of a copy, in vectors of at most `rows_at_once`; ends with `error` if there is one.
class TextStream : public RowStream {
 public:
  TextStream(const TableShape& shape, std::vector<TextRow> rows, std::size_t rows_at_once = 7,
             std::optional<Error> error = std::nullopt);
  Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) override;

 private:
  std::vector<ColumnDecoder> decoders_;
  std::vector<TextRow> rows_;
  std::vector<std::string> lent_;  // strings point here until the next read
  std::size_t rows_at_once_;
  std::size_t next_ = 0;
  std::optional<Error> error_;
};

}  // namespace lockstep::destination::conformance
