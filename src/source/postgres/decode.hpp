#pragma once

#include "model/decoder.hpp"

/// The decoders of single types, for PgDecoderFactory. `source_type` is the type's number; of an array decoder, its
/// elements'.
namespace lockstep::postgres {

/// Reads a value's bytes in one of the two forms into a slot.
using ReadFn = Decoded (*)(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row);

/// A decoder out of the readers of both forms.
template <ReadFn read_binary, ReadFn read_text>
Decoded decode_cell(const ColumnDecoder& self, const Cell& cell, VectorView& out, std::size_t row) {
  switch (cell.state) {
    case Cell::State::binary: return read_binary(self, cell.bytes, out, row);
    case Cell::State::text: return read_text(self, cell.bytes, out, row);
    case Cell::State::null: out.set_null(row); return Decoded::ok;
    case Cell::State::unchanged: break;  // whoever reads a row puts the old value in its place first
  }
  return Decoded::malformed;
}

DecodeFn number_decoder(TypeKind kind);  ///< boolean, integers, floats
DecodeFn decimal_decoder(std::uint8_t precision);
DecodeFn time_decoder(TypeKind kind);  ///< date to interval
DecodeFn bytes_decoder();
DecodeFn uuid_decoder();
/// Types whose text is read as it stands, in either form.
DecodeFn plain_decoder();
/// The exact text of any type that is no array; for one without a formatter, of text cells only.
DecodeFn text_decoder(std::uint32_t source_type);
/// The exact text of an array.
DecodeFn array_text_decoder();
/// Lists of any depth.
DecodeFn list_decoder();

/// The decoder of a plain value; for a list, of its elements.
DecodeFn value_decoder(const LogicalType& type, std::uint32_t source_type);

}  // namespace lockstep::postgres
