#include <gmock/gmock.h>

#include "source/postgres/decode_test.hpp"

namespace lockstep::postgres {
namespace {

using decode_test::binary;
using decode_test::shown;
using decode_test::Source;
using decode_test::text;

constexpr Source date{oid::date, "date"};
constexpr Source time_of_day{oid::time, "time"};
constexpr Source time_tz{oid::time_tz, "time_tz"};
constexpr Source timestamp{oid::timestamp, "timestamp"};
constexpr Source timestamp_tz{oid::timestamp_tz, "timestamp_tz"};
constexpr Source interval{oid::interval, "interval"};

TEST(decode_time, counts_days_from_2000) {
  const std::pair<const char*, const char*> days[] = {
      {"00000000", "2000-01-01"},    {"ffffd533", "1970-01-01"},    {"0000003b", "2000-02-29"},
      {"fff49d7b", "0044-03-15 BC"}, {"ffda97cd", "4713-01-01 BC"}, {"7fffffff", "infinity"},
      {"80000000", "-infinity"},     {"7fda970c", "5874897-12-31"},
  };
  for (const auto& [hex, expected] : days) {
    EXPECT_EQ(binary(date, hex), expected);
    EXPECT_EQ(shown(date, hex), expected);
    EXPECT_EQ(text(date, expected), expected);
  }
}

TEST(decode_time, has_no_day_beyond_the_destinations_calendar) {
  EXPECT_EQ(binary(date, "7fffd532"), "(does not fit)");  // two days below infinity, which 1970's count turns over
  EXPECT_EQ(text(date, "5881580-07-11"), "(does not fit)");
}

TEST(decode_time, refuses_days_that_are_none) {
  for (const char* value : {"", "2024-02-30", "2023-02-29", "2024-13-01", "2024-00-01", "2024-01-00", "0000-01-01",
                            "2024-1-1", "2024-01-01 AD", "2024-01-01x", "-2024-01-01", "BC", " BC", "infinite"}) {
    EXPECT_EQ(text(date, value), "(malformed)") << value;
  }
}

TEST(decode_time, knows_24_oclock) {
  EXPECT_EQ(binary(time_of_day, "000000141dd76000"), "24:00:00");
  EXPECT_EQ(shown(time_of_day, "000000141dd76000"), "24:00:00");
  EXPECT_EQ(text(time_of_day, "24:00:00"), "24:00:00");
  EXPECT_EQ(binary(time_of_day, "000000141dd76001"), "(malformed)");
  EXPECT_EQ(shown(time_of_day, "000000141dd76001"), "(malformed)");
  EXPECT_EQ(text(time_of_day, "24:00:00.000001"), "(malformed)");
  EXPECT_EQ(binary(time_of_day, "ffffffffffffffff"), "(malformed)");
  EXPECT_EQ(shown(time_of_day, "0000000000000001"), "00:00:00.000001");
  EXPECT_EQ(shown(time_of_day, "000000000007a120"), "00:00:00.5");
  EXPECT_EQ(text(time_of_day, "12:60:00"), "(malformed)");
  EXPECT_EQ(text(time_of_day, "12:00:00."), "(malformed)");
}

// The wire counts seconds west of UTC, everybody else east.
TEST(decode_time, keeps_the_zone_of_a_time) {
  EXPECT_EQ(binary(time_tz, "00000001ad274800 ffffb2a8"), "02:00:00+05:30:00");
  EXPECT_EQ(shown(time_tz, "00000001ad274800 ffffb2a8"), "02:00:00+05:30");
  EXPECT_EQ(shown(time_tz, "00000001ad274800 00009ab0"), "02:00:00-11");
  EXPECT_EQ(shown(time_tz, "00000001ad274800 0000e0ff"), "02:00:00-15:59:59");
  EXPECT_EQ(text(time_tz, "24:00:00-15:59:59"), "24:00:00-15:59:59");
  EXPECT_EQ(text(time_tz, "24:00:00+15:59"), "24:00:00+15:59:00");
  EXPECT_EQ(binary(time_tz, "00000001ad274800 0000e100"), "(malformed)");  // 16 hours
  EXPECT_EQ(text(time_tz, "02:00:00+16"), "(malformed)");
  EXPECT_EQ(text(time_tz, "02:00:00"), "(malformed)");
}

TEST(decode_time, counts_microseconds_from_2000) {
  EXPECT_EQ(binary(timestamp, "0000000000000000"), "2000-01-01 00:00:00");
  EXPECT_EQ(binary(timestamp, "ffffffffffffffff"), "1999-12-31 23:59:59.999999");
  EXPECT_EQ(shown(timestamp, "ffffffffffffffff"), "1999-12-31 23:59:59.999999");
  EXPECT_EQ(shown(timestamp_tz, "fffffffffff85ee0"), "1999-12-31 23:59:59.5+00");
  EXPECT_EQ(binary(timestamp, "7fffffffffffffff"), "infinity");
  EXPECT_EQ(binary(timestamp_tz, "8000000000000000"), "-infinity");
  EXPECT_EQ(shown(timestamp_tz, "8000000000000000"), "-infinity");
  EXPECT_EQ(text(timestamp, "4713-01-01 00:00:00.25 BC"), "4713-01-01 00:00:00.250000 BC");
  EXPECT_EQ(text(timestamp_tz, "2025-05-07 10:00:00+07"), "2025-05-07 03:00:00+00");
  EXPECT_EQ(text(timestamp, "2025-05-07 10:00:00+07"), "(malformed)");
  EXPECT_EQ(text(timestamp_tz, "2025-05-07 10:00:00"), "(malformed)");
}

// PostgreSQL's timestamps end in 294276, DuckDB's in the first days of 294247.
TEST(decode_time, has_no_instant_beyond_the_destinations_calendar) {
  EXPECT_EQ(text(timestamp, "294247-01-10 04:00:54.775806"), "294247-01-10 04:00:54.775806");
  EXPECT_EQ(text(timestamp, "294247-01-10 04:00:54.775807"), "(does not fit)");
  EXPECT_EQ(text(timestamp, "294276-12-31 23:59:59.999999"), "(does not fit)");
  EXPECT_EQ(binary(timestamp, "7ffca2fec4c81ffe"), "294247-01-10 04:00:54.775806");
  EXPECT_EQ(binary(timestamp, "7ffca2fec4c81fff"), "(does not fit)");
  EXPECT_EQ(shown(timestamp, "7ffca2fec4c81fff"), "294247-01-10 04:00:54.775807");
  EXPECT_EQ(text(timestamp, "300000-01-01 00:00:00 BC"), "(does not fit)");
}

// i64 microseconds, i32 days, i32 months.
TEST(decode_time, keeps_months_days_and_microseconds_apart) {
  EXPECT_EQ(binary(interval, "000000036c97ca88 00000003 0000000e"), "14 months 3 days 14706789000 us");
  EXPECT_EQ(text(interval, "1 year 2 mons 3 days 04:05:06.789"), "14 months 3 days 14706789000 us");
  EXPECT_EQ(text(interval, "-1 mons +2 days -03:00:00"), "-1 months 2 days -10800000000 us");
  EXPECT_EQ(text(interval, "-10 mons -3 days +04:05:06.789"), "-10 months -3 days 14706789000 us");
  EXPECT_EQ(text(interval, "25:00:00"), "0 months 0 days 90000000000 us");
  EXPECT_EQ(text(interval, "00:00:00"), "0 months 0 days 0 us");
  EXPECT_EQ(text(interval, "-2562047788:00:54.775808"), "0 months 0 days -9223372036854775808 us");
  EXPECT_EQ(text(interval, "-178956970 years -8 mons"), "-2147483648 months 0 days 0 us");
}

TEST(decode_time, writes_intervals_in_postgres_style) {
  const std::pair<const char*, const char*> intervals[] = {
      {"0000000000000000 00000000 00000000", "00:00:00"},
      {"000000036c97ca88 00000003 0000000e", "1 year 2 mons 3 days 04:05:06.789"},
      {"fffffffd7c451400 00000002 ffffffff", "-1 mons +2 days -03:00:00"},
      {"0000000000000001 ffffffff 00000000", "-1 days +00:00:00.000001"},
      {"0000000000000000 00000001 00000000", "1 day"},
      {"8000000000000000 00000000 00000000", "-2562047788:00:54.775808"},
      {"0000000000000000 80000000 80000000", "-178956970 years -8 mons -2147483648 days"},
  };
  for (const auto& [hex, expected] : intervals) EXPECT_EQ(shown(interval, hex), expected);
}

TEST(decode_time, has_no_interval_without_end_but_its_text) {
  EXPECT_EQ(binary(interval, "7fffffffffffffff 7fffffff 7fffffff"), "(does not fit)");
  EXPECT_EQ(shown(interval, "7fffffffffffffff 7fffffff 7fffffff"), "infinity");
  EXPECT_EQ(shown(interval, "8000000000000000 80000000 80000000"), "-infinity");
  EXPECT_EQ(text(interval, "-infinity"), "(does not fit)");
}

TEST(decode_time, refuses_intervals_that_are_none) {
  for (const char* value : {"", "1", "1 week", "days", "1 day ", " 1 day", "1 day 2", "04:05", "1 day04:05:06", "P1D",
                            "2562047789:00:00", "9999999999 years", "1 mon 04:60:00"}) {
    EXPECT_EQ(text(interval, value), "(malformed)") << value;
  }
}

}  // namespace
}  // namespace lockstep::postgres
