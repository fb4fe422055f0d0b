#include "source/postgres/type_map.hpp"

#include <gmock/gmock.h>

#include "source/postgres/type_oids.hpp"

namespace lockstep::postgres {
namespace {

constexpr std::uint32_t mood = 20'000;
constexpr std::uint32_t mood_array = 20'001;
constexpr std::uint32_t amount = 20'002;  // a domain over numeric(12,2)
constexpr std::uint32_t amount_array = 20'003;
constexpr std::uint32_t fee = 20'004;     // a domain over amount
constexpr std::uint32_t matrix = 20'005;  // a domain over int4[][]
constexpr std::uint32_t pair = 20'006;
constexpr std::uint32_t pair_array = 20'007;
constexpr std::uint32_t citext = 20'008;
constexpr std::uint32_t document = 20'009;  // a domain over jsonb
constexpr std::uint32_t document_array = 20'010;
constexpr std::uint32_t loop = 20'011;  // no server has one

constexpr std::int32_t numeric_modifier(int precision, int scale) { return ((precision << 16) | (scale & 0x7ff)) + 4; }

TypeRows rows() {
  TypeRows rows;
  const auto add = [&](TypeRow row) { rows[row.oid] = row; };
  for (const std::uint32_t type : {oid::boolean, oid::int4, oid::numeric, oid::text, oid::jsonb, oid::inet}) {
    add({type, 'b', 'X', "builtin"});
  }
  add({oid::oid_vector, 'b', 'A', "oidvector", oid::object_id});
  add({oid::name, 'b', 'S', "name", oid::character});
  add({1007, 'b', 'A', "_int4", oid::int4});
  add({1231, 'b', 'A', "_numeric", oid::numeric});
  add({1041, 'b', 'A', "_inet", oid::inet});
  add({mood, 'e', 'E', "mood"});
  add({mood_array, 'b', 'A', "_mood", mood});
  add({amount, 'd', 'N', "amount", 0, oid::numeric, numeric_modifier(12, 2)});
  add({amount_array, 'b', 'A', "_amount", amount});
  add({fee, 'd', 'N', "fee", 0, amount});
  add({matrix, 'd', 'A', "matrix", 0, 1007, -1, 2});
  add({pair, 'c', 'C', "pair"});
  add({pair_array, 'b', 'A', "_pair", pair});
  add({citext, 'b', 'S', "citext"});
  add({document, 'd', 'U', "document", 0, oid::jsonb});
  add({document_array, 'b', 'A', "_document", document});
  add({loop, 'd', 'X', "loop", 0, loop});
  return rows;
}

std::string mapped(std::uint32_t type, std::int32_t modifier = -1, std::int32_t dimensions = 0) {
  return to_text(logical_type(resolve_type(rows(), type, modifier, dimensions)));
}
bool is_binary(std::uint32_t type) { return has_binary_decoder(resolve_type(rows(), type, -1, 0)); }

TEST(type_map, takes_numeric_as_it_was_declared_and_wide_where_it_was_not) {
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(12, 2)), "decimal(12,2)");
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(38, 38)), "decimal(38,38)");
  EXPECT_EQ(mapped(oid::numeric), "decimal(38,10)");
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(39, 2)), "decimal(38,10)");
}

TEST(type_map, gives_a_negative_scale_its_zeros_and_a_large_one_its_digits) {
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(5, -2)), "decimal(7,0)");
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(3, 5)), "decimal(5,5)");
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(38, -1)), "decimal(38,10)");
  EXPECT_EQ(mapped(oid::numeric, numeric_modifier(3, 40)), "decimal(38,10)");
}

TEST(type_map, sees_through_domains) {
  EXPECT_EQ(mapped(amount), "decimal(12,2)");
  EXPECT_EQ(mapped(fee), "decimal(12,2)");
  EXPECT_EQ(mapped(matrix), "int32[][]");
  EXPECT_EQ(mapped(amount_array, -1, 1), "decimal(12,2)[]");
  const SourceType resolved = resolve_type(rows(), fee, -1, 0);
  EXPECT_EQ(resolved.oid, oid::numeric);
  EXPECT_EQ(resolved.modifier, numeric_modifier(12, 2));
}

TEST(type_map, makes_lists_as_deep_as_declared_and_at_least_one_deep) {
  EXPECT_EQ(mapped(1007), "int32[]");
  EXPECT_EQ(mapped(1007, -1, 3), "int32[][][]");
  EXPECT_EQ(mapped(1007, -1, 99), "int32[][][][][][]");
  EXPECT_EQ(mapped(1231, numeric_modifier(10, 2), 1), "decimal(10,2)[]");
  EXPECT_EQ(mapped(mood_array, -1, 1), "text[]");
}

TEST(type_map, leaves_as_text_what_has_no_better_type) {
  for (const std::uint32_t type : {oid::inet, std::uint32_t{1041}, oid::oid_vector, oid::name, mood, pair, pair_array,
                                   citext, std::uint32_t{4'000'000'000}}) {
    EXPECT_EQ(mapped(type), "text") << type;
  }
}

TEST(type_map, asks_for_text_where_the_binary_form_is_not_known) {
  for (const std::uint32_t type : {oid::numeric, oid::oid_vector, std::uint32_t{1007}, std::uint32_t{1041}, mood,
                                   mood_array, amount, amount_array, matrix, citext, document}) {
    EXPECT_TRUE(is_binary(type)) << type;
  }
  // A column knows only its array's number, which does not say that its elements carry jsonb's version byte.
  for (const std::uint32_t type : {pair, pair_array, document_array, loop, std::uint32_t{4'000'000'000}}) {
    EXPECT_FALSE(is_binary(type)) << type;
  }
}

}  // namespace
}  // namespace lockstep::postgres
