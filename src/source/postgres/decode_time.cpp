// Dates, times and intervals. Text is read in DateStyle ISO and IntervalStyle postgres.
#include <charconv>
#include <limits>
#include <optional>

#include "source/postgres/decode.hpp"
#include "source/postgres/time_wire.hpp"

namespace lockstep::postgres {
namespace {

Decoded store_date(std::int64_t days, VectorView& out, std::size_t row) {
  if (days >= date_infinity || days <= -date_infinity) return Decoded::does_not_fit;
  out.set(row, static_cast<std::int32_t>(days));
  return Decoded::ok;
}

Decoded read_date(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 4) return Decoded::malformed;
  const auto days = load<std::int32_t>(value.data());
  if (days == wire_date_infinity || days == wire_date_minus_infinity) {
    out.set(row, days > 0 ? date_infinity : -date_infinity);
    return Decoded::ok;
  }
  return store_date(std::int64_t{days} + days_1970_to_2000, out, row);
}

Decoded read_timestamp(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 8) return Decoded::malformed;
  const auto micros = load<std::int64_t>(value.data());
  if (micros == wire_timestamp_infinity || micros == wire_timestamp_minus_infinity) {
    out.set(row, micros > 0 ? timestamp_infinity : -timestamp_infinity);
    return Decoded::ok;
  }
  // The server's calendar reaches 30 years further up than microseconds since 1970 do.
  if (micros >= timestamp_infinity - micros_1970_to_2000) return Decoded::does_not_fit;
  out.set(row, micros + micros_1970_to_2000);
  return Decoded::ok;
}

Decoded read_time(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 8) return Decoded::malformed;
  const auto micros = load<std::int64_t>(value.data());
  if (!is_time_of_day(micros)) return Decoded::malformed;
  out.set(row, micros);
  return Decoded::ok;
}

Decoded read_time_tz(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 12) return Decoded::malformed;
  const auto micros = load<std::int64_t>(value.data());
  const auto seconds_west = load<std::int32_t>(value.data() + 8);
  if (!is_time_of_day(micros) || !is_zone_offset(seconds_west)) return Decoded::malformed;
  out.set(row, pack_time_tz(micros, -seconds_west));
  return Decoded::ok;
}

Decoded read_interval_binary(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 16) return Decoded::malformed;
  const IntervalValue interval = read_interval(value);
  if (is_infinity(interval) || is_minus_infinity(interval)) return Decoded::does_not_fit;
  out.set(row, interval);
  return Decoded::ok;
}

// ---- Text ----------------------------------------------------------------------------------------------------------

/// Takes parts off the front of a text. After the first that is not there, `ok` stays false.
struct TimeText {
  std::string_view rest;
  bool ok = true;

  bool skip(std::string_view part) {
    if (!rest.starts_with(part)) return false;
    rest.remove_prefix(part.size());
    return true;
  }
  void expect(std::string_view part) { ok = skip(part) && ok; }

  /// Digits only, without a sign, at least `digits_min`.
  std::int64_t number(std::size_t digits_min, std::size_t digits_max) {
    std::size_t count = 0;
    std::int64_t value = 0;
    for (; count < rest.size() && count < digits_max && rest[count] >= '0' && rest[count] <= '9'; ++count) {
      value = value * 10 + (rest[count] - '0');
    }
    ok = ok && count >= digits_min;
    rest.remove_prefix(count);
    return value;
  }

  /// Days since 1970, without the " BC" that may follow at the text's end.
  std::int64_t day(bool before_christ) {
    const std::int64_t shown_year = number(4, 7);
    expect("-");
    const std::int64_t month = number(2, 2);
    expect("-");
    const std::int64_t of_month = number(2, 2);
    const std::int64_t year = before_christ ? 1 - shown_year : shown_year;
    if (!ok || shown_year < 1 || month < 1 || month > 12 || of_month < 1 ||
        of_month > days_in_month(year, static_cast<std::uint32_t>(month))) {
      ok = false;
      return 0;
    }
    return days_of({year, static_cast<std::uint32_t>(month), static_cast<std::uint32_t>(of_month)});
  }

  /// Microseconds; hours may have many digits, as in an interval.
  std::uint64_t clock() {
    const auto hours = static_cast<std::uint64_t>(number(2, 10));
    expect(":");
    const auto minutes = static_cast<std::uint64_t>(number(2, 2));
    expect(":");
    const auto seconds = static_cast<std::uint64_t>(number(2, 2));
    ok = ok && minutes < 60 && seconds < 60;
    std::uint64_t fraction = 0;
    if (skip(".")) {
      const std::size_t before = rest.size();
      fraction = static_cast<std::uint64_t>(number(1, 6));
      for (std::size_t digits = before - rest.size(); digits < 6; ++digits) fraction *= 10;
    }
    return ((hours * 60 + minutes) * 60 + seconds) * std::uint64_t{micros_per_second} + fraction;
  }
  std::int64_t time_of_day() {
    const std::uint64_t micros = clock();
    ok = ok && micros <= std::uint64_t{micros_per_day};
    return static_cast<std::int64_t>(micros);
  }

