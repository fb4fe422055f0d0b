#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "source/postgres/text_writer.hpp"

namespace lockstep::postgres {

/// Appends to `out` the text that PostgreSQL's output function makes of the same value, from the value's binary form.
/// False: the bytes are no value of the type (then `out` may hold a part of a text).
using FormatFn = bool (*)(Bytes value, TextWriter& out);

bool format_bool(Bytes value, TextWriter& out);
bool format_int2(Bytes value, TextWriter& out);
bool format_int4(Bytes value, TextWriter& out);
bool format_int8(Bytes value, TextWriter& out);
bool format_oid(Bytes value, TextWriter& out);
bool format_xid8(Bytes value, TextWriter& out);
bool format_tid(Bytes value, TextWriter& out);
bool format_float4(Bytes value, TextWriter& out);
bool format_float8(Bytes value, TextWriter& out);
bool format_numeric(Bytes value, TextWriter& out);
bool format_money(Bytes value, TextWriter& out);  ///< as lc_monetary C writes it
bool format_date(Bytes value, TextWriter& out);
bool format_time(Bytes value, TextWriter& out);
bool format_time_tz(Bytes value, TextWriter& out);
bool format_timestamp(Bytes value, TextWriter& out);
bool format_timestamp_tz(Bytes value, TextWriter& out);  ///< in UTC
bool format_interval(Bytes value, TextWriter& out);
bool format_uuid(Bytes value, TextWriter& out);
bool format_bytea(Bytes value, TextWriter& out);
bool format_char(Bytes value, TextWriter& out);
bool format_plain(Bytes value, TextWriter& out);      ///< types whose binary form is their text
bool format_versioned(Bytes value, TextWriter& out);  ///< jsonb, jsonpath: a version byte, then the text
bool format_bit(Bytes value, TextWriter& out);
bool format_inet(Bytes value, TextWriter& out);
bool format_macaddr(Bytes value, TextWriter& out);  ///< 6 or 8 bytes
bool format_lsn(Bytes value, TextWriter& out);
bool format_vector(Bytes value, TextWriter& out);  ///< int2vector, oidvector

/// An array whose elements `element` formats, as array_out writes it.
bool format_array(Bytes value, FormatFn element, TextWriter& out);

/// The formatter of a type; for numbers of users' own types it is format_plain (enum labels). Null: there is none.
FormatFn formatter_of(std::uint32_t type_oid);

/// Whether the bytes are UTF-8 as PostgreSQL and DuckDB define it: no overlong forms, no surrogates, no zero byte.
bool is_text(Bytes value);

/// Big-endian number of a value that is known to be long enough.
template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (sizeof value == 2) return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
  if constexpr (sizeof value == 4) return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
  if constexpr (sizeof value == 8) return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
  return value;
}

/// Writes `value` with two digits; returns the end.
inline char* put_two_digits(char* at, std::uint32_t value) {
  at[0] = static_cast<char>('0' + value / 10);
  at[1] = static_cast<char>('0' + value % 10);
  return at + 2;
}

}  // namespace lockstep::postgres
