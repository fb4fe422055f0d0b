#include <gmock/gmock.h>

#include "source/postgres/decode_test.hpp"

namespace lockstep::postgres {
namespace {

using decode_test::binary;
using decode_test::shown;
using decode_test::Source;
using decode_test::text;

constexpr Source int2{oid::int2, "int16"};
constexpr Source int4{oid::int4, "int32"};
constexpr Source int8{oid::int8, "int64"};
constexpr Source number{oid::object_id, "uint32"};
constexpr Source real{oid::float4, "float32"};
constexpr Source precise{oid::float8, "float64"};
constexpr Source price{oid::numeric, "decimal(18,2)"};
constexpr Source unlimited{oid::numeric, "decimal(38,10)"};

TEST(decode_number, reads_integers_to_their_last_bit) {
  EXPECT_EQ(binary(int2, "8000"), "-32768");
  EXPECT_EQ(binary(int4, "7fffffff"), "2147483647");
  EXPECT_EQ(binary(int8, "0020000000000001"), "9007199254740993");  // 2^53 + 1, which no double holds
  EXPECT_EQ(binary(int8, "8000000000000000"), "-9223372036854775808");
  EXPECT_EQ(text(int8, "-9223372036854775808"), "-9223372036854775808");
  EXPECT_EQ(binary(number, "ffffffff"), "4294967295");
  EXPECT_EQ(shown(number, "ffffffff"), "4294967295");
  EXPECT_EQ(shown(int2, "8000"), "-32768");
}

TEST(decode_number, refuses_integers_that_are_none) {
  for (const char* value : {"", "1 ", " 1", "+1", "0x1", "1.0", "2147483648", "-"}) {
    EXPECT_EQ(text(int4, value), "(malformed)") << value;
  }
  EXPECT_EQ(binary(int4, "00000000 00"), "(malformed)");
  EXPECT_EQ(text(number, "-1"), "(malformed)");
}

TEST(decode_number, reads_truth_and_nothing_but) {
  constexpr Source truth{oid::boolean, "boolean"};
  EXPECT_EQ(binary(truth, "01"), "true");
  EXPECT_EQ(binary(truth, "00"), "false");
  EXPECT_EQ(shown(truth, "01"), "t");
  EXPECT_EQ(text(truth, "f"), "false");
  EXPECT_EQ(binary(truth, "02"), "(malformed)");
  EXPECT_EQ(shown(truth, "02"), "(malformed)");
  EXPECT_EQ(text(truth, "true"), "(malformed)");
}

TEST(decode_number, keeps_what_floats_have_beyond_numbers) {
  EXPECT_EQ(binary(precise, "7ff8000000000000"), "NaN");
  EXPECT_EQ(binary(precise, "fff0000000000000"), "-inf");
  EXPECT_EQ(binary(precise, "8000000000000000"), "-0");
  EXPECT_EQ(binary(precise, "0000000000000001"), "5e-324");
  EXPECT_EQ(text(precise, "-Infinity"), "-inf");
  EXPECT_EQ(text(precise, "4.9406564584124654e-324"), "5e-324");
  EXPECT_EQ(text(real, "NaN"), "NaN");
  EXPECT_EQ(text(real, "-0"), "-0");
}

TEST(decode_number, writes_floats_as_the_server_does) {
  const std::pair<const char*, const char*> doubles[] = {
      {"0000000000000000", "0"},
      {"8000000000000000", "-0"},
      {"3fb999999999999a", "0.1"},
      {"3fd3333333333334", "0.30000000000000004"},
      {"42d6bcc41e900000", "100000000000000"},  // 1e14
      {"430c6bf526340000", "1e+15"},
      {"4415af1d78b58c40", "1e+20"},
      {"44b52d02c7e14af6", "9.999999999999999e+22"},  // 1e23 lies exactly between two doubles
      {"3f1a36e2eb1c432d", "0.0001"},
      {"3ee4f8b588e368f1", "1e-05"},
      {"7fefffffffffffff", "1.7976931348623157e+308"},
      {"0000000000000001", "5e-324"},
      {"7ff8000000000000", "NaN"},
      {"fff0000000000000", "-Infinity"},
  };
  for (const auto& [hex, expected] : doubles) EXPECT_EQ(shown(precise, hex), expected);
  EXPECT_EQ(shown(real, "47c35000"), "100000");
  EXPECT_EQ(shown(real, "49742400"), "1e+06");
  EXPECT_EQ(shown(real, "00000001"), "1e-45");
  EXPECT_EQ(shown(real, "3dcccccd"), "0.1");
}

// Words: count, weight, sign, shown scale; then the digits in base 10000.
TEST(decode_number, reads_decimals_exactly) {
  EXPECT_EQ(binary(price, "0000 0000 0000 0002"), "0.00");
  EXPECT_EQ(binary(price, "0002 0000 0000 0002  0004 1388"), "4.50");
  EXPECT_EQ(binary(price, "0002 0000 4000 0002  0004 1388"), "-4.50");
  EXPECT_EQ(binary(price, "0001 0001 0000 0000  0001"), "10000.00");
  EXPECT_EQ(binary(price, "0001 ffff 0000 0002  0064"), "0.01");
  EXPECT_EQ(binary(price, "0005 0003 0000 0002  270f 270f 270f 270f 26ac"), "9999999999999999.99");
  EXPECT_EQ(binary(price, "0001 0003 0000 0000  270f"), "9999000000000000.00");
  EXPECT_EQ(binary(unlimited, "0001 fffd 0000 000a  0064"), "0.0000000001");
}

TEST(decode_number, never_rounds_a_decimal) {
  EXPECT_EQ(binary(price, "0001 ffff 0000 0003  000a"), "(does not fit)");  // 0.001
  EXPECT_EQ(binary(price, "0001 fffe 0000 0008  0001"), "(does not fit)");  // 0.00000001
  EXPECT_EQ(binary(price, "0001 0004 0000 0000  0001"), "(does not fit)");  // 1e16
  EXPECT_EQ(binary(price, "0001 7fff 0000 0000  0001"), "(does not fit)");
  EXPECT_EQ(binary(unlimited, "0001 fffd 0000 000b  000a"), "(does not fit)");  // 1e-11
  EXPECT_EQ(binary(unlimited, "0001 0007 0000 0000  0001"), "(does not fit)");  // 1e28
  EXPECT_EQ(text(price, "0.001"), "(does not fit)");
  EXPECT_EQ(text(price, "10000000000000000"), "(does not fit)");
  EXPECT_EQ(text(price, "1.500000"), "1.50");
}

TEST(decode_number, has_no_decimal_for_nan_and_infinity_but_their_text) {
  for (const auto& [sign, shown_as] : {std::pair{"c000", "NaN"}, {"d000", "Infinity"}, {"f000", "-Infinity"}}) {
    const std::string hex = std::string("0000 0000 ") + sign + " 0000";
    EXPECT_EQ(binary(price, hex), "(does not fit)");
    EXPECT_EQ(shown(price, hex), shown_as);
    EXPECT_EQ(text(price, shown_as), "(does not fit)");
  }
}

TEST(decode_number, fills_38_digits_and_no_more) {
  constexpr Source whole{oid::numeric, "decimal(38,0)"};
  const std::string nines(38, '9');
  const char* const hex = "000a 0009 4000 0000  0063 270f 270f 270f 270f 270f 270f 270f 270f 270f";
  EXPECT_EQ(binary(whole, hex), "-" + nines);
  EXPECT_EQ(shown(whole, hex), "-" + nines);
  EXPECT_EQ(text(whole, nines), nines);
  EXPECT_EQ(text(whole, "1" + std::string(38, '0')), "(does not fit)");
  constexpr Source fraction{oid::numeric, "decimal(38,38)"};
  EXPECT_EQ(text(fraction, "0." + nines), "0." + nines);
  EXPECT_EQ(binary(fraction, "0001 fff6 0000 0026  0064"), "0." + std::string(37, '0') + "1");
}

TEST(decode_number, uses_the_storage_of_each_precision) {
  EXPECT_EQ(binary({oid::numeric, "decimal(4,2)"}, "0002 0000 4000 0002  0063 26ac"), "-99.99");
  EXPECT_EQ(binary({oid::numeric, "decimal(9,3)"}, "0003 0001 4000 0003  0063 270f 2706"), "-999999.999");
  EXPECT_EQ(binary({oid::numeric, "decimal(19,0)"}, "0001 0004 4000 0000  03e7"), "-9990000000000000000");
}

TEST(decode_number, shows_every_digit_of_a_numeric_and_its_zeros) {
  EXPECT_EQ(shown(price, "0002 0000 0000 0005  0004 1388"), "4.50000");
  EXPECT_EQ(shown(price, "0000 0000 0000 0002"), "0.00");
  EXPECT_EQ(shown(price, "0001 fffe 0000 0009  0001"), "0.000000010");
  EXPECT_EQ(shown(price, "0001 0002 0000 0001  007b"), "12300000000.0");
}

TEST(decode_number, refuses_numerics_that_are_none) {
  for (const char* hex : {"", "0001 0000 0000 0000", "0001 0000 0000 0000 2710", "0000 0000 1234 0000",
                          "0000 0000 0000 4000", "0000 0000 0000 0000 00"}) {
    EXPECT_EQ(binary(price, hex), "(malformed)") << hex;
    EXPECT_EQ(shown(price, hex), "(malformed)") << hex;
  }
  for (const char* value : {"", "-", ".5", "1.", "1e5", "+1", "1 ", "1,0", "--1"}) {
    EXPECT_EQ(text(price, value), "(malformed)") << value;
  }
}

TEST(decode_number, writes_money_as_the_c_locale_does) {
  constexpr Source money{oid::money, "text"};
  EXPECT_EQ(binary(money, "000000000001e240"), "$1,234.56");
  EXPECT_EQ(binary(money, "fffffffffffe1dc0"), "-$1,234.56");
  EXPECT_EQ(binary(money, "0000000000000000"), "$0.00");
  EXPECT_EQ(binary(money, "8000000000000000"), "-$92,233,720,368,547,758.08");
}

}  // namespace
}  // namespace lockstep::postgres
