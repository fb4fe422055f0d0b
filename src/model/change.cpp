#include "model/change.hpp"

#include "base/check.hpp"

namespace lockstep {
namespace {

std::size_t body_size(const Change& change) {
  switch (change.kind) {
    case ChangeKind::insert: return 4 + change.new_row.size();
    case ChangeKind::update: return 4 + 4 + change.old_row.size() + change.new_row.size();
    case ChangeKind::erase: return 4 + change.old_row.size();
    case ChangeKind::truncate: return 4 + 8 * change.tables.size();
    case ChangeKind::message: return 4 + change.prefix.size() + change.content.size();
  }
  CHECK(false);
}

}  // namespace

void encode_change(const Change& change, std::vector<std::byte>& bytes) {
  WireWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(change.kind));
  out.u32(static_cast<std::uint32_t>(body_size(change)));
  switch (change.kind) {
    case ChangeKind::insert:
      out.u32(change.shape.value);
      out.bytes(change.new_row);
      return;
    case ChangeKind::update:
      out.u32(change.shape.value);
      out.sized(change.old_row);
      out.bytes(change.new_row);
      return;
    case ChangeKind::erase:
      out.u32(change.shape.value);
      out.bytes(change.old_row);
      return;
    case ChangeKind::truncate:
      out.u32(static_cast<std::uint32_t>(change.tables.size()));
      for (const TableId table : change.tables) out.u64(table.value);
      return;
    case ChangeKind::message:
      out.sized(change.prefix);
      out.bytes(change.content);
      return;
  }
}

bool ChangeReader::next(Change& change) {
  if (!ok_ || in_.rest().empty()) return false;
  change.kind = static_cast<ChangeKind>(in_.u8());
  const Bytes body = in_.bytes(in_.u32());
  ok_ = in_.ok() && read_body(body, change);
  return ok_;
}

bool ChangeReader::read_body(Bytes body, Change& change) {
  WireReader in(body);
  change.old_row = {};
  change.new_row = {};
  change.tables.clear();
  switch (change.kind) {
    case ChangeKind::insert:
      change.shape = ShapeId{in.u32()};
      change.new_row = in.rest();
      return in.ok();
    case ChangeKind::update:
      change.shape = ShapeId{in.u32()};
      change.old_row = in.bytes(in.u32());
      change.new_row = in.rest();
      return in.ok();
    case ChangeKind::erase:
      change.shape = ShapeId{in.u32()};
      change.old_row = in.rest();
      return in.ok();
    case ChangeKind::truncate: {
      const std::uint32_t count = in.u32();
      for (std::uint32_t i = 0; i < count && in.ok(); ++i) change.tables.push_back(TableId{in.u64()});
      return in.complete();
    }
    case ChangeKind::message:
      change.prefix = text_of(in.bytes(in.u32()));
      change.content = in.rest();
      return in.ok();
  }
  return false;
}

}  // namespace lockstep
