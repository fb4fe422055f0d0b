#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/check.hpp"
#include "model/calendar.hpp"
#include "model/int128.hpp"
#include "model/vector.hpp"

namespace lockstep {
namespace {

std::string decimal_text(Int128 unscaled, std::uint8_t scale) {
  // The magnitude of the smallest number does not fit the signed type.
  UInt128 magnitude = unscaled < 0 ? UInt128{0} - static_cast<UInt128>(unscaled) : static_cast<UInt128>(unscaled);
  std::string digits;
  while (magnitude != 0 || digits.size() <= scale) {
    digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(magnitude % 10)));
    magnitude /= 10;
  }
  if (scale > 0) digits.insert(digits.size() - scale, ".");
  return unscaled < 0 ? "-" + digits : digits;
}

Int128 unscaled_of(const VectorView& column, std::size_t row) {
  switch (width_of(column.type)) {
    case 2: return column.get<std::int16_t>(row);
    case 4: return column.get<std::int32_t>(row);
    case 8: return column.get<std::int64_t>(row);
    default: return load_int128(column.values, row);
  }
}

template <class Float>
std::string float_text(Float value) {
  if (value != value) return "NaN";
  char digits[64];
  return {digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
}

std::string day_text(std::int64_t days) {
  const CivilDay civil = civil_of(days);
  if (civil.year > 0) return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
  return fmt::format("{:04}-{:02}-{:02} BC", 1 - civil.year, civil.month, civil.day);
}

std::string time_text(std::int64_t micros) {
  const std::int64_t seconds = micros / micros_per_second;
  std::string text = fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (micros % micros_per_second != 0) text += fmt::format(".{:06}", micros % micros_per_second);
  return text;
}

std::string time_tz_text(std::uint64_t packed) {
  const std::int32_t east = 57'599 - static_cast<std::int32_t>(packed & 0xff'ffff);
  const std::int32_t distance = east < 0 ? -east : east;
  return fmt::format("{}{}{:02}:{:02}:{:02}", time_text(static_cast<std::int64_t>(packed >> 24)), east < 0 ? '-' : '+',
                     distance / 3600, distance / 60 % 60, distance % 60);
}

std::string date_text(std::int32_t days) {
  if (days == date_infinity) return "infinity";
  if (days == -date_infinity) return "-infinity";
  return day_text(days);
}

std::string timestamp_text(std::int64_t micros, const char* zone) {
  if (micros == timestamp_infinity) return "infinity";
  if (micros == -timestamp_infinity) return "-infinity";
  const std::int64_t rest = micros % micros_per_day;
  const std::int64_t of_day = rest < 0 ? rest + micros_per_day : rest;
  const std::int64_t days = micros / micros_per_day - (rest < 0 ? 1 : 0);
  std::string text = day_text(days);
  const std::size_t year_sign = text.find(" BC");
  text.insert(std::min(year_sign, text.size()), " " + time_text(of_day) + zone);
  return text;
}

std::string interval_text(const IntervalValue& value) {
  return fmt::format("{} months {} days {} us", value.months, value.days, value.micros);
}

std::string hex_text(std::string_view bytes) {
  std::string text = "\\x";
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string uuid_text(Int128 flipped) {
  const UInt128 value = static_cast<UInt128>(flipped) ^ (UInt128{1} << 127);
  const auto high = static_cast<std::uint64_t>(value >> 64);
  const auto low = static_cast<std::uint64_t>(value);
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xffff, low >> 48,
                     low & 0xffff'ffff'ffff);
}

/// Bare where nothing can be mistaken: not for NULL, not for a quoted text, not for two elements of a list.
std::string plain_text(std::string_view text, bool in_list) {
  bool quoted = text == "NULL" || text.starts_with('"');
  if (in_list) quoted = quoted || text.empty() || text.find_first_of(",[]\"\\ ") != std::string_view::npos;
  if (!quoted) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

std::string scalar_text(const VectorView& column, std::size_t row, bool in_list) {
  switch (column.type.kind) {
    case TypeKind::boolean: return column.get<std::uint8_t>(row) != 0 ? "true" : "false";
    case TypeKind::int16: return std::to_string(column.get<std::int16_t>(row));
    case TypeKind::int32: return std::to_string(column.get<std::int32_t>(row));
    case TypeKind::int64: return std::to_string(column.get<std::int64_t>(row));
    case TypeKind::uint32: return std::to_string(column.get<std::uint32_t>(row));
    case TypeKind::float32: return float_text(column.get<float>(row));
    case TypeKind::float64: return float_text(column.get<double>(row));
    case TypeKind::decimal: return decimal_text(unscaled_of(column, row), column.type.scale);
    case TypeKind::text:
    case TypeKind::json: return plain_text(column.get<StringValue>(row).view(), in_list);
    case TypeKind::bytes: return hex_text(column.get<StringValue>(row).view());
    case TypeKind::date: return date_text(column.get<std::int32_t>(row));
    case TypeKind::time: return time_text(column.get<std::int64_t>(row));
    case TypeKind::time_tz: return time_tz_text(column.get<std::uint64_t>(row));
    case TypeKind::timestamp: return timestamp_text(column.get<std::int64_t>(row), "");
    case TypeKind::timestamp_tz: return timestamp_text(column.get<std::int64_t>(row), "+00");
    case TypeKind::interval: return interval_text(column.get<IntervalValue>(row));
    case TypeKind::uuid: return uuid_text(load_int128(column.values, row));
  }
  CHECK(false);
}

std::string text_of_value(const VectorView& column, std::size_t row, bool in_list) {
  if (column.is_null(row)) return "NULL";
  if (column.type.list_depth == 0) return scalar_text(column, row, in_list);
  const auto list = column.get<ListValue>(row);
  std::string text = "[";
  for (std::uint64_t i = 0; i < list.length; ++i) {
    if (i > 0) text += ", ";
    text += text_of_value(*column.child, list.offset + i, true);
  }
  return text + "]";
}

}  // namespace

std::string value_text(const VectorView& column, std::size_t row) { return text_of_value(column, row, false); }

}  // namespace lockstep
