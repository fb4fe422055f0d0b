#include <gmock/gmock.h>

#include <random>

#include "source/postgres/decode_test.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {
namespace {

using decode_test::binary;
using decode_test::bytes;
using decode_test::decode;
using decode_test::shown;
using decode_test::Source;
using decode_test::text;

constexpr Source plain{oid::text, "text"};
constexpr Source padded{oid::bpchar, "text"};
constexpr Source blob{oid::bytea, "bytes"};
constexpr Source uuid{oid::uuid, "uuid"};
constexpr Source document{oid::jsonb, "json"};

TEST(decode_text, takes_texts_as_they_are) {
  EXPECT_EQ(binary(plain, ""), "");
  EXPECT_EQ(text(plain, "a\tb\nc\rd\\e"), "a\tb\nc\rd\\e");
  EXPECT_EQ(text(plain, "\\N"), "\\N");
  EXPECT_EQ(text(plain, "NULL"), "\"NULL\"");  // value_text tells it from NULL
  EXPECT_EQ(binary(padded, "61 62 20 20"), "ab  ");
  EXPECT_EQ(text(padded, "ab  "), "ab  ");
}

TEST(decode_text, points_into_the_cell) {
  const std::string value(100, 'x');
  const Column column{"c", {TypeKind::text}, oid::text};
  const auto decoder = PgDecoderFactory().decoder(column, column.type);
  ColumnBatch batch({column.type}, 1);
  VectorView& out = batch.columns().front();
  ASSERT_EQ(decoder.value().decode(decoder.value(), {Cell::State::binary, bytes_of(value)}, out, 0), Decoded::ok);
  EXPECT_EQ(out.get<StringValue>(0).pointer, value.data());
}

TEST(decode_text, leaves_null_null_in_every_type) {
  for (const Source& source :
       {plain, blob, uuid, document, Source{1007, "int32[]"}, Source{oid::numeric, "decimal(9,2)"}}) {
    EXPECT_EQ(decode(source, {}, decode_test::type(source.type)), "NULL");
    EXPECT_EQ(decode(source, {}, {TypeKind::text}), "NULL");
    EXPECT_EQ(decode(source, {Cell::State::unchanged}, {TypeKind::text}), "(malformed)");
  }
}

TEST(decode_text, tells_utf8_from_what_is_none) {
  for (const char* good : {"", "61", "c3a9", "e282ac", "f09f9880", "ed9fbf", "ee8080", "f48fbfbf", "c280", "e0a080",
                           "f0908080", "6162636465666768 c3a9 6162636465666768"}) {
    EXPECT_TRUE(is_text(bytes(good))) << good;
  }
  for (const char* bad : {"00",
                          "80",
                          "c3",
                          "c328",
                          "c080",
                          "c1bf",
                          "e08080",
                          "e09fbf",
                          "eda080",
                          "edbfbf",
                          "e282",
                          "f0808080",
                          "f08fbfbf",
                          "f4908080",
                          "f5808080",
                          "f09f98",
                          "ff",
                          "6162636465666700",
                          "61626364656667 e9",
                          "6162636465666768 00"}) {
    EXPECT_FALSE(is_text(bytes(bad))) << bad;
    EXPECT_EQ(binary(plain, bad), "(does not fit)") << bad;
  }
}

TEST(decode_text, skips_the_version_of_jsonb_and_knows_no_other) {
  EXPECT_EQ(binary(document, "01 7b7d"), "{}");
  EXPECT_EQ(shown(document, "01 7b7d"), "{}");
  EXPECT_EQ(binary(document, "02 7b7d"), "(malformed)");
  EXPECT_EQ(binary(document, ""), "(malformed)");
  EXPECT_EQ(text({oid::json, "json"}, "{\"a\":1, \"a\":2}"), "{\"a\":1, \"a\":2}");
  EXPECT_EQ(shown({oid::json, "json"}, "7b7d"), "{}");
}

TEST(decode_text, reads_bytes_from_both_forms) {
  EXPECT_EQ(binary(blob, "00ff"), "\\x00ff");
  EXPECT_EQ(shown(blob, "00ff"), "\\x00ff");
  EXPECT_EQ(shown(blob, ""), "\\x");
  EXPECT_EQ(text(blob, "\\x00fF"), "\\x00ff");
  EXPECT_EQ(text(blob, "\\x"), "\\x");
  for (const char* value : {"", "\\", "00", "\\x0", "\\xzz", "\\X00", "\\000"}) {
    EXPECT_EQ(text(blob, value), "(malformed)") << value;
  }
}

TEST(decode_text, reads_uuids_in_the_order_of_their_bytes) {
  const char* const hex = "a0eebc99 9c0b 4ef8 bb6d 6bb9bd380a11";
  const char* const expected = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
  EXPECT_EQ(binary(uuid, hex), expected);
  EXPECT_EQ(shown(uuid, hex), expected);
  EXPECT_EQ(text(uuid, expected), expected);
  EXPECT_EQ(text(uuid, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a1g"), "(malformed)");
  EXPECT_EQ(text(uuid, "a0eebc999c0b4ef8bb6d6bb9bd380a11----"), "(malformed)");
}

TEST(decode_text, takes_labels_of_enums_but_no_other_binary_form_of_users_types) {
  constexpr Source mood{20'000, "text"};
  EXPECT_EQ(binary(mood, "736164"), "sad");
  EXPECT_EQ(binary(mood, "00000002 00000017 00000000"), "(malformed)");  // a composite value
  EXPECT_EQ(binary(mood, "01 612e62"), "(malformed)");                   // ltree: a version, then text
  EXPECT_EQ(text(mood, "(1,\"x\")"), "(1,\"x\")");
  EXPECT_EQ(binary({oid::first_user_type - 1, "text"}, "61"), "(malformed)");  // built in, but not known
}

TEST(decode_text, writes_the_small_kinds) {
  EXPECT_EQ(binary({oid::character, "text"}, "61"), "a");
  EXPECT_EQ(binary({oid::character, "text"}, "00"), "");
  EXPECT_EQ(binary({oid::character, "text"}, "ff"), "\\377");
  EXPECT_EQ(binary({oid::bit, "text"}, "00000005 b0"), "10110");
  EXPECT_EQ(binary({oid::varbit, "text"}, "00000000"), "");
  EXPECT_EQ(binary({oid::varbit, "text"}, "00000009 b000"), "101100000");
  EXPECT_EQ(binary({oid::varbit, "text"}, "00000009 b0"), "(malformed)");
  EXPECT_EQ(binary({oid::varbit, "text"}, "ffffffff b0"), "(malformed)");
  EXPECT_EQ(binary({oid::pg_lsn, "text"}, "00000016b374d848"), "16/B374D848");
  EXPECT_EQ(binary({oid::xid, "text"}, "ffffffff"), "4294967295");
  EXPECT_EQ(binary({oid::xid8, "text"}, "ffffffffffffffff"), "18446744073709551615");
  EXPECT_EQ(binary({oid::tid, "text"}, "00000001 0002"), "(1,2)");
  EXPECT_EQ(binary({oid::macaddr, "text"}, "08002b010203"), "08:00:2b:01:02:03");
  EXPECT_EQ(binary({oid::macaddr8, "text"}, "08002b0102030405"), "08:00:2b:01:02:03:04:05");
}

// family, bits, is cidr, length, address
TEST(decode_text, writes_network_addresses) {
  constexpr Source inet{oid::inet, "text"};
  EXPECT_EQ(binary(inet, "02 20 00 04 c0a80001"), "192.168.0.1");
  EXPECT_EQ(binary(inet, "02 18 00 04 c0a80001"), "192.168.0.1/24");
  EXPECT_EQ(binary({oid::cidr, "text"}, "02 20 01 04 c0a80001"), "192.168.0.1/32");
  EXPECT_EQ(binary(inet, "03 80 00 10 00000000000000000000000000000000"), "::");
  EXPECT_EQ(binary(inet, "03 80 00 10 20010db8000000000000000000000001"), "2001:db8::1");
  EXPECT_EQ(binary(inet, "03 60 00 10 00000000000000000000ffff01020304"), "::ffff:1.2.3.4/96");
  EXPECT_EQ(binary(inet, "03 80 00 10 00010000000000020000000000000003"), "1:0:0:2::3");
  EXPECT_EQ(binary(inet, "02 21 00 04 c0a80001"), "(malformed)");
  EXPECT_EQ(binary(inet, "02 20 00 10 c0a80001"), "(malformed)");
  EXPECT_EQ(binary(inet, "04 20 00 04 c0a80001"), "(malformed)");
}

TEST(decode_text, reads_no_type_as_another) {
  const Column column{"c", {TypeKind::int32}, oid::int4};
  const auto decoder = PgDecoderFactory().decoder(column, {TypeKind::int64});
  ASSERT_FALSE(decoder.ok());
  EXPECT_EQ(decoder.error().kind, ErrorKind::unsupported);
}

// Whatever the bytes: a verdict, never a crash. (The address sanitizer looks on.)
TEST(decode_text, stands_hostile_bytes_in_every_type) {
  std::mt19937_64 dice(1);
  const std::vector<Source> sources{{oid::boolean, "boolean"},
                                    {oid::int4, "int32"},
                                    {oid::float8, "float64"},
                                    {oid::float4, "float32"},
                                    {oid::numeric, "decimal(18,2)"},
                                    {oid::numeric, "decimal(38,10)"},
                                    {oid::date, "date"},
                                    {oid::time_tz, "time_tz"},
                                    {oid::timestamp_tz, "timestamp_tz"},
                                    {oid::interval, "interval"},
                                    {oid::uuid, "uuid"},
                                    {oid::jsonb, "json"},
                                    {oid::bytea, "bytes"},
                                    {oid::inet, "text"},
                                    {oid::varbit, "text"},
                                    {oid::money, "text"},
                                    {oid::oid_vector, "text"},
                                    {1007, "int32[]"},
                                    {1009, "text[][]"},
                                    {1231, "decimal(9,2)[][][]"},
                                    {1041, "text"},
                                    {20'000, "text[]"}};
  constexpr std::string_view likely = "{},\"\\[]:=0123456789-+.NULLBCaeInfinityx \x00\x01\xff";
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t size = dice() % 64;
    const auto exact = std::make_unique<std::byte[]>(size);
    for (std::size_t k = 0; k < size; ++k) {
      const bool small = dice() % 2 == 0;  // small numbers pass for counts and lengths
      exact[k] = i % 2 == 0 ? static_cast<std::byte>(likely[dice() % likely.size()])
                            : static_cast<std::byte>(small ? dice() % 3 : dice() % 256);
    }
    const Source& source = sources[dice() % sources.size()];
    const Cell cell{i % 2 == 0 ? Cell::State::text : Cell::State::binary, {exact.get(), size}};
    decode(source, cell, decode_test::type(source.type));
    decode(source, cell, {TypeKind::text});
  }
}

}  // namespace
}  // namespace lockstep::postgres
