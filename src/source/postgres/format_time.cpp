// The text of dates and times in DateStyle ISO, IntervalStyle postgres and TimeZone UTC.
// Source of the rules: PostgreSQL, src/backend/utils/adt/datetime.c, EncodeDateTime, EncodeTimezone, EncodeInterval.
#include "model/calendar.hpp"
#include "source/postgres/format.hpp"
#include "source/postgres/time_wire.hpp"

namespace lockstep::postgres {
namespace {

void put_two(TextWriter& out, std::int64_t value) {
  out.wrote(put_two_digits(out.room(2), static_cast<std::uint32_t>(value)));
}

void put_civil(const CivilDay& civil, TextWriter& out) {
  const std::int64_t year = civil.year > 0 ? civil.year : 1 - civil.year;
  for (std::int64_t least = 1000; year < least; least /= 10) out.put('0');
  out.append_number(year);
  out.put('-');
  put_two(out, civil.month);
  out.put('-');
  put_two(out, civil.day);
}

/// ".5", ".000001", or nothing.
void put_fraction(std::int64_t micros, TextWriter& out) {
  if (micros == 0) return;
  out.put('.');
  for (std::int64_t unit = micros_per_second / 10; micros > 0; micros %= unit, unit /= 10) {
    out.put(static_cast<char>('0' + micros / unit));
  }
}

void put_clock(std::int64_t seconds, std::int64_t fraction, TextWriter& out) {
  const std::int64_t hours = seconds / 3600;
  if (hours < 100) {
    put_two(out, hours);
  } else {
    out.append_number(hours);
  }
  out.put(':');
  put_two(out, seconds / 60 % 60);
  out.put(':');
  put_two(out, seconds % 60);
  put_fraction(fraction, out);
}

void put_time_of_day(std::int64_t micros, TextWriter& out) {
  put_clock(micros / micros_per_second, micros % micros_per_second, out);
}

void put_zone(std::int32_t seconds_east, TextWriter& out) {
  const std::int32_t distance = seconds_east < 0 ? -seconds_east : seconds_east;
  out.put(seconds_east < 0 ? '-' : '+');
  put_two(out, distance / 3600);
  if (distance % 3600 == 0) return;
  out.put(':');
  put_two(out, distance / 60 % 60);
  if (distance % 60 == 0) return;
  out.put(':');
  put_two(out, distance % 60);
}

bool put_timestamp(Bytes value, std::string_view zone, TextWriter& out) {
  if (value.size() != 8) return false;
  const auto micros = load<std::int64_t>(value.data());
  if (micros == wire_timestamp_infinity) return out.append("infinity"), true;
  if (micros == wire_timestamp_minus_infinity) return out.append("-infinity"), true;
  const std::int64_t rest = micros % micros_per_day;
  const std::int64_t of_day = rest < 0 ? rest + micros_per_day : rest;
  const std::int64_t days = micros / micros_per_day - (rest < 0 ? 1 : 0);
  const CivilDay civil = civil_of(days + days_1970_to_2000);
  put_civil(civil, out);
  out.put(' ');
  put_time_of_day(of_day, out);
  out.append(zone);
  if (civil.year <= 0) out.append(" BC");
  return true;
}

/// One part of an interval. After a negative one, the next shows its sign when it is positive.
struct IntervalText {
  TextWriter& out;
  bool empty = true;
  bool after_negative = false;

  void put(std::int32_t count, std::string_view unit) {
    if (count == 0) return;
    if (!empty) out.put(' ');
    if (after_negative && count > 0) out.put('+');
    out.append_number(count);
    out.put(' ');
    out.append(unit);
    if (count != 1) out.put('s');
    after_negative = count < 0;
    empty = false;
  }
};

}  // namespace

bool format_date(Bytes value, TextWriter& out) {
  if (value.size() != 4) return false;
  const auto days = load<std::int32_t>(value.data());
  if (days == wire_date_infinity) return out.append("infinity"), true;
  if (days == wire_date_minus_infinity) return out.append("-infinity"), true;
  const CivilDay civil = civil_of(std::int64_t{days} + days_1970_to_2000);
  put_civil(civil, out);
  if (civil.year <= 0) out.append(" BC");
  return true;
}

bool format_time(Bytes value, TextWriter& out) {
  if (value.size() != 8) return false;
  const auto micros = load<std::int64_t>(value.data());
  if (!is_time_of_day(micros)) return false;
  put_time_of_day(micros, out);
  return true;
}

bool format_time_tz(Bytes value, TextWriter& out) {
  if (value.size() != 12) return false;
  const auto micros = load<std::int64_t>(value.data());
  const auto seconds_west = load<std::int32_t>(value.data() + 8);
  if (!is_time_of_day(micros) || !is_zone_offset(seconds_west)) return false;
  put_time_of_day(micros, out);
  put_zone(-seconds_west, out);
  return true;
}

bool format_timestamp(Bytes value, TextWriter& out) { return put_timestamp(value, "", out); }
bool format_timestamp_tz(Bytes value, TextWriter& out) { return put_timestamp(value, "+00", out); }

bool format_interval(Bytes value, TextWriter& out) {
  if (value.size() != 16) return false;
  const IntervalValue interval = read_interval(value);
  if (is_infinity(interval)) return out.append("infinity"), true;
  if (is_minus_infinity(interval)) return out.append("-infinity"), true;
  IntervalText text{out};
  text.put(interval.months / 12, "year");
  text.put(interval.months % 12, "mon");
  text.put(interval.days, "day");
  if (!text.empty && interval.micros == 0) return true;
  if (!text.empty) out.put(' ');
  if (interval.micros < 0) {
    out.put('-');
  } else if (text.after_negative) {
    out.put('+');
  }
  // The least number has no positive counterpart, but its seconds have.
  const std::int64_t seconds = interval.micros / micros_per_second;
  const std::int64_t fraction = interval.micros % micros_per_second;
  put_clock(seconds < 0 ? -seconds : seconds, fraction < 0 ? -fraction : fraction, out);
  return true;
}

}  // namespace lockstep::postgres
