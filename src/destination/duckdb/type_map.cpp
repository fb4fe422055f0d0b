#include "destination/duckdb/type_map.hpp"

#include <duckdb.h>

#include "base/check.hpp"

// Our vectors take DuckDB's memory as it is, so the layouts must be the same.
static_assert(sizeof(duckdb_string_t) == sizeof(lockstep::StringValue));
static_assert(sizeof(duckdb_list_entry) == sizeof(lockstep::ListValue));
static_assert(sizeof(duckdb_interval) == sizeof(lockstep::IntervalValue));
static_assert(sizeof(duckdb_hugeint) == 16 && sizeof(bool) == 1);

namespace lockstep::destination::duck {
namespace {

duckdb_type plain_type(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean: return DUCKDB_TYPE_BOOLEAN;
    case TypeKind::int16: return DUCKDB_TYPE_SMALLINT;
    case TypeKind::int32: return DUCKDB_TYPE_INTEGER;
    case TypeKind::int64: return DUCKDB_TYPE_BIGINT;
    case TypeKind::uint32: return DUCKDB_TYPE_UINTEGER;
    case TypeKind::float32: return DUCKDB_TYPE_FLOAT;
    case TypeKind::float64: return DUCKDB_TYPE_DOUBLE;
    case TypeKind::decimal: return DUCKDB_TYPE_DECIMAL;
    case TypeKind::text:
    case TypeKind::json: return DUCKDB_TYPE_VARCHAR;
    case TypeKind::bytes: return DUCKDB_TYPE_BLOB;
    case TypeKind::date: return DUCKDB_TYPE_DATE;
    case TypeKind::time: return DUCKDB_TYPE_TIME;
    case TypeKind::time_tz: return DUCKDB_TYPE_TIME_TZ;
    case TypeKind::timestamp: return DUCKDB_TYPE_TIMESTAMP;
    case TypeKind::timestamp_tz: return DUCKDB_TYPE_TIMESTAMP_TZ;
    case TypeKind::interval: return DUCKDB_TYPE_INTERVAL;
    case TypeKind::uuid: return DUCKDB_TYPE_UUID;
  }
  CHECK(false);
}

const char* plain_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean: return "BOOLEAN";
    case TypeKind::int16: return "SMALLINT";
    case TypeKind::int32: return "INTEGER";
    case TypeKind::int64: return "BIGINT";
    case TypeKind::uint32: return "UINTEGER";
    case TypeKind::float32: return "FLOAT";
    case TypeKind::float64: return "DOUBLE";
    case TypeKind::decimal: return "DECIMAL";
    case TypeKind::text: return "VARCHAR";
    case TypeKind::json: return "JSON";
    case TypeKind::bytes: return "BLOB";
    case TypeKind::date: return "DATE";
    case TypeKind::time: return "TIME";
    case TypeKind::time_tz: return "TIMETZ";
    case TypeKind::timestamp: return "TIMESTAMP";
    case TypeKind::timestamp_tz: return "TIMESTAMPTZ";
    case TypeKind::interval: return "INTERVAL";
    case TypeKind::uuid: return "UUID";
  }
  CHECK(false);
}

}  // namespace

std::string sql_type(const LogicalType& type) {
  std::string sql = plain_name(type.kind);
  if (type.kind == TypeKind::decimal) {
    sql += "(" + std::to_string(type.precision) + "," + std::to_string(type.scale) + ")";
  }
  for (std::uint8_t i = 0; i < type.list_depth; ++i) sql += "[]";
  return sql;
}

bool equal_needs_text(const LogicalType& type) {
  return type.kind == TypeKind::float32 || type.kind == TypeKind::float64 || type.kind == TypeKind::interval ||
         type.kind == TypeKind::time_tz;
}

void DropLogicalType::operator()(_duckdb_logical_type* type) const { duckdb_destroy_logical_type(&type); }

OwnedLogicalType logical_type(const LogicalType& type) {
  duckdb_logical_type made = type.kind == TypeKind::decimal ? duckdb_create_decimal_type(type.precision, type.scale)
                                                            : duckdb_create_logical_type(plain_type(type.kind));
  // JSON is VARCHAR under another name; with the name here the INSERT needs no cast.
  if (type.kind == TypeKind::json) duckdb_logical_type_set_alias(made, "JSON");
  for (std::uint8_t i = 0; i < type.list_depth; ++i) {
    duckdb_logical_type list = duckdb_create_list_type(made);
    duckdb_destroy_logical_type(&made);
    made = list;
  }
  return OwnedLogicalType(made);
}

ChunkLender::ChunkLender(const std::vector<LogicalType>& types) {
  views_.resize(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    views_[i].type = types[i];
    make_lists(views_[i]);
  }
}

void ChunkLender::make_lists(VectorView& view) {
  view.arena = &arena_;
  if (view.type.list_depth == 0) return;
  List& list = lists_.emplace_back();
  list.child.type = view.type;
  --list.child.type.list_depth;
  view.child = &list.child;
  view.owner = &list;
  view.reserve_child = &ChunkLender::reserve;
  make_lists(list.child);
}

std::vector<VectorView>& ChunkLender::lend(_duckdb_data_chunk* chunk) {
  for (std::size_t i = 0; i < views_.size(); ++i) lend_vector(duckdb_data_chunk_get_vector(chunk, i), views_[i]);
  return views_;
}

void ChunkLender::lend_vector(_duckdb_vector* vector, VectorView& view) {
  duckdb_vector_ensure_validity_writable(vector);
  view.values = duckdb_vector_get_data(vector);
  view.validity = duckdb_vector_get_validity(vector);
  view.child_size = 0;
  if (view.child == nullptr) return;
  static_cast<List*>(view.owner)->vector = vector;
  lend_vector(duckdb_list_vector_get_child(vector), *view.child);
}

// After DuckDB has moved a child's memory: its own children stand where they stood.
void ChunkLender::refresh_child(VectorView& list) {
  duckdb_vector child = duckdb_list_vector_get_child(static_cast<List*>(list.owner)->vector);
  duckdb_vector_ensure_validity_writable(child);
  list.child->values = duckdb_vector_get_data(child);
  list.child->validity = duckdb_vector_get_validity(child);
  if (list.child->owner != nullptr) static_cast<List*>(list.child->owner)->vector = child;
  if (list.child->child != nullptr) refresh_child(*list.child);
}

void ChunkLender::reserve(VectorView& list, std::uint64_t child_capacity) {
  auto& owner = *static_cast<List*>(list.owner);
  // What is reserved beyond the size is not kept when DuckDB moves the memory.
  duckdb_list_vector_set_size(owner.vector, list.child_size);
  CHECK(duckdb_list_vector_reserve(owner.vector, child_capacity) == DuckDBSuccess);
  refresh_child(list);
}

void ChunkLender::give_back(_duckdb_data_chunk* chunk, std::size_t rows) {
  for (VectorView& view : views_) set_list_sizes(view);
  duckdb_data_chunk_set_size(chunk, rows);
}

void ChunkLender::set_list_sizes(VectorView& view) {
  if (view.child == nullptr) return;
  set_list_sizes(*view.child);
  duckdb_list_vector_set_size(static_cast<List*>(view.owner)->vector, view.child_size);
}

}  // namespace lockstep::destination::duck
