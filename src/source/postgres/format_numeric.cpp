// The text of numbers, digit for digit as PostgreSQL's output functions write it.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "model/int128.hpp"
#include "source/postgres/format.hpp"
#include "source/postgres/numeric_wire.hpp"

namespace lockstep::postgres {
namespace {

template <class T>
bool format_integer(Bytes value, TextWriter& out) {
  if (value.size() != sizeof(T)) return false;
  out.append_number(load<T>(value.data()));
  return true;
}

char* put_four_digits(char* at, std::uint32_t value) {
  return put_two_digits(put_two_digits(at, value / 100), value % 100);
}

/// The digit of weight `weight`; zero where there is none.
std::uint32_t digit_of_weight(const NumericWire& wire, std::int32_t weight) {
  const std::int32_t i = wire.weight - weight;
  return i >= 0 && static_cast<std::size_t>(i) < wire.count ? wire.digit(static_cast<std::size_t>(i)) : 0;
}

bool digits_are_valid(const NumericWire& wire) {
  for (std::size_t i = 0; i < wire.count; ++i) {
    if (wire.digit(i) > 9999) return false;
  }
  return true;
}

void put_finite(const NumericWire& wire, TextWriter& out) {
  if (wire.sign == NumericWire::Sign::negative) out.put('-');
  out.append_number(digit_of_weight(wire, wire.weight < 0 ? 0 : wire.weight));
  for (std::int32_t weight = wire.weight - 1; weight >= 0; --weight) {
    out.wrote(put_four_digits(out.room(4), digit_of_weight(wire, weight)));
  }
  if (wire.shown_scale == 0) return;
  out.put('.');
  const std::size_t end = out.size() + wire.shown_scale;
  for (std::int32_t weight = -1; out.size() < end; --weight) {
    out.wrote(put_four_digits(out.room(4), digit_of_weight(wire, weight)));
  }
  out.wrote(out.at(end));  // the last four may go too far
}

/// A float as its shortest digits: digits * 10^exponent.
struct Decimal {
  std::uint64_t digits = 0;
  int exponent = 0;
  int count = 0;
};

/// Reads "d.ddde±xx", to_chars' scientific form, of a positive number.
Decimal read_scientific(std::string_view text) {
  Decimal decimal;
  const std::size_t mark = text.find('e');
  for (const char c : text.substr(0, mark)) {
    if (c == '.') continue;
    decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(c - '0');
    ++decimal.count;
  }
  std::string_view power = text.substr(mark + 1);
  if (power.starts_with('+')) power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), decimal.exponent);
  decimal.exponent -= decimal.count - 1;
  while (decimal.count > 1 && decimal.digits % 10 == 0) {
    decimal.digits /= 10;
    ++decimal.exponent;
    --decimal.count;
  }
  return decimal;
}

/// Whether the decimal is exactly `odd` * 2^`exponent`. Both sides are compared without their factors of two.
bool equals(const Decimal& decimal, std::uint64_t odd, int exponent) {
  UInt128 left = decimal.digits;
  UInt128 right = odd;
  UInt128& with_fives = decimal.exponent < 0 ? right : left;
  for (int i = std::abs(decimal.exponent); i > 0; --i) with_fives *= 5;
  int twos = decimal.exponent;
  for (; left % 2 == 0; ++twos) left /= 2;
  return left == right && twos == exponent;
}

/// Whether the decimal lies exactly in the middle between the float `mantissa` * 2^`exponent` and a neighbour. A middle
/// is an odd number of at most 54 bits times a power of two, so it can equal a decimal of 17 digits only for few powers
/// of ten: 5^23 is the greatest that divides such a number. (Below a power of two the neighbour is nearer; no shortest
/// form of a power of two lies in that middle, as trying all of them has shown.)
bool is_in_the_middle(const Decimal& decimal, std::uint64_t mantissa, int exponent) {
  if (decimal.exponent < -3 || decimal.exponent > 23) return false;
  return equals(decimal, 2 * mantissa + 1, exponent - 1) || equals(decimal, 2 * mantissa - 1, exponent - 1);
}

template <class Float>
struct FloatBits;
template <>
struct FloatBits<double> {
  using Word = std::uint64_t;
  static constexpr int mantissa_bits = 52;
  static constexpr int bias = 1075;
  static constexpr int digits_max = 17;
  static constexpr int fixed_below = 15;  // 10^15 is the first number with an exponent: DBL_DIG
};
template <>
struct FloatBits<float> {
  using Word = std::uint32_t;
  static constexpr int mantissa_bits = 23;
  static constexpr int bias = 150;
  static constexpr int digits_max = 9;
  static constexpr int fixed_below = 6;  // FLT_DIG
};

