#include "random_values.hpp"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace lockstep::types_test {
namespace {

std::size_t up_to(Dice& dice, std::size_t most) { return dice() % (most + 1); }

template <class Float>
std::string float_literal(Float value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string random_digits(Dice& dice, std::size_t count) {
  std::string digits;
  while (digits.size() < count) {
    const bool same = dice() % 4 == 0;  // runs of zeros and nines cross the borders of the wire's digits
    digits += same ? (dice() % 2 == 0 ? "0000" : "9999") : std::to_string(dice() % 10);
  }
  return digits.substr(0, count);
}

std::string random_clock(Dice& dice) {
  std::string text = fmt::format("{:02}:{:02}:{:02}", dice() % 24, dice() % 60, dice() % 60);
  if (dice() % 2 == 0) text += "." + random_digits(dice, 1 + up_to(dice, 5));
  return text;
}

std::string random_words(Dice& dice, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t word = dice() % 3 == 0 ? dice() % 0x10000 : dice() % 5 == 0 ? 0xffff : 0;
    text += fmt::format("{}{:x}", i == 0 ? "" : ":", word);
  }
  return text;
}

std::string quoted(const std::string& element) {
  std::string text = "\"";
  for (const char c : element) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + "\"";
}

std::string braces(Dice& dice, std::string (*element)(Dice&), const std::vector<std::size_t>& lengths,
                   std::size_t depth) {
  std::string text = "{";
  for (std::size_t i = 0; i < lengths[depth]; ++i) {
    if (i > 0) text += ",";
    if (depth + 1 < lengths.size()) {
      text += braces(dice, element, lengths, depth + 1);
    } else {
      text += dice() % 6 == 0 ? "NULL" : quoted(element(dice));
    }
  }
  return text + "}";
}

}  // namespace

std::string random_float4(Dice& dice) {
  return float_literal(std::bit_cast<float>(static_cast<std::uint32_t>(dice())));
}

std::string random_float8(Dice& dice) {
  switch (dice() % 4) {
    case 0: return float_literal(std::ldexp(1.0, static_cast<int>(dice() % 2090) - 1070));
    case 1: return fmt::format("{}e{}", dice() % 1000, dice() % 30);
    case 2: return fmt::format("{}.{}", dice() % 100000, dice() % 10000);
    default: return float_literal(std::bit_cast<double>(dice()));
  }
}

std::string random_numeric(Dice& dice, std::size_t whole_max, std::size_t fraction_max) {
  std::string text = dice() % 2 == 0 ? "-" : "";
  text += random_digits(dice, 1 + up_to(dice, whole_max - 1));
  const std::size_t fraction = up_to(dice, fraction_max);
  if (fraction > 0) text += "." + random_digits(dice, fraction);
  return text;
}

std::string random_date(Dice& dice) {
  const bool before_christ = dice() % 5 == 0;
  const std::uint64_t years = before_christ ? 4000 : (dice() % 3 == 0 ? 290'000 : 3'000);
  return fmt::format("{:04}-{:02}-{:02}{}", 1 + dice() % years, 1 + dice() % 12, 1 + dice() % 28,
                     before_christ ? " BC" : "");
}

std::string random_time(Dice& dice) { return random_clock(dice); }

std::string random_time_tz(Dice& dice) {
  std::string zone = fmt::format("{}{:02}", dice() % 2 == 0 ? "+" : "-", dice() % 16);
  if (dice() % 2 == 0) zone += fmt::format(":{:02}", dice() % 60);
  if (zone.size() > 3 && dice() % 2 == 0) zone += fmt::format(":{:02}", dice() % 60);
  return random_clock(dice) + zone;
}

std::string random_timestamp(Dice& dice) {
  std::string date = random_date(dice);
  const std::size_t era = std::min(date.find(" BC"), date.size());
  return date.insert(era, " " + random_clock(dice));
}

std::string random_interval(Dice& dice) {
  std::string text;
  const auto part = [&](std::uint64_t most, const char* unit) {
    if (dice() % 2 == 0) text += fmt::format(" {}{} {}", dice() % 2 == 0 ? "-" : "", dice() % most, unit);
  };
  part(100'000'000, "years");
  part(100, "mons");
  part(1'000'000, "days");
  part(2'000'000'000, "hours");
  part(1'000'000'000'000, "us");
  return text.empty() ? "0" : text;
}

std::string random_hex(Dice& dice, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += fmt::format("{:02x}", dice() % 256);
  return text;
}

std::string random_bits(Dice& dice, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += dice() % 2 == 0 ? '0' : '1';
  return text;
}

std::string random_ipv4(Dice& dice) {
  return fmt::format("{}.{}.{}.{}/{}", dice() % 256, dice() % 256, dice() % 256, dice() % 256, dice() % 33);
}

std::string random_ipv6(Dice& dice) { return fmt::format("{}/{}", random_words(dice, 8), 128 - dice() % 3); }

std::string random_text(Dice& dice, std::size_t characters_max) {
  static const char* const characters[] = {"a",  "Z",    "0",       " ",      "\t",     "\n",     "\r",   "\\",
                                           "\"", "'",    ",",       "{",      "}",      "[",      "]",    "(",
                                           ")",  "NULL", "null",    "\v",     "\f",     "\x01",   "\x7f", "é",
                                           "א",  "😀",   "e\u0301", "\u2028", "\uFEFF", "\u00A0", "plain"};
  std::string text;
  for (std::size_t i = up_to(dice, characters_max); i > 0; --i) text += characters[dice() % std::size(characters)];
  return text;
}

std::string random_array(Dice& dice, std::string (*element)(Dice&), bool wild) {
  std::vector<std::size_t> lengths;
  std::string bounds;
  for (std::size_t i = wild ? 1 + up_to(dice, 3) : 1; i > 0; --i) lengths.push_back(1 + up_to(dice, 3));
  if (wild && dice() % 3 == 0) {
    for (const std::size_t length : lengths) {
      const auto lower = static_cast<long>(dice() % 10) - 4;
      bounds += fmt::format("[{}:{}]", lower, lower + static_cast<long>(length) - 1);
    }
    bounds += "=";
  }
  return bounds + braces(dice, element, lengths, 0);
}

}  // namespace lockstep::types_test
