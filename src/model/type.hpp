#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace lockstep {

enum class TypeKind : std::uint8_t {
  boolean,
  int16,
  int32,
  int64,
  uint32,
  float32,
  float64,
  decimal,  ///< precision 1 to 38, scale 0 to precision
  text,
  bytes,
  date,
  time,
  time_tz,
  timestamp,
  timestamp_tz,
  interval,
  uuid,
  json,
};

/// What a value means, whatever source it came from and wherever it goes. `list_depth` 0 is a plain value of `kind`,
/// 1 a list of them, 2 a list of lists, and so on.
struct LogicalType {
  TypeKind kind = TypeKind::text;
  std::uint8_t precision = 0;  ///< decimal only
  std::uint8_t scale = 0;      ///< decimal only
  std::uint8_t list_depth = 0;

  bool operator==(const LogicalType&) const = default;
};

/// "decimal(18,2)", "text", "int32[][]": stable, for journal descriptions, ledgers and messages.
std::string to_text(const LogicalType& type);
/// Reads `to_text`'s form. Error: bad_data.
Result<LogicalType> parse_type(std::string_view text);

}  // namespace lockstep
