#pragma once

#include "model/decoder.hpp"

namespace lockstep::postgres {

/// Decoders of PostgreSQL's values, from both forms, into the column's own type (see type_map.hpp) or into text.
/// Text cells must come from a session set as `has_binary_decoder` says.
class PgDecoderFactory final : public DecoderFactory {
 public:
  Result<ColumnDecoder> decoder(const Column& column, const LogicalType& target) const override;
};

}  // namespace lockstep::postgres
