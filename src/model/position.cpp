#include "model/position.hpp"

#include <charconv>
#include <cstdio>

namespace lockstep {

std::string to_text(Lsn lsn) {
  char text[24];
  std::snprintf(text, sizeof text, "%X/%X", static_cast<unsigned>(lsn.value >> 32),
                static_cast<unsigned>(lsn.value & 0xffffffffu));
  return text;
}

std::string to_text(const Position& position) { return to_text(std::get<PgPosition>(position).end); }

Result<Lsn> parse_lsn(std::string_view text) {
  const Error bad{ErrorKind::bad_input, "'" + std::string(text) + "' is no position",
                  "write it as the source prints it, as in 16/B374D848"};
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) return bad;
  std::uint32_t high = 0;
  std::uint32_t low = 0;
  const auto read = [](std::string_view digits, std::uint32_t& into) {
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, into, 16);
    return !digits.empty() && parsed.ec == std::errc{} && parsed.ptr == end;
  };
  if (!read(text.substr(0, slash), high) || !read(text.substr(slash + 1), low)) return bad;
  return Lsn{(std::uint64_t{high} << 32) | low};
}

}  // namespace lockstep
