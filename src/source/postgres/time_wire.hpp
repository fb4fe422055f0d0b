#pragma once

#include <cstdint>
#include <limits>

#include "base/bytes.hpp"
#include "model/calendar.hpp"
#include "model/vector.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {

/// The server counts days and microseconds from 2000-01-01, we from 1970-01-01.
/// Source: PostgreSQL, src/include/datatype/timestamp.h, POSTGRES_EPOCH_JDATE.
inline constexpr std::int32_t days_1970_to_2000 = 10'957;
inline constexpr std::int64_t micros_1970_to_2000 = days_1970_to_2000 * micros_per_day;

inline constexpr std::int32_t wire_date_infinity = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int32_t wire_date_minus_infinity = std::numeric_limits<std::int32_t>::min();
inline constexpr std::int64_t wire_timestamp_infinity = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t wire_timestamp_minus_infinity = std::numeric_limits<std::int64_t>::min();

/// 24:00:00 is a time of the day for PostgreSQL.
inline bool is_time_of_day(std::int64_t micros) { return micros >= 0 && micros <= micros_per_day; }

/// Below 16 hours either way (TZDISP_LIMIT).
inline bool is_zone_offset(std::int32_t seconds) { return seconds > -57'600 && seconds < 57'600; }

/// Of 16 bytes: i64 microseconds, i32 days, i32 months.
inline IntervalValue read_interval(Bytes value) {
  return {load<std::int32_t>(value.data() + 12), load<std::int32_t>(value.data() + 8),
          load<std::int64_t>(value.data())};
}

/// From version 17 on, all fields at their limit mean infinity. Before, the same bits were an interval like others;
/// such a value (178 million years and 292 thousand more) is taken as infinity too.
inline bool is_infinity(const IntervalValue& value) {
  return value.months == std::numeric_limits<std::int32_t>::max() &&
         value.days == std::numeric_limits<std::int32_t>::max() &&
         value.micros == std::numeric_limits<std::int64_t>::max();
}
inline bool is_minus_infinity(const IntervalValue& value) {
  return value.months == std::numeric_limits<std::int32_t>::min() &&
         value.days == std::numeric_limits<std::int32_t>::min() &&
         value.micros == std::numeric_limits<std::int64_t>::min();
}

}  // namespace lockstep::postgres
