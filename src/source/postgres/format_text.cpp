// The text of what is no number and no time, and the table of all formatters.
#include "source/postgres/format.hpp"

#include <algorithm>
#include <array>

#include "base/wire.hpp"
#include "source/postgres/type_oids.hpp"

namespace lockstep::postgres {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";

char* put_hex(char* at, std::byte value) {
  at[0] = hex_digits[std::to_integer<std::size_t>(value >> 4)];
  at[1] = hex_digits[std::to_integer<std::size_t>(value & std::byte{15})];
  return at + 2;
}

void append_hex(Bytes bytes, TextWriter& out) {
  char* at = out.room(2 * bytes.size());
  for (const std::byte b : bytes) at = put_hex(at, b);
  out.wrote(at);
}

struct Formatter {
  std::uint32_t oid;
  FormatFn format;
};

constexpr std::array formatters{
    Formatter{oid::boolean, format_bool},
    Formatter{oid::bytea, format_bytea},
    Formatter{oid::character, format_char},
    Formatter{oid::name, format_plain},
    Formatter{oid::int8, format_int8},
    Formatter{oid::int2, format_int2},
    Formatter{oid::int4, format_int4},
    Formatter{oid::text, format_plain},
    Formatter{oid::object_id, format_oid},
    Formatter{oid::json, format_plain},
    Formatter{oid::xml, format_plain},
    Formatter{oid::float4, format_float4},
    Formatter{oid::float8, format_float8},
    Formatter{oid::bpchar, format_plain},
    Formatter{oid::varchar, format_plain},
    Formatter{oid::date, format_date},
    Formatter{oid::time, format_time},
    Formatter{oid::timestamp, format_timestamp},
    Formatter{oid::timestamp_tz, format_timestamp_tz},
    Formatter{oid::interval, format_interval},
    Formatter{oid::time_tz, format_time_tz},
    Formatter{oid::numeric, format_numeric},
    Formatter{oid::uuid, format_uuid},
    Formatter{oid::jsonb, format_versioned},
    Formatter{oid::int2_vector, format_vector},
    Formatter{oid::oid_vector, format_vector},
    Formatter{oid::tid, format_tid},
    Formatter{oid::xid, format_oid},
    Formatter{oid::cid, format_oid},
    Formatter{oid::xid8, format_xid8},
    Formatter{oid::cidr, format_inet},
    Formatter{oid::inet, format_inet},
    Formatter{oid::macaddr, format_macaddr},
    Formatter{oid::macaddr8, format_macaddr},
    Formatter{oid::money, format_money},
    Formatter{oid::bit, format_bit},
    Formatter{oid::varbit, format_bit},
    Formatter{oid::refcursor, format_plain},
    Formatter{oid::pg_lsn, format_lsn},
    Formatter{oid::jsonpath, format_versioned},
};

}  // namespace

FormatFn formatter_of(std::uint32_t type_oid) {
  if (type_oid >= oid::first_user_type) return format_plain;
  const auto* found =
      std::find_if(formatters.begin(), formatters.end(), [&](const Formatter& f) { return f.oid == type_oid; });
  return found == formatters.end() ? nullptr : found->format;
}

bool format_plain(Bytes value, TextWriter& out) {
  if (!is_text(value)) return false;
  out.append(text_of(value));
  return true;
}

bool format_versioned(Bytes value, TextWriter& out) {
  return !value.empty() && value.front() == std::byte{1} && format_plain(value.subspan(1), out);
}

bool format_bool(Bytes value, TextWriter& out) {
  if (value.size() != 1 || std::to_integer<int>(value.front()) > 1) return false;
  out.put(value.front() == std::byte{1} ? 't' : 'f');
  return true;
}

// Zero is the empty text. From version 16 on the upper half is written in octal, before as the bare byte, which is no
// UTF-8 and which a server can send only in a one-byte encoding: the octal form stands for both.
bool format_char(Bytes value, TextWriter& out) {
  if (value.size() != 1) return false;
  const auto byte = std::to_integer<unsigned char>(value.front());
  if (byte == 0) return true;
  if (byte < 0x80) {
    out.put(static_cast<char>(byte));
    return true;
  }
  out.put('\\');
  for (const int shift : {6, 3, 0}) out.put(static_cast<char>('0' + (byte >> shift & 7)));
  return true;
}

bool format_bytea(Bytes value, TextWriter& out) {
  out.append("\\x");
  append_hex(value, out);
  return true;
}

bool format_uuid(Bytes value, TextWriter& out) {
  if (value.size() != 16) return false;
  append_hex(value.first(4), out);
  for (const std::size_t group : {4u, 6u, 8u}) {
    out.put('-');
    append_hex(value.subspan(group, 2), out);
  }
  out.put('-');
  append_hex(value.subspan(10), out);
  return true;
}

bool format_tid(Bytes value, TextWriter& out) {
  WireReader in(value);
  const std::uint32_t block = in.u32();
  const std::uint16_t item = in.u16();
  if (!in.complete()) return false;
  out.put('(');
  out.append_number(block);
  out.put(',');
  out.append_number(item);
  out.put(')');
  return true;
}

bool format_lsn(Bytes value, TextWriter& out) {
  if (value.size() != 8) return false;
  const auto position = load<std::uint64_t>(value.data());
  char text[24];
  char* end = std::to_chars(text, text + 8, static_cast<std::uint32_t>(position >> 32), 16).ptr;
  *end++ = '/';
  end = std::to_chars(end, end + 8, static_cast<std::uint32_t>(position), 16).ptr;
  for (const char* c = text; c != end; ++c) out.put(*c >= 'a' ? static_cast<char>(*c - 'a' + 'A') : *c);
  return true;
}

// u32 count of bits, then the bits, the highest first.
bool format_bit(Bytes value, TextWriter& out) {
  WireReader in(value);
  const std::uint32_t count = in.u32();
  const Bytes bits = in.rest();
  if (!in.ok() || bits.size() != (std::uint64_t{count} + 7) / 8) return false;
  char* at = out.room(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    *at++ = static_cast<char>('0' + (std::to_integer<int>(bits[i / 8]) >> (7 - i % 8) & 1));
  }
  out.wrote(at);
  return true;
}

}  // namespace lockstep::postgres
