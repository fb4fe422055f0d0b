#include "model/type.hpp"

#include <array>
#include <charconv>

namespace lockstep {
namespace {

// In the order of TypeKind.
constexpr std::array<std::string_view, 18> kind_names{
    "boolean", "int16", "int32", "int64",   "uint32",    "float32",      "float64",  "decimal", "text",
    "bytes",   "date",  "time",  "time_tz", "timestamp", "timestamp_tz", "interval", "uuid",    "json"};

bool read_number(std::string_view digits, std::uint8_t& into) {
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, into);
  return !digits.empty() && parsed.ec == std::errc{} && parsed.ptr == end;
}

bool read_decimal(std::string_view arguments, LogicalType& type) {
  const std::size_t comma = arguments.find(',');
  if (comma == std::string_view::npos) return false;
  if (!read_number(arguments.substr(0, comma), type.precision)) return false;
  if (!read_number(arguments.substr(comma + 1), type.scale)) return false;
  return type.precision >= 1 && type.precision <= 38 && type.scale <= type.precision;
}

}  // namespace

std::string to_text(const LogicalType& type) {
  std::string text(kind_names.at(static_cast<std::size_t>(type.kind)));
  if (type.kind == TypeKind::decimal) {
    text += "(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  }
  for (std::uint8_t i = 0; i < type.list_depth; ++i) text += "[]";
  return text;
}

Result<LogicalType> parse_type(std::string_view text) {
  const Error bad{ErrorKind::bad_data, "'" + std::string(text) + "' is no type"};
  LogicalType type;
  while (text.ends_with("[]")) {
    text.remove_suffix(2);
    ++type.list_depth;
  }
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  for (std::size_t i = 0; i < kind_names.size(); ++i) {
    if (kind_names[i] != name) continue;
    type.kind = static_cast<TypeKind>(i);
    const bool has_arguments = open != std::string_view::npos;
    if (has_arguments != (type.kind == TypeKind::decimal)) return bad;
    if (!has_arguments) return type;
    if (!text.ends_with(')') || !read_decimal(text.substr(open + 1, text.size() - open - 2), type)) return bad;
    return type;
  }
  return bad;
}

}  // namespace lockstep