/// The shortest digits that lie strictly within the rounding interval. PostgreSQL leaves out a shorter form that lies
/// exactly on its border (1e23 is one), to be independent of how a reader breaks ties; to_chars does not.
/// Source: src/common/d2s.c, "acceptBounds".
template <class Float>
Decimal shortest(Float positive) {
  using Bits = FloatBits<Float>;
  const auto word = std::bit_cast<typename Bits::Word>(positive);
  const auto fraction = word & ((typename Bits::Word{1} << Bits::mantissa_bits) - 1);
  const int biased = static_cast<int>(word >> Bits::mantissa_bits);
  const std::uint64_t mantissa = biased == 0 ? fraction : fraction | (typename Bits::Word{1} << Bits::mantissa_bits);
  const int exponent = (biased == 0 ? 1 : biased) - Bits::bias;

  char text[64];
  const char* end = std::to_chars(text, text + sizeof text, positive, std::chars_format::scientific).ptr;
  Decimal decimal = read_scientific({text, static_cast<std::size_t>(end - text)});
  for (int count = decimal.count + 1; count <= Bits::digits_max; ++count) {
    if (!is_in_the_middle(decimal, mantissa, exponent)) break;
    end = std::to_chars(text, text + sizeof text, positive, std::chars_format::scientific, count - 1).ptr;
    decimal = read_scientific({text, static_cast<std::size_t>(end - text)});
  }
  return decimal;
}

void put_fixed(const Decimal& decimal, std::string_view digits, TextWriter& out) {
  const int point = decimal.count + decimal.exponent;  // digits before the point
  if (point <= 0) {
    out.append("0.");
    for (int i = point; i < 0; ++i) out.put('0');
    out.append(digits);
    return;
  }
  const auto whole = static_cast<std::size_t>(point < decimal.count ? point : decimal.count);
  out.append(digits.substr(0, whole));
  for (int i = decimal.count; i < point; ++i) out.put('0');
  if (whole == digits.size()) return;
  out.put('.');
  out.append(digits.substr(whole));
}

void put_scientific(int power, std::string_view digits, TextWriter& out) {
  out.put(digits.front());
  if (digits.size() > 1) out.put('.');
  out.append(digits.substr(1));
  out.append(power < 0 ? "e-" : "e+");
  const int distance = power < 0 ? -power : power;
  if (distance < 10) out.put('0');
  out.append_number(distance);
}

template <class Float>
void put_float(Float value, TextWriter& out) {
  if (value != value) return out.append("NaN");
  if (std::signbit(value)) {
    out.put('-');
    value = -value;
  }
  if (value > std::numeric_limits<Float>::max()) return out.append("Infinity");
  if (value < std::numeric_limits<Float>::denorm_min()) return out.put('0');
  const Decimal decimal = shortest(value);
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, decimal.digits).ptr;
  const std::string_view digits(text, static_cast<std::size_t>(end - text));
  const int power = decimal.exponent + decimal.count - 1;
  if (power >= -4 && power < FloatBits<Float>::fixed_below) return put_fixed(decimal, digits, out);
  put_scientific(power, digits, out);
}

}  // namespace

bool format_int2(Bytes value, TextWriter& out) { return format_integer<std::int16_t>(value, out); }
bool format_int4(Bytes value, TextWriter& out) { return format_integer<std::int32_t>(value, out); }
bool format_int8(Bytes value, TextWriter& out) { return format_integer<std::int64_t>(value, out); }
bool format_oid(Bytes value, TextWriter& out) { return format_integer<std::uint32_t>(value, out); }
bool format_xid8(Bytes value, TextWriter& out) { return format_integer<std::uint64_t>(value, out); }

bool format_float4(Bytes value, TextWriter& out) {
  if (value.size() != sizeof(float)) return false;
  put_float(std::bit_cast<float>(load<std::uint32_t>(value.data())), out);
  return true;
}

bool format_float8(Bytes value, TextWriter& out) {
  if (value.size() != sizeof(double)) return false;
  put_float(std::bit_cast<double>(load<std::uint64_t>(value.data())), out);
  return true;
}

bool format_numeric(Bytes value, TextWriter& out) {
  const auto wire = read_numeric(value);
  if (!wire || !digits_are_valid(*wire)) return false;
  switch (wire->sign) {
    case NumericWire::Sign::positive:
    case NumericWire::Sign::negative: put_finite(*wire, out); break;
    case NumericWire::Sign::not_a_number: out.append("NaN"); break;
    case NumericWire::Sign::infinite: out.append("Infinity"); break;
    case NumericWire::Sign::negative_infinite: out.append("-Infinity"); break;
  }
  return true;
}

// Hundredths; the sign stands before the currency, thousands are parted by commas.
// Source: src/backend/utils/adt/cash.c, cash_out, with what it takes for a locale that says nothing.
bool format_money(Bytes value, TextWriter& out) {
  if (value.size() != sizeof(std::int64_t)) return false;
  const auto cents = load<std::int64_t>(value.data());
  const std::uint64_t magnitude =
      cents < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(cents) : static_cast<std::uint64_t>(cents);
  out.append(cents < 0 ? "-$" : "$");
  char text[24];
  const char* end = std::to_chars(text, text + sizeof text, magnitude / 100).ptr;
  for (const char* c = text; c != end; ++c) {
    if (c != text && (end - c) % 3 == 0) out.put(',');
    out.put(*c);
  }
  out.put('.');
  out.wrote(put_two_digits(out.room(2), static_cast<std::uint32_t>(magnitude % 100)));
  return true;
}

}  // namespace lockstep::postgres
