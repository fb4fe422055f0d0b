// The text of network addresses. Source: PostgreSQL, src/port/inet_net_ntop.c and src/backend/utils/adt/network.c.
#include <array>

#include "base/wire.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {
namespace {

void put_ipv4(Bytes address, TextWriter& out) {
  for (std::size_t i = 0; i < 4; ++i) {
    if (i > 0) out.put('.');
    out.append_number(std::to_integer<std::uint32_t>(address[i]));
  }
}

using Words = std::array<std::uint16_t, 8>;

struct Run {
  std::size_t begin = 0;
  std::size_t length = 0;
};

/// The first of the longest runs of two or more zero words.
Run longest_zeros(const Words& words) {
  Run best;
  Run current;
  for (std::size_t i = 0; i < words.size(); ++i) {
    current = words[i] == 0 ? Run{current.length == 0 ? i : current.begin, current.length + 1} : Run{};
    if (current.length > best.length) best = current;
  }
  return best.length < 2 ? Run{} : best;
}

void put_ipv6(Bytes address, TextWriter& out) {
  Words words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = load<std::uint16_t>(address.data() + 2 * i);
  const Run zeros = longest_zeros(words);
  // ::a.b.c.d and ::ffff:a.b.c.d
  const bool holds_ipv4 = zeros.begin == 0 && (zeros.length == 6 || (zeros.length == 5 && words[5] == 0xffff));
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (zeros.length > 0 && i >= zeros.begin && i < zeros.begin + zeros.length) {
      if (i == zeros.begin) out.put(':');
      continue;
    }
    if (i > 0) out.put(':');
    if (i == 6 && holds_ipv4) return put_ipv4(address.subspan(12), out);
    char* at = out.room(4);
    out.wrote(std::to_chars(at, at + 4, words[i], 16).ptr);
  }
  if (zeros.length > 0 && zeros.begin + zeros.length == words.size()) out.put(':');
}

}  // namespace

// u8 family, u8 bits of the mask, u8 1 for cidr, u8 length, address. A full mask is left out, but not of a cidr.
bool format_inet(Bytes value, TextWriter& out) {
  constexpr std::uint8_t family_ipv4 = 2;  // PGSQL_AF_INET
  constexpr std::uint8_t family_ipv6 = 3;
  WireReader in(value);
  const std::uint8_t family = in.u8();
  const std::uint8_t bits = in.u8();
  const std::uint8_t is_cidr = in.u8();
  const std::size_t length = in.u8();
  const Bytes address = in.bytes(length);
  const bool is_ipv4 = family == family_ipv4 && length == 4;
  const bool is_ipv6 = family == family_ipv6 && length == 16;
  if (!in.complete() || (!is_ipv4 && !is_ipv6) || bits > 8 * length || is_cidr > 1) return false;
  if (is_ipv4) {
    put_ipv4(address, out);
  } else {
    put_ipv6(address, out);
  }
  if (bits == 8 * length && is_cidr == 0) return true;
  out.put('/');
  out.append_number(bits);
  return true;
}

bool format_macaddr(Bytes value, TextWriter& out) {
  constexpr std::string_view hex_digits = "0123456789abcdef";
  if (value.size() != 6 && value.size() != 8) return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const auto byte = std::to_integer<std::size_t>(value[i]);
    if (i > 0) out.put(':');
    out.put(hex_digits[byte >> 4]);
    out.put(hex_digits[byte & 15]);
  }
  return true;
}

}  // namespace lockstep::postgres
