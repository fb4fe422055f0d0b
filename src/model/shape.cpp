#include "model/shape.hpp"

#include "base/wire.hpp"

namespace lockstep {
namespace {

constexpr std::uint8_t shape_version = 1;

Result<Column> decode_column(WireReader& in) {
  Column column;
  column.name = text_of(in.bytes(in.u32()));
  const std::string_view type = text_of(in.bytes(in.u32()));
  column.source_type = in.u32();
  column.source_modifier = in.i32();
  column.number = in.u16();
  if (!in.ok()) return Error{ErrorKind::bad_data, "a column of a table shape is cut short"};
  TRY(parsed, parse_type(type));
  column.type = parsed;
  return column;
}

}  // namespace

void encode_shape(const TableShape& shape, std::vector<std::byte>& bytes) {
  WireWriter out(bytes);
  out.u8(shape_version);
  out.u64(shape.table.value);
  out.sized(shape.name.schema);
  out.sized(shape.name.table);
  out.u8(shape.old_rows_are_keys ? 1 : 0);
  out.u16(static_cast<std::uint16_t>(shape.columns.size()));
  for (const Column& column : shape.columns) {
    out.sized(column.name);
    out.sized(to_text(column.type));
    out.u32(column.source_type);
    out.u32(static_cast<std::uint32_t>(column.source_modifier));
    out.u16(column.number);
  }
  out.u16(static_cast<std::uint16_t>(shape.key.size()));
  for (const std::uint16_t index : shape.key) out.u16(index);
}

Result<TableShape> decode_shape(Bytes bytes) {
  WireReader in(bytes);
  if (in.u8() != shape_version) return Error{ErrorKind::bad_data, "a table shape has an unknown version"};
  TableShape shape;
  shape.table = TableId{in.u64()};
  shape.name.schema = text_of(in.bytes(in.u32()));
  shape.name.table = text_of(in.bytes(in.u32()));
  shape.old_rows_are_keys = in.u8() != 0;
  const std::uint16_t columns = in.u16();
  for (std::uint16_t i = 0; i < columns && in.ok(); ++i) {
    TRY(column, decode_column(in));
    shape.columns.push_back(std::move(column));
  }
  const std::uint16_t keys = in.u16();
  for (std::uint16_t i = 0; i < keys && in.ok(); ++i) {
    shape.key.push_back(in.u16());
    if (shape.key.back() >= columns) return Error{ErrorKind::bad_data, "a table shape names a key column it has not"};
  }
  if (!in.complete()) return Error{ErrorKind::bad_data, "a table shape has a wrong length"};
  return shape;
}

}  // namespace lockstep
