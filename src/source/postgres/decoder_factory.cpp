#include "source/postgres/decoder_factory.hpp"

#include "source/postgres/decode.hpp"
#include "source/postgres/type_map.hpp"
#include "source/postgres/type_oids.hpp"

namespace lockstep::postgres {
namespace {

/// The type that stands for a kind, for arrays whose own number says nothing (arrays of enums and of domains).
std::uint32_t usual_type(TypeKind kind) {
  switch (kind) {
    case TypeKind::boolean: return oid::boolean;
    case TypeKind::int16: return oid::int2;
    case TypeKind::int32: return oid::int4;
    case TypeKind::int64: return oid::int8;
    case TypeKind::uint32: return oid::object_id;
    case TypeKind::float32: return oid::float4;
    case TypeKind::float64: return oid::float8;
    case TypeKind::decimal: return oid::numeric;
    case TypeKind::text: return oid::text;
    case TypeKind::bytes: return oid::bytea;
    case TypeKind::date: return oid::date;
    case TypeKind::time: return oid::time;
    case TypeKind::time_tz: return oid::time_tz;
    case TypeKind::timestamp: return oid::timestamp;
    case TypeKind::timestamp_tz: return oid::timestamp_tz;
    case TypeKind::interval: return oid::interval;
    case TypeKind::uuid: return oid::uuid;
    case TypeKind::json: return oid::json;
  }
  CHECK(false);
}

}  // namespace

DecodeFn value_decoder(const LogicalType& type, std::uint32_t source_type) {
  switch (type.kind) {
    case TypeKind::boolean:
    case TypeKind::int16:
    case TypeKind::int32:
    case TypeKind::int64:
    case TypeKind::uint32:
    case TypeKind::float32:
    case TypeKind::float64: return number_decoder(type.kind);
    case TypeKind::decimal: return decimal_decoder(type.precision);
    case TypeKind::date:
    case TypeKind::time:
    case TypeKind::time_tz:
    case TypeKind::timestamp:
    case TypeKind::timestamp_tz:
    case TypeKind::interval: return time_decoder(type.kind);
    case TypeKind::bytes: return bytes_decoder();
    case TypeKind::uuid: return uuid_decoder();
    case TypeKind::text:
    case TypeKind::json: return text_decoder(source_type);
  }
  CHECK(false);
}

Result<ColumnDecoder> PgDecoderFactory::decoder(const Column& column, const LogicalType& target) const {
  const bool is_widened = target == LogicalType{TypeKind::text} && target != column.type;
  if (target != column.type && !is_widened) {
    Error error{ErrorKind::unsupported, "values of " + to_text(column.type) + " are not read as " + to_text(target)};
    error.column = column.name;
    return error;
  }
  ColumnDecoder decoder{nullptr, target, column.source_type, column.source_modifier};
  const std::uint32_t builtin_element = element_of_builtin_array(column.source_type);
  if (builtin_element == 0 && column.type.list_depth == 0) {
    decoder.decode = is_widened ? text_decoder(column.source_type) : value_decoder(target, column.source_type);
    return decoder;
  }
  decoder.source_type = builtin_element != 0 ? builtin_element : usual_type(column.type.kind);
  decoder.decode = target.list_depth > 0 ? list_decoder() : array_text_decoder();
  return decoder;
}

}  // namespace lockstep::postgres
