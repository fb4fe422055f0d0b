#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/type.hpp"

namespace lockstep::postgres {

/// One row of pg_type, as far as the type map asks.
struct TypeRow {
  std::uint32_t oid = 0;
  char kind = 'b';                   ///< typtype: b(ase), c(omposite), d(omain), e(num), r(ange), m(ultirange)
  char category = 'X';               ///< typcategory
  std::string name;                  ///< typname
  std::uint32_t element = 0;         ///< typelem
  std::uint32_t base = 0;            ///< typbasetype, of a domain
  std::int32_t base_modifier = -1;   ///< typtypmod, of a domain
  std::int32_t base_dimensions = 0;  ///< typndims, of a domain over an array
};

/// All rows of pg_type, by oid.
using TypeRows = std::unordered_map<std::uint32_t, TypeRow>;

/// Gives the fields of TypeRow in their order, one row a type.
inline constexpr std::string_view type_rows_query =
    "SELECT oid, typtype, typcategory, typname, typelem, typbasetype, typtypmod, typndims FROM pg_catalog.pg_type";

/// What the catalog says of a column's type, with domains replaced by what they are made of.
struct SourceType {
  std::uint32_t oid = 0;           ///< goes into Column::source_type
  std::int32_t modifier = -1;      ///< goes into Column::source_modifier; of an array, its elements'
  char kind = 'b';                 ///< typtype; never 'd'
  std::string name;                ///< typname
  std::uint32_t element = 0;       ///< of a true array: its elements' type, a domain's base; else 0
  char element_kind = 'b';         ///< typtype of `element`; never 'd'
  bool element_is_domain = false;  ///< the array was declared over a domain
  std::int32_t dimensions = 0;     ///< declared: attndims, or the domain's typndims
};

/// `type_oid`, `modifier` and `dimensions` are atttypid, atttypmod and attndims. A type that `rows` does not know is
/// taken as one that nobody knows: it arrives as text.
SourceType resolve_type(const TypeRows& rows, std::uint32_t type_oid, std::int32_t modifier, std::int32_t dimensions);

/// What the column becomes at a destination (docs: the table of types). Goes into Column::type.
LogicalType logical_type(const SourceType& type);

/// True when the decoders read the type's binary form exactly. Otherwise its values must come as text: in COPY as
/// `column::text`, and a stream with such a column must not ask for `binary 'true'`.
///
/// Text must be made in a session with client_encoding UTF8, DateStyle ISO, IntervalStyle postgres, TimeZone UTC,
/// bytea_output hex, extra_float_digits 1 or more, lc_monetary C: the decoders read that form and no other.
bool has_binary_decoder(const SourceType& type);

/// The type of the elements of a built-in array type; 0 for any other type.
std::uint32_t element_of_builtin_array(std::uint32_t array_oid);

}  // namespace lockstep::postgres