  std::int32_t seconds_east() {
    const bool west = skip("-");
    if (!west) expect("+");
    std::int64_t seconds = number(2, 2) * 3600;
    if (skip(":")) seconds += number(2, 2) * 60;
    if (skip(":")) seconds += number(2, 2);
    ok = ok && is_zone_offset(static_cast<std::int32_t>(seconds));
    return static_cast<std::int32_t>(west ? -seconds : seconds);
  }

  bool complete() const { return ok && rest.empty(); }
};

/// Takes " BC" off the end.
TimeText without_era(Bytes value, bool& before_christ) {
  constexpr std::string_view era = " BC";
  TimeText text{text_of(value)};
  before_christ = text.rest.ends_with(era);
  if (before_christ) text.rest.remove_suffix(era.size());
  return text;
}

Decoded read_date_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (text_of(value) == "infinity") return out.set(row, date_infinity), Decoded::ok;
  if (text_of(value) == "-infinity") return out.set(row, -date_infinity), Decoded::ok;
  bool before_christ = false;
  TimeText text = without_era(value, before_christ);
  const std::int64_t days = text.day(before_christ);
  return text.complete() ? store_date(days, out, row) : Decoded::malformed;
}

template <bool with_zone>
Decoded read_timestamp_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (text_of(value) == "infinity") return out.set(row, timestamp_infinity), Decoded::ok;
  if (text_of(value) == "-infinity") return out.set(row, -timestamp_infinity), Decoded::ok;
  bool before_christ = false;
  TimeText text = without_era(value, before_christ);
  const std::int64_t days = text.day(before_christ);
  text.expect(" ");
  std::int64_t of_day = text.time_of_day();
  if constexpr (with_zone) of_day -= text.seconds_east() * micros_per_second;
  if (!text.complete()) return Decoded::malformed;
  std::int64_t micros = 0;
  if (__builtin_mul_overflow(days, micros_per_day, &micros) || __builtin_add_overflow(micros, of_day, &micros)) {
    return Decoded::does_not_fit;
  }
  if (micros == timestamp_infinity || micros <= -timestamp_infinity) return Decoded::does_not_fit;
  out.set(row, micros);
  return Decoded::ok;
}

Decoded read_time_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  TimeText text{text_of(value)};
  const std::int64_t micros = text.time_of_day();
  if (!text.complete()) return Decoded::malformed;
  out.set(row, micros);
  return Decoded::ok;
}

Decoded read_time_tz_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  TimeText text{text_of(value)};
  const std::int64_t micros = text.time_of_day();
  const std::int32_t seconds_east = text.seconds_east();
  if (!text.complete()) return Decoded::malformed;
  out.set(row, pack_time_tz(micros, seconds_east));
  return Decoded::ok;
}

/// The sum of an interval's parts, each signed: "1 year -2 mons +3 days -04:05:06.789".
struct IntervalSum {
  std::int64_t months = 0;
  std::int64_t days = 0;
  std::int64_t micros = 0;

  bool add_clock(TimeText& text, bool negative) {
    const std::uint64_t magnitude = text.clock();
    constexpr std::uint64_t least = std::uint64_t{1} << 63;  // the magnitude of the least number
    if (magnitude > least || (magnitude == least && !negative)) return false;
    micros = static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude);
    return text.ok;
  }
  bool add_part(TimeText& text, bool negative) {
    const std::int64_t count = text.number(1, 10) * (negative ? -1 : 1);
    if (!text.skip(" ")) return false;
    if (text.skip("year")) {
      months += 12 * count;
    } else if (text.skip("mon")) {
      months += count;
    } else if (text.skip("day")) {
      days += count;
    } else {
      return false;
    }
    text.skip("s");
    return text.ok;
  }
  bool fits() const { return static_cast<std::int32_t>(months) == months && static_cast<std::int32_t>(days) == days; }
};

Decoded read_interval_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (text_of(value) == "infinity" || text_of(value) == "-infinity") return Decoded::does_not_fit;
  TimeText text{text_of(value)};
  IntervalSum sum;
  do {
    const bool negative = text.skip("-");
    if (!negative) text.skip("+");
    // A part's number is followed by its unit, a clock's hours by a colon.
    const std::size_t end = text.rest.find_first_not_of("0123456789");
    const bool is_clock = end != std::string_view::npos && text.rest[end] == ':';
    if (!(is_clock ? sum.add_clock(text, negative) : sum.add_part(text, negative))) return Decoded::malformed;
  } while (text.skip(" "));
  if (!text.complete() || !sum.fits()) return Decoded::malformed;
  out.set(row, IntervalValue{static_cast<std::int32_t>(sum.months), static_cast<std::int32_t>(sum.days), sum.micros});
  return Decoded::ok;
}

}  // namespace

DecodeFn time_decoder(TypeKind kind) {
  if (kind == TypeKind::date) return decode_cell<read_date, read_date_text>;
  if (kind == TypeKind::time) return decode_cell<read_time, read_time_text>;
  if (kind == TypeKind::time_tz) return decode_cell<read_time_tz, read_time_tz_text>;
  if (kind == TypeKind::timestamp) return decode_cell<read_timestamp, read_timestamp_text<false>>;
  if (kind == TypeKind::timestamp_tz) return decode_cell<read_timestamp, read_timestamp_text<true>>;
  CHECK(kind == TypeKind::interval);
  return decode_cell<read_interval_binary, read_interval_text>;
}

}  // namespace lockstep::postgres
