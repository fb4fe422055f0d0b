#pragma once

#include <cstdint>

namespace lockstep {

/// A day of the Gregorian calendar, also before it was introduced. Year 0 is 1 BC.
/// (std::chrono's years end at 32767; dates of databases do not.)
struct CivilDay {
  std::int64_t year = 1970;
  std::uint32_t month = 1;
  std::uint32_t day = 1;
};

/// Days since 1970-01-01. Source of both: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
constexpr std::int64_t days_of(const CivilDay& civil) {
  const std::int64_t year = civil.year - (civil.month <= 2 ? 1 : 0);
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t month_from_march = (civil.month + 9) % 12;
  const std::int64_t day_of_year = (153 * month_from_march + 2) / 5 + civil.day - 1;
  return era * 146'097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719'468;
}

constexpr CivilDay civil_of(std::int64_t days) {
  days += 719'468;
  const std::int64_t era = (days >= 0 ? days : days - 146'096) / 146'097;
  const auto day_of_era = static_cast<std::uint32_t>(days - era * 146'097);
  const std::uint32_t year_of_era =
      (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
  const std::uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint32_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::uint32_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  const std::int64_t year = static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0);
  return {year, month, day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

/// Days in a month, for checking what a text says.
constexpr std::uint32_t days_in_month(std::int64_t year, std::uint32_t month) {
  if (month == 2) return (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 29 : 28;
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

inline constexpr std::int64_t micros_per_second = 1'000'000;
inline constexpr std::int64_t micros_per_minute = 60 * micros_per_second;
inline constexpr std::int64_t micros_per_hour = 60 * micros_per_minute;
inline constexpr std::int64_t micros_per_day = 24 * micros_per_hour;

}  // namespace lockstep
