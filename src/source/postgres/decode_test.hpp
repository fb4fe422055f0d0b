#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/vector.hpp"
#include "source/postgres/decoder_factory.hpp"
#include "source/postgres/type_map.hpp"
#include "source/postgres/type_oids.hpp"

/// What the tests of the decoders share: one cell in, what became of it out.
namespace lockstep::postgres::decode_test {

/// "3f 80" → the two bytes. Blanks are for the reader.
inline std::vector<std::byte> bytes(std::string_view hex) {
  std::vector<std::byte> out;
  int high = -1;
  for (const char c : hex) {
    if (c == ' ') continue;
    const int digit = c <= '9' ? c - '0' : c - 'a' + 10;
    if (high < 0) {
      high = digit;
    } else {
      out.push_back(static_cast<std::byte>(high * 16 + digit));
      high = -1;
    }
  }
  return out;
}

inline LogicalType type(std::string_view text) { return parse_type(text).value(); }

inline std::string outcome(Decoded decoded, const VectorView& column) {
  if (decoded == Decoded::ok) return value_text(column, 0);
  return decoded == Decoded::does_not_fit ? "(does not fit)" : "(malformed)";
}

struct Source {
  std::uint32_t oid;
  std::string_view type;  ///< the column's own, as parse_type reads it
};

inline std::string decode(const Source& source, const Cell& cell, const LogicalType& target) {
  const Column column{"c", type(source.type), source.oid};
  const auto decoder = PgDecoderFactory().decoder(column, target);
  if (!decoder.ok()) return to_text(decoder.error());
  ColumnBatch batch({target}, 1);
  VectorView& out = batch.columns().front();
  return outcome(decoder.value().decode(decoder.value(), cell, out, 0), out);
}

/// From the binary form into the column's own type.
inline std::string binary(const Source& source, std::string_view hex) {
  const auto value = bytes(hex);
  return decode(source, {Cell::State::binary, value}, type(source.type));
}
/// From the binary form into PostgreSQL's own text.
inline std::string shown(const Source& source, std::string_view hex) {
  const auto value = bytes(hex);
  return decode(source, {Cell::State::binary, value}, {TypeKind::text});
}
/// From the text form into the column's own type.
inline std::string text(const Source& source, std::string_view value) {
  return decode(source, {Cell::State::text, bytes_of(value)}, type(source.type));
}

}  // namespace lockstep::postgres::decode_test
