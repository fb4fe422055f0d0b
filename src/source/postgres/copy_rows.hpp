#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "model/decoder.hpp"
#include "model/vector.hpp"

namespace lockstep::postgres {

/// Decodes the messages of `COPY … TO STDOUT (FORMAT binary)` (manual, "COPY", "Binary Format"): a header, then tuples,
/// which the server never splits over two messages. Pure.
class CopyRows {
 public:
  /// `as_text`, one a column: the server was asked for the value's text.
  CopyRows(std::vector<ColumnDecoder> decoders, std::vector<bool> as_text);

  /// A new COPY begins.
  void restart() { in_header_ = true; }
  /// Decodes the message's tuple, if it has one, into row `row`. Gives the number of rows written, 0 or 1.
  /// Errors: bad_data, does_not_fit (`column_at_fault` tells where).
  Result<std::size_t> decode(Bytes message, std::span<VectorView> columns, std::size_t row);
  std::size_t column_at_fault() const { return column_at_fault_; }

 private:
  Status take_header(Bytes& rest);

  std::vector<ColumnDecoder> decoders_;
  std::vector<bool> as_text_;
  bool in_header_ = true;
  std::size_t column_at_fault_ = 0;
};

}  // namespace lockstep::postgres
