#include "source/postgres/copy_rows.hpp"

#include <utility>

#include "base/wire.hpp"

namespace lockstep::postgres {
namespace {

constexpr std::string_view signature{"PGCOPY\n\377\r\n\0", 11};
constexpr std::uint32_t null_length = 0xffffffffu;
constexpr std::uint16_t end_of_data = 0xffffu;

Error bad(const char* what) { return {ErrorKind::bad_data, std::string("the source's copy is malformed: ") + what}; }

}  // namespace

CopyRows::CopyRows(std::vector<ColumnDecoder> decoders, std::vector<bool> as_text)
    : decoders_(std::move(decoders)), as_text_(std::move(as_text)) {
  CHECK(decoders_.size() == as_text_.size());
}

Status CopyRows::take_header(Bytes& rest) {
  WireReader in(rest);
  const Bytes start = in.bytes(signature.size());
  const std::uint32_t flags = in.u32();
  static_cast<void>(in.bytes(in.u32()));  // an extension that nobody has made use of yet
  if (!in.ok() || text_of(start) != signature || flags != 0) return bad("its header");
  rest = in.rest();
  in_header_ = false;
  return Done{};
}

Result<std::size_t> CopyRows::decode(Bytes message, std::span<VectorView> columns, std::size_t row) {
  if (in_header_) TRY_DO(take_header(message));
  if (message.empty()) return std::size_t{0};
  WireReader in(message);
  const std::uint16_t count = in.u16();
  if (count == end_of_data && in.complete()) return std::size_t{0};
  if (count != decoders_.size()) return bad("a row of another width");
  for (std::size_t i = 0; i < decoders_.size(); ++i) {
    Cell cell;
    const std::uint32_t length = in.u32();
    if (length != null_length) {
      cell.bytes = in.bytes(length);
      cell.state = as_text_[i] ? Cell::State::text : Cell::State::binary;
    }
    if (!in.ok()) return bad("a row that is too short");
    const Decoded decoded = decoders_[i].decode(decoders_[i], cell, columns[i], row);
    if (decoded == Decoded::ok) continue;
    column_at_fault_ = i;
    if (decoded == Decoded::malformed) return bad("a value");
    return Error{ErrorKind::does_not_fit, "a value does not fit " + to_text(decoders_[i].target)};
  }
  if (!in.complete()) return bad("a row that is too long");
  return std::size_t{1};
}

}  // namespace lockstep::postgres
