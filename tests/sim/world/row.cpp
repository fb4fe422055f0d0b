#include "world/row.hpp"

#include <array>

#include "model/row.hpp"
#include "support/text_rows.hpp"

namespace lockstep::sim {
namespace {

constexpr std::uint32_t int64_type = 20;  // PostgreSQL's oids, for people who read a trace
constexpr std::uint32_t text_type = 25;

Cell text_cell(const std::string& text) { return {Cell::State::text, bytes_of(text)}; }

}  // namespace

std::string to_text(const Row& row) {
  return std::to_string(row.key) + "|" + (row.value ? std::to_string(*row.value) : "NULL") + "|" + row.big;
}

void encode(const Row& row, bool big_unchanged, std::vector<std::byte>& out) {
  const std::string key = std::to_string(row.key);
  const std::string value = row.value ? std::to_string(*row.value) : "";
  const std::array cells{text_cell(key), row.value ? text_cell(value) : Cell{},
                         big_unchanged ? Cell{Cell::State::unchanged, {}} : text_cell(row.big)};
  encode_row(cells, out);
}

void encode_key(const Row& row, std::vector<std::byte>& out) {
  const std::string key = std::to_string(row.key);
  const std::array cells{text_cell(key), Cell{}, Cell{}};
  encode_row(cells, out);
}

TableShape shape_of(TableId table, const std::string& name, bool keyed, bool full_identity) {
  TableShape shape;
  shape.table = table;
  shape.name = {"public", name};
  const LogicalType number{TypeKind::int64, 0, 0, 0};
  const LogicalType text{TypeKind::text, 0, 0, 0};
  shape.columns = {
      {"key", number, int64_type, -1, 1}, {"value", number, int64_type, -1, 2}, {"big", text, text_type, -1, 3}};
  if (keyed) shape.key = {0};
  shape.old_rows_are_keys = keyed && !full_identity;
  return shape;
}

Result<ColumnDecoder> SimDecoders::decoder(const Column& column, const LogicalType& target) const {
  if (target.list_depth == 0 && target.kind == TypeKind::int64 && column.source_type == int64_type) {
    return ColumnDecoder{test::decode_to_number<std::int64_t>, target, column.source_type, column.source_modifier};
  }
  if (target.list_depth == 0 && target.kind == TypeKind::text) {
    return ColumnDecoder{test::decode_to_text, target, column.source_type, column.source_modifier};
  }
  return Error{ErrorKind::unsupported, "the simulated source cannot decode to " + to_text(target)};
}

}  // namespace lockstep::sim
