#include "model/row.hpp"

namespace lockstep {

bool split_row(Bytes row, std::vector<Cell>& cells) {
  RowReader in(row);
  cells.clear();
  for (std::uint16_t i = 0; i < in.count() && in.ok(); ++i) cells.push_back(in.next());
  return in.complete();
}

void encode_row(std::span<const Cell> cells, std::vector<std::byte>& bytes) {
  WireWriter out(bytes);
  out.u16(static_cast<std::uint16_t>(cells.size()));
  for (const Cell& cell : cells) {
    out.u8(static_cast<std::uint8_t>(cell.state));
    if (cell.state == Cell::State::text || cell.state == Cell::State::binary) out.sized(cell.bytes);
  }
}

}  // namespace lockstep
