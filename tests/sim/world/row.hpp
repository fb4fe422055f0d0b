#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/decoder.hpp"
#include "model/shape.hpp"

namespace lockstep::sim {

/// A row of every simulated table: a key out of very few, a value, and a big column whose unchanged values do not travel.
struct Row {
  std::int64_t key = 0;
  std::optional<std::int64_t> value;
  std::string big;
  auto operator<=>(const Row&) const = default;
};

/// In the form of model/vector.hpp's value_text, so that it compares with what a destination shows.
std::string to_text(const Row& row);

/// As the source sends rows. `big_unchanged`: the big column is left out of the message.
void encode(const Row& row, bool big_unchanged, std::vector<std::byte>& out);
/// As the source names the row that changes when its identity is its key: all other cells are null.
void encode_key(const Row& row, std::vector<std::byte>& out);

/// What a table sends: `key` says whether it has one, `full_identity` whether old rows come whole.
TableShape shape_of(TableId table, const std::string& name, bool keyed, bool full_identity);

/// Decodes the simulated source's cells: text of an int64, and text.
class SimDecoders final : public DecoderFactory {
 public:
  Result<ColumnDecoder> decoder(const Column& column, const LogicalType& target) const override;
};

}  // namespace lockstep::sim
