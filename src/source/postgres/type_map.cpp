#include "source/postgres/type_map.hpp"

#include <algorithm>
#include <array>

#include "source/postgres/type_oids.hpp"

namespace lockstep::postgres {
namespace {

/// A built-in type whose binary form we read. `lists`: its arrays become lists; the arrays of the others stay text.
struct Builtin {
  std::uint32_t oid;
  std::uint32_t array_oid;
  TypeKind kind;
  bool lists;
};

constexpr std::array builtins{
    Builtin{oid::boolean, 1000, TypeKind::boolean, true},
    Builtin{oid::bytea, 1001, TypeKind::bytes, true},
    Builtin{oid::character, 1002, TypeKind::text, true},
    Builtin{oid::name, 1003, TypeKind::text, true},
    Builtin{oid::int8, 1016, TypeKind::int64, true},
    Builtin{oid::int2, 1005, TypeKind::int16, true},
    Builtin{oid::int4, 1007, TypeKind::int32, true},
    Builtin{oid::text, 1009, TypeKind::text, true},
    Builtin{oid::object_id, 1028, TypeKind::uint32, true},
    Builtin{oid::json, 199, TypeKind::json, true},
    Builtin{oid::xml, 143, TypeKind::text, true},
    Builtin{oid::float4, 1021, TypeKind::float32, true},
    Builtin{oid::float8, 1022, TypeKind::float64, true},
    Builtin{oid::bpchar, 1014, TypeKind::text, true},
    Builtin{oid::varchar, 1015, TypeKind::text, true},
    Builtin{oid::date, 1182, TypeKind::date, true},
    Builtin{oid::time, 1183, TypeKind::time, true},
    Builtin{oid::timestamp, 1115, TypeKind::timestamp, true},
    Builtin{oid::timestamp_tz, 1185, TypeKind::timestamp_tz, true},
    Builtin{oid::interval, 1187, TypeKind::interval, true},
    Builtin{oid::time_tz, 1270, TypeKind::time_tz, true},
    Builtin{oid::numeric, 1231, TypeKind::decimal, true},
    Builtin{oid::uuid, 2951, TypeKind::uuid, true},
    Builtin{oid::jsonb, 3807, TypeKind::json, true},
    Builtin{oid::int2_vector, 1006, TypeKind::text, false},
    Builtin{oid::oid_vector, 1013, TypeKind::text, false},
    Builtin{oid::tid, 1010, TypeKind::text, false},
    Builtin{oid::xid, 1011, TypeKind::text, false},
    Builtin{oid::cid, 1012, TypeKind::text, false},
    Builtin{oid::xid8, 271, TypeKind::text, false},
    Builtin{oid::cidr, 651, TypeKind::text, false},
    Builtin{oid::inet, 1041, TypeKind::text, false},
    Builtin{oid::macaddr, 1040, TypeKind::text, false},
    Builtin{oid::macaddr8, 775, TypeKind::text, false},
    Builtin{oid::money, 791, TypeKind::text, false},
    Builtin{oid::bit, 1561, TypeKind::text, false},
    Builtin{oid::varbit, 1563, TypeKind::text, false},
    Builtin{oid::refcursor, 2201, TypeKind::text, false},
    Builtin{oid::pg_lsn, 3221, TypeKind::text, false},
    Builtin{oid::jsonpath, 4073, TypeKind::text, false},
};

const Builtin* find_builtin(std::uint32_t type_oid) {
  const auto* found =
      std::find_if(builtins.begin(), builtins.end(), [&](const Builtin& b) { return b.oid == type_oid; });
  return found == builtins.end() ? nullptr : found;
}

constexpr int decimal_digits_max = 38;
constexpr int list_depth_max = 6;  // PostgreSQL's MAXDIM

/// numeric's modifier holds precision in its upper half and a signed 11-bit scale below, plus 4.
/// Source: PostgreSQL, src/backend/utils/adt/numeric.c, make_numeric_typmod.
LogicalType decimal_type(std::int32_t modifier) {
  const LogicalType unlimited{TypeKind::decimal, decimal_digits_max, 10};
  if (modifier < 4) return unlimited;
  const int packed = modifier - 4;
  const int scale = ((packed & 0x7ff) ^ 1024) - 1024;
  int digits = (packed >> 16) & 0xffff;
  if (scale < 0) digits -= scale;    // numeric(5,-2) goes up to 9999900
  digits = std::max(digits, scale);  // numeric(3,5) has five digits behind the point, two of them zero
  if (digits > decimal_digits_max) return unlimited;
  return {TypeKind::decimal, static_cast<std::uint8_t>(digits), static_cast<std::uint8_t>(std::max(scale, 0))};
}

LogicalType element_type(const Builtin& builtin, std::int32_t modifier) {
  if (builtin.kind == TypeKind::decimal) return decimal_type(modifier);
  return {builtin.kind};
}

/// The rows under a domain, down to what it is made of. A chain that does not end ends at its last row.
struct Base {
  const TypeRow* row = nullptr;
  std::int32_t modifier = -1;
  std::int32_t dimensions = 0;
  bool was_domain = false;
};

Base base_of(const TypeRows& rows, std::uint32_t type_oid, std::int32_t modifier, std::int32_t dimensions) {
  Base base{nullptr, modifier, dimensions};
  for (std::size_t step = 0; step <= rows.size(); ++step) {
    const auto found = rows.find(type_oid);
    if (found == rows.end()) return base;
    base.row = &found->second;
    if (base.row->kind != 'd') return base;
    base.was_domain = true;
    base.modifier = base.row->base_modifier;
    base.dimensions = base.row->base_dimensions;
    type_oid = base.row->base;
  }
  return base;
}

bool is_true_array(const TypeRow& row) {
  // The two vectors are of category A too, but they have a text form and a send function of their own.
  return row.category == 'A' && row.element != 0 && row.oid != oid::int2_vector && row.oid != oid::oid_vector;
}

/// Types whose binary form is the text itself.
bool is_plain_text(std::uint32_t type_oid) {
  return type_oid == oid::text || type_oid == oid::varchar || type_oid == oid::bpchar || type_oid == oid::name ||
         type_oid == oid::xml;
}

bool has_scalar_decoder(std::uint32_t type_oid, char kind) { return kind == 'e' || find_builtin(type_oid) != nullptr; }

}  // namespace

SourceType resolve_type(const TypeRows& rows, std::uint32_t type_oid, std::int32_t modifier, std::int32_t dimensions) {
  const Base base = base_of(rows, type_oid, modifier, dimensions);
  SourceType type;
  type.oid = base.row == nullptr ? type_oid : base.row->oid;
  type.modifier = base.modifier;
  type.dimensions = base.dimensions;
  if (base.row == nullptr) {
    type.kind = 'p';
    return type;
  }
  type.kind = base.row->kind;
  type.name = base.row->name;
  if (!is_true_array(*base.row)) return type;
  const Base element = base_of(rows, base.row->element, base.modifier, 0);
  type.element = element.row == nullptr ? base.row->element : element.row->oid;
  type.element_kind = element.row == nullptr ? 'p' : element.row->kind;
  type.element_is_domain = element.was_domain;
  if (element.was_domain) type.modifier = element.modifier;
  return type;
}

LogicalType logical_type(const SourceType& type) {
  if (type.element == 0) {
    const Builtin* builtin = find_builtin(type.oid);
    return builtin == nullptr ? LogicalType{TypeKind::text} : element_type(*builtin, type.modifier);
  }
  LogicalType list{TypeKind::text};
  if (type.element_kind != 'e') {
    const Builtin* builtin = find_builtin(type.element);
    if (builtin == nullptr || !builtin->lists) return {TypeKind::text};
    list = element_type(*builtin, type.modifier);
  }
  list.list_depth = static_cast<std::uint8_t>(std::clamp(type.dimensions, 1, list_depth_max));
  return list;
}

bool has_binary_decoder(const SourceType& type) {
  // citext's send function is text's.
  if (type.element == 0) return has_scalar_decoder(type.oid, type.kind) || type.name == "citext";
  if (!has_scalar_decoder(type.element, type.element_kind)) return false;
  if (!type.element_is_domain || type.element_kind == 'e') return true;
  // A column remembers only its array type's number, and an array over a domain has a number of its own: the
  // decoder then goes by the logical type, which is enough where one type stands for it.
  const Builtin* builtin = find_builtin(type.element);
  return builtin->kind == TypeKind::text ? is_plain_text(type.element) : type.element != oid::jsonb;
}

std::uint32_t element_of_builtin_array(std::uint32_t array_oid) {
  for (const Builtin& builtin : builtins) {
    if (builtin.array_oid == array_oid) return builtin.oid;
  }
  return 0;
}

}  // namespace lockstep::postgres
