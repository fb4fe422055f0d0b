#include <gmock/gmock.h>

#include <limits>

#include "model/int128.hpp"
#include "model/vector.hpp"

namespace lockstep {
namespace {

template <class T>
std::string shown(std::string_view type, const T& value) {
  ColumnBatch batch({parse_type(type).value()}, 1);
  VectorView& column = batch.columns().front();
  column.set(0, value);
  return value_text(column, 0);
}

std::string shown_text(std::string_view text) { return shown("text", StringValue::of(text)); }

TEST(value_text, writes_decimals_to_their_last_digit) {
  EXPECT_EQ(shown("decimal(4,2)", std::int16_t{-5}), "-0.05");
  EXPECT_EQ(shown("decimal(9,0)", std::int32_t{0}), "0");
  EXPECT_EQ(shown("decimal(18,2)", std::numeric_limits<std::int64_t>::min()), "-92233720368547758.08");
  Int128 nines = 0;
  for (int i = 0; i < 38; ++i) nines = nines * 10 + 9;
  EXPECT_EQ(shown("decimal(38,38)", nines), "0." + std::string(38, '9'));
}

TEST(value_text, tells_floats_apart) {
  EXPECT_EQ(shown("float64", 0.1), "0.1");
  EXPECT_EQ(shown("float64", -0.0), "-0");
  EXPECT_EQ(shown("float64", 0.0), "0");
  EXPECT_EQ(shown("float64", -std::numeric_limits<double>::quiet_NaN()), "NaN");
  EXPECT_EQ(shown("float32", std::numeric_limits<float>::infinity()), "inf");
}

TEST(value_text, writes_days_and_times_of_any_age) {
  EXPECT_EQ(shown("date", std::int32_t{-719'163}), "0001-12-31 BC");
  EXPECT_EQ(shown("date", std::int32_t{-719'162}), "0001-01-01");
  EXPECT_EQ(shown("date", date_infinity - 1), "5881580-07-10");
  EXPECT_EQ(shown("date", -date_infinity + 1), "5877642-06-25 BC");
  EXPECT_EQ(shown("date", -date_infinity), "-infinity");
  EXPECT_EQ(shown("time", std::int64_t{86'400'000'000}), "24:00:00");
  EXPECT_EQ(shown("time_tz", pack_time_tz(1, -57'599)), "00:00:00.000001-15:59:59");
  EXPECT_EQ(shown("timestamp", std::int64_t{-1}), "1969-12-31 23:59:59.999999");
  EXPECT_EQ(shown("timestamp_tz", timestamp_infinity - 1), "294247-01-10 04:00:54.775806+00");
  EXPECT_EQ(shown("timestamp", std::int64_t{-62'135'596'800'000'001}), "0001-12-31 23:59:59.999999 BC");
  EXPECT_EQ(shown("timestamp_tz", timestamp_infinity), "infinity");
  EXPECT_EQ(shown("interval", IntervalValue{-1, 2, -3}), "-1 months 2 days -3 us");
}

TEST(value_text, tells_the_text_null_from_no_value) {
  EXPECT_EQ(shown_text("a, b"), "a, b");
  EXPECT_EQ(shown_text(""), "");
  EXPECT_EQ(shown_text("NULL"), "\"NULL\"");
  EXPECT_EQ(shown_text("\"NULL\""), "\"\\\"NULL\\\"\"");
  EXPECT_EQ(shown("bytes", StringValue::of("\xff")), "\\xff");
}

TEST(value_text, tells_one_element_with_a_comma_from_two) {
  ColumnBatch batch({parse_type("text[]").value()}, 3);
  VectorView& list = batch.columns().front();
  list.reserve_child(list, 4);
  list.child->set(0, StringValue::of("a, b"));
  list.child->set(1, StringValue::of("a"));
  list.child->set(2, StringValue::of("b"));
  list.child->set_null(3);
  list.set(0, ListValue{0, 1});
  list.set(1, ListValue{1, 3});
  list.set(2, ListValue{4, 0});
  EXPECT_EQ(value_text(list, 0), "[\"a, b\"]");
  EXPECT_EQ(value_text(list, 1), "[a, b, NULL]");
  EXPECT_EQ(value_text(list, 2), "[]");
}

}  // namespace
}  // namespace lockstep
