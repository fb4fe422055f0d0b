#pragma once

#include <cstdint>

#include "base/result.hpp"
#include "model/row.hpp"
#include "model/shape.hpp"
#include "model/type.hpp"
#include "model/vector.hpp"

namespace lockstep {

enum class Decoded : std::uint8_t {
  ok,
  does_not_fit,  ///< the target type cannot hold this value exactly; nothing was written
  malformed,     ///< the bytes are no value of the source's type
};

struct ColumnDecoder;

/// Writes one cell (text, binary or null; never unchanged) into slot `row` of `out`. Thread-safe, allocates nothing but
/// in the vector's arena and child. Strings may point into the cell's bytes.
using DecodeFn = Decoded (*)(const ColumnDecoder& self, const Cell& cell, VectorView& out, std::size_t row);

/// How the values of one column get from the source's encoding to a target type. Chosen once a shape.
struct ColumnDecoder {
  DecodeFn decode = nullptr;
  LogicalType target;
  std::uint32_t source_type = 0;
  std::int32_t source_modifier = -1;
};

/// Chooses decoders for one kind of source. Thread-safe; pure.
class DecoderFactory {
 public:
  virtual ~DecoderFactory() = default;
  /// `target` is the column's own type or text: the source's exact text form. Error: unsupported.
  virtual Result<ColumnDecoder> decoder(const Column& column, const LogicalType& target) const = 0;
};

}  // namespace lockstep
