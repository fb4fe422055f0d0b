#include "type_cases.hpp"

#include <iterator>

#include "random_values.hpp"

namespace lockstep::types_test {
namespace {

using Cases = std::vector<TypeCase>;

const std::string nines_38(38, '9');

// A line a case reads as the table that it is.
// clang-format off

void add_numbers(Cases& cases) {
  cases.insert(cases.end(), {
      {"boolean", {"t", "f"}},
      {"smallint", {"0", "-1", "32767", "-32768"}, 0, random_integer<std::int16_t>, 50},
      {"integer", {"0", "2147483647", "-2147483648"}, 0, random_integer<std::int32_t>, 50},
      {"bigint", {"0", "9223372036854775807", "-9223372036854775808"}, 0, random_integer<std::int64_t>, 50},
      {"oid", {"0", "2147483648", "4294967295"}, 0, random_integer<std::uint32_t>, 50},
      {"real",
       {"0", "-0", "NaN", "Infinity", "-Infinity", "1e-45", "3.4028235e38", "1.17549435e-38", "0.1", "16777217",
        "100000", "999999", "1000000", "1234567", "0.0001", "0.00001", "8388608", "33554432", "2147483648"},
       0, random_float4, 3000},
      {"double precision",
       {"0", "-0", "NaN", "Infinity", "-Infinity", "4.9406564584124654e-324", "2.2250738585072014e-308",
        "1.7976931348623157e308", "0.1", "0.30000000000000004", "1e14", "1e15", "999999999999999", "123456789012345678",
        "1e20", "1e22", "1e23", "9.5e22", "1e-4", "1e-5", "-481516.00000023421", "9007199254740993", "5e-324",
        "2e-323", "9.999999999999997e22", "1.0000000000000001e23", "4.4501477170144023e-308"},
       0, random_float8, 5000},
  });
}

void add_numerics(Cases& cases) {
  const auto random = [](Dice& dice) { return random_numeric(dice, 45, 20); };
  const auto random_money = [](Dice& dice) { return random_numeric(dice, 16, 2); };
  const auto random_small = [](Dice& dice) { return random_numeric(dice, 2, 2); };
  cases.insert(cases.end(), {
      {"numeric",
       {"0", "0.00", "1", "-1", "10000", "100000000", "0.0001", "0.00010", "0.00001", "123456789.123456789",
        "9999999999999999999999999999.9999999999", "-9999999999999999999999999999.9999999999", "0.0000000001",
        "-0.0000000001", "1.500000000000000000000", "10000000000000000000000000000", "0.00000000001", "1e-20", "1e40",
        "NaN", "Infinity", "-Infinity", "1e1000", "1.23e-1000"},
       9, random, 500},
      {"numeric(38,0)", {"0", nines_38, "-" + nines_38, "NaN"}, 1, [](Dice& d) { return random_numeric(d, 38, 0); }, 200},
      {"numeric(38,38)", {"0", "0." + nines_38, "-0." + nines_38, "1e-38"}, 0, [](Dice& d) { return "0." + random_bits(d, 38); }, 50},
      {"numeric(38,19)", {"1", "9999999999999999999.9999999999999999999"}, 0, [](Dice& d) { return random_numeric(d, 19, 19); }, 200},
      {"numeric(18,2)", {"0", "9999999999999999.99", "-9999999999999999.99", "0.01", "100", "NaN"}, 1, random_money, 300},
      {"numeric(9,3)", {"999999.999", "-999999.999", "0.001"}, 0, [](Dice& d) { return random_numeric(d, 6, 3); }, 100},
      {"numeric(4,2)", {"99.99", "-99.99", "0.01", "NaN"}, 1, random_small, 50},
      {"numeric(1,0)", {"9", "-9", "0"}},
      {"numeric(12,2)", {"4.50", "NaN"}, 1},
      {"numeric(5,-2)", {"12345", "-9999900", "49", "0"}, 0, [](Dice& d) { return random_numeric(d, 6, 0); }, 50},
      {"numeric(3,5)", {"0.00999", "-0.00001", "0"}},
      {"numeric(50,20)", {"1", "0.00000000001", "123456789012345678901234567890"}, 2, random_money, 50},
      {"amount", {"1.50", "-0.01", "NaN"}, 1, random_small, 20},
      {"amount_of_amount", {"1.50"}},
  });
}

void add_times(Cases& cases) {
  cases.insert(cases.end(), {
      {"date",
       {"1970-01-01", "2000-01-01", "2000-02-29", "1999-12-31", "0001-01-01", "0001-12-31 BC", "0044-03-15 BC",
        "4713-01-01 BC", "5874897-12-31", "9999-12-31", "10000-01-01", "infinity", "-infinity"},
       0, random_date, 300},
      {"time", {"00:00:00", "24:00:00", "23:59:59.999999", "00:00:00.000001", "12:34:56.5"}, 0, random_time, 100},
      {"time(3)", {"12:34:56.789"}},
      {"timetz",
       {"02:00:00+05:30", "23:59:59.999999-11", "24:00:00+00", "24:00:00+15:59", "00:00:00-15:59:59",
        "00:00:00+15:59:59", "12:00:00+00:00:01"},
       0, random_time_tz, 200},
      {"timestamp",
       {"1970-01-01 00:00:00", "2000-01-01 00:00:00", "1999-12-31 23:59:59.999999", "4713-01-01 00:00:00 BC",
        "0001-12-31 23:59:59.5 BC", "294247-01-10 04:00:54.775806", "294247-01-10 04:00:54.775807",
        "294276-12-31 23:59:59.999999", "infinity", "-infinity", "2024-03-10 02:30:00"},
       2, random_timestamp, 300},
      {"timestamptz",
       {"1970-01-01 00:00:00+00", "2025-05-07 10:00:00+07", "4713-01-01 00:00:00+00 BC", "1900-01-01 00:00:00+08:05:43",
        "294247-01-10 04:00:54.775806+00", "294276-12-31 23:59:59.999999+00", "infinity", "-infinity"},
       1, random_timestamp, 300},
      {"interval",
       {"0", "1 year 2 mons 3 days 04:05:06.789", "-1 mons +2 days -03:00:00", "-10 mons -3 days +04:05:06.789",
        "25 hours", "1 mon", "30 days", "1 day", "-1 day", "-1 year", "-1 year +1 mon", "1 year -1 mon", "-0.000001 s",
        "-1 day 00:00:00.000001", "178956970 years 7 mons", "-178956970 years -8 mons", "2147483647 days",
        "-2147483648 days", "9223372036854775807 us", "-9223372036854775807 us", "-9223372036854775808 us",
        "1 mon -1 us", "-1 days +1 us", "-1 mons +1 day +1 us", "60.5 s"},
       0, random_interval, 500},
      {"interval day to second(2)", {"1 day 00:00:01.23"}},
  });
}

void add_texts(Cases& cases) {
  const auto random = [](Dice& dice) { return random_text(dice, 12); };
  cases.insert(cases.end(), {
      {"text",
       {"", "NULL", "\\N", "a\tb\nc\rd\\e", "\"q\",'z'", "\\.", "\x01\x7f", " pad ", "twelve bytes", "thirteen byte",
        std::string(100'000, 'x')},
       0, random, 300},
      {"varchar(200)", {"", "x  "}, 0, random, 50},
      {"char(6)", {"ab", "", "abcdef", "é"}},
      {"char(300)", {"long"}},
      {"name", {"pg_class", ""}},
      {"\"char\"", {"a", "", "\\"}},
      {"mood", {"sad", "hap\"py, {x}", "NULL", "\\"}},
      {"citext", {"", "MiXed", "NULL"}},
      {"xml", {"<a>x</a>", "<?xml version=\"1.0\"?><a/>", "plain"}},
      {"json", {"{\"a\": 1, \"a\":  2}", "null", "1e400", "\"\\u00e9\\n\"", " [1,  2] ", "{}"}},
      {"jsonb", {"{\"a\": 1, \"a\":  2}", "null", "1e40", "\"\\u00e9\\n\"", " [1,  2] ", "{}"}},
      {"uuid", {"00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "7fffffff-ffff-ffff-8000-000000000000", "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"},
       0, [](Dice& d) { return random_hex(d, 16); }, 100},
      {"bytea", {"", "\\x00", "\\xff00", "\\x" + std::string(24, '0'), "\\x" + std::string(26, 'f')}, 0,
       [](Dice& d) { return "\\x" + random_hex(d, d() % 400); }, 100},
      {"jsonpath", {"$.a[*] ? (@ > 1)"}},
      {"refcursor", {"c"}},
  });
}

void add_addresses_and_bits(Cases& cases) {
  cases.insert(cases.end(), {
      {"inet",
       {"0.0.0.0", "255.255.255.255", "192.168.0.1/24", "10.0.0.0/8", "1.2.3.4/0", "::", "::1", "::/0", "::1.2.3.4",
        "::ffff:1.2.3.4", "::ffff:1.2.3.4/96", "2001:db8::1", "fe80:0:0:1::", "1:0:0:2:0:0:0:3", "1:0:2:0:3:0:4:0",
        "0:0:1::", "::2", "::1:2", "::1:0:0", "1:2:3:4:5:6:7:8/64", "::ffff:0:1.2.3.4"},
       0, random_ipv4, 200},
      {"inet", {"::fffe:1.2.3.4"}, 0, random_ipv6, 1000},
      {"cidr", {"10.0.0.0/8", "192.168.1.1/32", "::/0", "2001:db8::/32", "::1/128", "0.0.0.0/0", "::ffff:1.2.3.0/120"}},
      {"macaddr", {"08:00:2b:01:02:03", "ff:ff:ff:ff:ff:ff"}, 0, [](Dice& d) { return random_hex(d, 6); }, 30},
      {"macaddr8", {"08:00:2b:01:02:03:04:05"}, 0, [](Dice& d) { return random_hex(d, 8); }, 30},
      {"bit(5)", {"10110"}},
      {"bit(8)", {"10110001"}},
      {"varbit", {"", "1", "0000000", "101010101"}, 0, [](Dice& d) { return random_bits(d, d() % 600); }, 50},
      {"money", {"0", "-1234.56", "92233720368547758.07", "-92233720368547758.08", "0.01", "-0.01", "999.99", "1000"},
       0, [](Dice& d) { return random_numeric(d, 15, 2); }, 100},
      {"pg_lsn", {"0/0", "16/B374D848", "FFFFFFFF/FFFFFFFF"}},
      {"xid", {"0", "4294967295"}},
      {"cid", {"7"}},
      {"xid8", {"18446744073709551615"}},
      {"tid", {"(4294967295,65535)", "(0,1)"}},
      {"int2vector", {"", "1", "1 -2 3"}},
      {"oidvector", {"", "1 4294967295"}},
  });
}

void add_arrays(Cases& cases) {
  const auto small_text = [](Dice& dice) { return random_text(dice, 4); };
  const auto small_numeric = [](Dice& dice) { return random_numeric(dice, 4, 2); };
  static std::string (*const text)(Dice&) = small_text;
  static std::string (*const numeric)(Dice&) = small_numeric;
  const auto texts = [](Dice& dice) { return random_array(dice, text, false); };
  const auto wild_texts = [](Dice& dice) { return random_array(dice, text, true); };
  const auto wild_integers = [](Dice& dice) { return random_array(dice, random_integer<std::int32_t>, true); };
  cases.insert(cases.end(), {
      {"int[]", {"{1,NULL,3}", "{}", "{{1,2},{3,4}}", "[5:6]={7,8}", "[0:0]={NULL}", "{NULL}"}, 3, wild_integers, 200},
      {"int[][]", {"{1,NULL,3}", "{}", "{{1,2},{3,NULL}}", "{{{1}}}", "[1:1][2:3]={{1,2}}"}, 3, wild_integers, 200},
      {"int[][][]", {"{{{1,2},{3,4}},{{5,6},{7,NULL}}}"}, 0, wild_integers, 200},
      {"text[]", {"{a,NULL,\"NULL\",\"x,y\",\"{z}\",\"q\\\"q\",\"b\\\\s\",\"\",\" \",\"null\"}", "{}", "{{a,b},{c,NULL}}"}, 1, texts, 300},
      {"text[]", {"[0:1]={a,\"\"}"}, 1, wild_texts, 300},
      {"varchar(9)[]", {"{a,NULL}"}},
      {"char(3)[]", {"{a,NULL}"}},
      {"numeric(10,2)[]", {"{1.10,NULL}", "{}", "{NaN}"}, 1, [](Dice& d) { return random_array(d, numeric, false); }, 100},
      {"numeric[]", {"{1.10,NULL,1e-11}", "{1}"}, 1},
      {"boolean[]", {"{t,f,NULL}"}},
      {"bigint[]", {"{9223372036854775807}"}},
      {"smallint[]", {"{-32768}"}},
      {"real[]", {"{NaN,1e20,-0}"}},
      {"double precision[]", {"{NaN,-Infinity,0.1}"}},
      {"oid[]", {"{4294967295}"}},
      {"date[]", {"{2000-01-01,infinity,\"0044-03-15 BC\"}"}},
      {"time[]", {"{24:00:00}"}},
      {"timetz[]", {"{24:00:00+15:59}"}},
      {"timestamp[]", {"{\"2024-01-01 00:00:00\",NULL}", "{\"294276-12-31 23:59:59\"}"}, 1},
      {"timestamptz[]", {"{\"2024-01-01 00:00+00\"}", "{}"}},
      {"interval[]", {"{\"1 year -2 days\",00:00:00}"}},
      {"uuid[]", {"{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}"}},
      {"json[]", {"{\"{\\\"a\\\": [1, 2]}\",NULL,1}"}},
      {"jsonb[]", {"{\"{\\\"a\\\": [1, 2]}\",NULL,1}"}},
      {"bytea[]", {"{\"\\\\x00ff\",NULL}"}, 0},
      {"name[]", {"{a,\"b c\"}"}},
      {"xml[]", {"{<a>x</a>}"}},
      {"\"char\"[]", {"{a,\"\",NULL}"}},
      {"mood[]", {"{sad,\"hap\\\"py, {x}\",\"NULL\",NULL}"}},
      {"amount[]", {"{1.50,NULL}", "{NaN}"}, 1},
      {"label[]", {"{a,NULL,\"x y\"}"}},
      {"numbers", {"{1,2}", "{{1}}"}, 1},
      {"matrix", {"{{1,2},{3,4}}", "{1}"}, 1},
      {"inet[]", {"{1.2.3.4,::1/64,NULL}"}},
      {"bit(3)[]", {"{101,NULL}"}},
      {"money[]", {"{\"$1,234.56\"}"}},
      {"int2vector[]", {"{\"1 2\"}"}},
      {"tid[]", {"{\"(0,1)\"}"}},
  });
}

// clang-format on

}  // namespace

const char* const preparations[] = {
    "CREATE EXTENSION citext",
    "CREATE EXTENSION hstore",
    "CREATE TYPE mood AS ENUM ('sad', 'hap\"py, {x}', 'NULL', '\\')",
    "CREATE DOMAIN amount AS numeric(12,2)",
    "CREATE DOMAIN amount_of_amount AS amount",
    "CREATE DOMAIN label AS varchar(20)",
    "CREATE DOMAIN numbers AS int[]",
    "CREATE DOMAIN matrix AS int[][]",
    "CREATE DOMAIN json_domain AS jsonb",
    "CREATE TYPE pair AS (a int, b text)",
};
const std::size_t preparation_count = std::size(preparations);

std::vector<TypeCase> type_cases() {
  Cases cases;
  add_numbers(cases);
  add_numerics(cases);
  add_times(cases);
  add_texts(cases);
  add_addresses_and_bits(cases);
  add_arrays(cases);
  return cases;
}

}  // namespace lockstep::types_test
