#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/wire.hpp"

namespace lockstep {

/// One value of an encoded row: framing is ours, `bytes` are the source's own encoding of the value.
struct Cell {
  enum class State : std::uint8_t {
    null = 'n',
    unchanged = 'u',  ///< the row's old value stands, and the source did not send it (PostgreSQL: unchanged TOAST)
    text = 't',       ///< the source's text form
    binary = 'b',     ///< the source's binary form
  };
  State state = State::null;
  Bytes bytes{};
};

/// Encoded rows travel from the source through journal and fold to the destination without being decoded:
///   row  = u16 count, cell × count
///   cell = u8 state ('n', 'u', 't', 'b'); for 't' and 'b': u32 length, bytes
/// This is PostgreSQL's TupleData (manual, "Logical Replication Message Formats"), so that its bytes need no rework;
/// other sources frame theirs this way.
class RowReader {
 public:
  explicit RowReader(Bytes row) : in_(row), count_(in_.u16()) {}

  std::uint16_t count() const { return count_; }

  Cell next() {
    Cell cell;
    cell.state = static_cast<Cell::State>(in_.u8());
    switch (cell.state) {
      case Cell::State::null:
      case Cell::State::unchanged: break;
      case Cell::State::text:
      case Cell::State::binary: cell.bytes = in_.bytes(in_.u32()); break;
      default: unknown_state_ = true;
    }
    return cell;
  }

  bool ok() const { return in_.ok() && !unknown_state_; }
  bool complete() const { return in_.complete() && !unknown_state_; }
  Bytes rest() const { return in_.rest(); }

 private:
  WireReader in_;
  std::uint16_t count_;
  bool unknown_state_ = false;
};

/// All cells of `row` into `cells` (cleared first). False when the bytes are no row.
bool split_row(Bytes row, std::vector<Cell>& cells);

/// Appends one row in the encoding above.
void encode_row(std::span<const Cell> cells, std::vector<std::byte>& out);

}  // namespace lockstep
