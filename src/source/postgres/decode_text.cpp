// Texts, bytes and identifiers. Texts are not copied: the vector points into the cell.
#include <array>

#include "model/int128.hpp"
#include "source/postgres/decode.hpp"
#include "source/postgres/format.hpp"
#include "source/postgres/type_oids.hpp"

namespace lockstep::postgres {
namespace {

/// Length of the UTF-8 sequence at the start of `bytes`, which is not empty; 0 when it is none.
/// Source: Unicode Standard, table 3-7, "Well-Formed UTF-8 Byte Sequences".
std::size_t utf8_sequence(const unsigned char* at, std::size_t left) {
  const unsigned char lead = at[0];
  const auto continues = [&](std::size_t i) { return i < left && (at[i] & 0xc0) == 0x80; };
  if (lead < 0x80) return lead == 0 ? 0 : 1;
  if (lead < 0xc2) return 0;
  if (lead < 0xe0) return continues(1) ? 2 : 0;
  if (lead < 0xf0) {
    if (!continues(1) || !continues(2)) return 0;
    if (lead == 0xe0 && at[1] < 0xa0) return 0;   // overlong
    if (lead == 0xed && at[1] >= 0xa0) return 0;  // half of a surrogate pair
    return 3;
  }
  if (lead > 0xf4 || !continues(1) || !continues(2) || !continues(3)) return 0;
  if (lead == 0xf0 && at[1] < 0x90) return 0;   // overlong
  if (lead == 0xf4 && at[1] >= 0x90) return 0;  // beyond U+10FFFF
  return 4;
}

/// Whether eight bytes are ASCII other than zero.
bool are_plain_ascii(const unsigned char* at) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  constexpr std::uint64_t ones = 0x0101010101010101;
  std::uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return ((word | (word - ones)) & high_bits) == 0;
}

Decoded read_plain(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  // A database in SQL_ASCII may send anything. There is no wider type to go to: the caller names the column.
  if (!is_text(value)) return Decoded::does_not_fit;
  out.set(row, StringValue::of(text_of(value)));
  return Decoded::ok;
}

Decoded read_versioned(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  if (value.empty() || value.front() != std::byte{1}) return Decoded::malformed;
  return read_plain(self, value.subspan(1), out, row);
}

/// Labels of enums and citext are their own text. So are no other types of users' own, which must come as text: what
/// they send in binary holds zero bytes or begins with a version, so that it does not pass for a text.
Decoded read_user_type(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  const bool versioned = !value.empty() && value.front() == std::byte{1};
  if (versioned || !is_text(value)) return Decoded::malformed;
  return read_plain(self, value, out, row);
}

Decoded read_formatted(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  const FormatFn format = formatter_of(self.source_type);
  if (format == nullptr) return Decoded::malformed;
  TextWriter text(*out.arena);
  if (!format(value, text)) return Decoded::malformed;
  out.set(row, text.finish());
  return Decoded::ok;
}

/// The value of each hexadecimal digit; -1 for other characters.
constexpr std::array<std::int8_t, 256> hex_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (std::int8_t i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = i;
  for (std::int8_t i = 0; i < 6; ++i) {
    values[static_cast<std::size_t>('a' + i)] = values[static_cast<std::size_t>('A' + i)] =
        static_cast<std::int8_t>(10 + i);
  }
  return values;
}();

/// Two digits as a byte; below 0 when they are none.
int hex_byte(const char* digits) {
  const int high = hex_values[static_cast<unsigned char>(digits[0])];
  const int low = hex_values[static_cast<unsigned char>(digits[1])];
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

Decoded read_bytes(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  out.set(row, StringValue::of(text_of(value)));
  return Decoded::ok;
}

Decoded read_bytes_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  std::string_view text = text_of(value);
  if (!text.starts_with("\\x") || text.size() % 2 != 0) return Decoded::malformed;
  text.remove_prefix(2);
  const std::size_t size = text.size() / 2;
  char* bytes = out.arena->allocate(size);
  for (std::size_t i = 0; i < size; ++i) {
    const int byte = hex_byte(text.data() + 2 * i);
    if (byte < 0) return Decoded::malformed;
    bytes[i] = static_cast<char>(byte);
  }
  out.set(row, StringValue::of({bytes, size}));
  return Decoded::ok;
}

void store_uuid(std::uint64_t high, std::uint64_t low, VectorView& out, std::size_t row) {
  constexpr std::uint64_t top_bit = std::uint64_t{1} << 63;  // flipped: see VectorView
  store_int128(out.values, row, static_cast<Int128>(static_cast<UInt128>(high ^ top_bit) << 64 | low));
}

Decoded read_uuid(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 16) return Decoded::malformed;
  store_uuid(load<std::uint64_t>(value.data()), load<std::uint64_t>(value.data() + 8), out, row);
  return Decoded::ok;
}

Decoded read_uuid_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  const std::string_view text = text_of(value);
  if (text.size() != 36) return Decoded::malformed;
  UInt128 number = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (i == 8 || i == 13 || i == 18 || i == 23) {
      if (text[i++] != '-') return Decoded::malformed;
      continue;
    }
    const int byte = hex_byte(text.data() + i);
    if (byte < 0) return Decoded::malformed;
    number = number << 8 | static_cast<unsigned>(byte);
    i += 2;
  }
  store_uuid(static_cast<std::uint64_t>(number >> 64), static_cast<std::uint64_t>(number), out, row);
  return Decoded::ok;
}

}  // namespace

bool is_text(Bytes value) {
  const auto* at = reinterpret_cast<const unsigned char*>(value.data());
  std::size_t left = value.size();
  while (left > 0) {
    if (left >= 8 && are_plain_ascii(at)) {
      at += 8;
      left -= 8;
      continue;
    }
    const std::size_t length = utf8_sequence(at, left);
    if (length == 0) return false;
    at += length;
    left -= length;
  }
  return true;
}

DecodeFn plain_decoder() { return decode_cell<read_plain, read_plain>; }
DecodeFn bytes_decoder() { return decode_cell<read_bytes, read_bytes_text>; }
DecodeFn uuid_decoder() { return decode_cell<read_uuid, read_uuid_text>; }

DecodeFn text_decoder(std::uint32_t source_type) {
  if (source_type >= oid::first_user_type) return decode_cell<read_user_type, read_plain>;
  const FormatFn format = formatter_of(source_type);
  if (format == format_plain) return plain_decoder();
  if (format == format_versioned) return decode_cell<read_versioned, read_plain>;
  return decode_cell<read_formatted, read_plain>;
}

}  // namespace lockstep::postgres
