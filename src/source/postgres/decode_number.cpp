// Booleans, integers, floats and decimals.
#include <array>
#include <bit>
#include <charconv>
#include <type_traits>

#include "model/int128.hpp"
#include "source/postgres/decode.hpp"
#include "source/postgres/numeric_wire.hpp"

namespace lockstep::postgres {
namespace {

Decoded read_bool(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != 1 || std::to_integer<int>(value.front()) > 1) return Decoded::malformed;
  out.set(row, std::to_integer<std::uint8_t>(value.front()));
  return Decoded::ok;
}

Decoded read_bool_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  const std::string_view text = text_of(value);
  if (text != "t" && text != "f") return Decoded::malformed;
  out.set(row, static_cast<std::uint8_t>(text == "t"));
  return Decoded::ok;
}

/// `Word` is the unsigned integer of the number's width.
template <class Number, class Word>
Decoded read_number(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (value.size() != sizeof(Number)) return Decoded::malformed;
  out.set(row, std::bit_cast<Number>(load<Word>(value.data())));
  return Decoded::ok;
}

/// from_chars also reads "NaN", "Infinity" and "-Infinity".
template <class Number>
Decoded read_number_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  const std::string_view text = text_of(value);
  const char* const end = text.data() + text.size();
  Number number{};
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return Decoded::malformed;
  out.set(row, number);
  return Decoded::ok;
}

template <class Number, class Word>
constexpr DecodeFn number_decode = decode_cell<read_number<Number, Word>, read_number_text<Number>>;

// ---- Decimals ------------------------------------------------------------------------------------------------------

template <class Magnitude, std::size_t count>
constexpr std::array<Magnitude, count> make_powers_of_ten() {
  std::array<Magnitude, count> powers{1};
  for (std::size_t i = 1; i < count; ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}

/// What a decimal of a given width is computed in: 64 bits up to 18 digits, 128 up to 38.
template <class Stored>
using MagnitudeOf = std::conditional_t<sizeof(Stored) <= 8, std::uint64_t, UInt128>;

template <class Magnitude>
constexpr auto powers_of_ten = make_powers_of_ten < Magnitude,
               sizeof(Magnitude) == 8 ? 20 : 39 > ();

template <class Magnitude>
Magnitude power_of_ten(int power) {
  return powers_of_ten<Magnitude>[static_cast<std::size_t>(power)];
}

template <class Stored>
Decoded store_decimal(bool negative, MagnitudeOf<Stored> magnitude, VectorView& out, std::size_t row) {
  const auto value = static_cast<Stored>(magnitude);
  const auto with_sign = static_cast<Stored>(negative ? -value : value);
  if constexpr (sizeof(Stored) == 16) {
    store_int128(out.values, row, with_sign);
  } else {
    out.set(row, with_sign);
  }
  return Decoded::ok;
}

int digits_in(std::uint32_t below_ten_thousand) {
  return below_ten_thousand < 100 ? (below_ten_thousand < 10 ? 1 : 2) : (below_ten_thousand < 1000 ? 3 : 4);
}

/// The value times 10^scale must be a whole number of at most `precision` digits. That is known from the first digit's
/// place, so the sum below cannot overflow.
template <class Stored>
Decoded read_decimal(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  using Magnitude = MagnitudeOf<Stored>;
  const auto wire = read_numeric(value);
  if (!wire) return Decoded::malformed;
  if (!wire->finite()) return Decoded::does_not_fit;
  std::size_t i = 0;
  while (i < wire->count && wire->digit(i) == 0) ++i;
  if (i == wire->count) return store_decimal<Stored>(false, 0, out, row);

  // 10^place is what a digit counts, in units of the last place of the target.
  int place = 4 * (wire->weight - static_cast<int>(i)) + self.target.scale;
  if (wire->digit(i) > 9999) return Decoded::malformed;
  if (place + digits_in(wire->digit(i)) > self.target.precision) return Decoded::does_not_fit;
  Magnitude sum = 0;
  for (; i < wire->count; ++i, place -= 4) {
    const std::uint32_t digit = wire->digit(i);
    if (digit > 9999) return Decoded::malformed;
    if (place >= 0) {
      sum = sum * 10'000 + digit;
    } else if (place > -4) {
      const auto below_target = power_of_ten<std::uint64_t>(-place);
      if (digit % below_target != 0) return Decoded::does_not_fit;
      sum = sum * power_of_ten<Magnitude>(4 + place) + digit / below_target;
    } else if (digit != 0) {
      return Decoded::does_not_fit;
    }
  }
  const int last_place = place + 4;
  if (last_place > 0) sum *= power_of_ten<Magnitude>(last_place);
  return store_decimal<Stored>(wire->sign == NumericWire::Sign::negative, sum, out, row);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Leaves the digits that follow in `digits`; false when there are none.
bool take_digits(std::string_view& text, std::string_view& digits) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  digits = text.substr(0, count);
  text.remove_prefix(count);
  return count > 0;
}

template <class Stored>
Decoded read_decimal_text(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  using Magnitude = MagnitudeOf<Stored>;
  std::string_view text = text_of(value);
  if (text == "NaN" || text == "Infinity" || text == "-Infinity") return Decoded::does_not_fit;
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  std::string_view whole;
  std::string_view fraction;
  if (!take_digits(text, whole)) return Decoded::malformed;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!take_digits(text, fraction)) return Decoded::malformed;
  }
  if (!text.empty()) return Decoded::malformed;

  while (whole.starts_with('0')) whole.remove_prefix(1);
  while (fraction.ends_with('0')) fraction.remove_suffix(1);
  const int scale = self.target.scale;
  if (fraction.size() > static_cast<std::size_t>(scale)) return Decoded::does_not_fit;
  if (whole.size() + static_cast<std::size_t>(scale) > self.target.precision) return Decoded::does_not_fit;
  Magnitude sum = 0;
  for (const char c : whole) sum = sum * 10 + static_cast<unsigned>(c - '0');
  for (const char c : fraction) sum = sum * 10 + static_cast<unsigned>(c - '0');
  sum *= power_of_ten<Magnitude>(scale - static_cast<int>(fraction.size()));
  return store_decimal<Stored>(negative, sum, out, row);
}

template <class Stored>
constexpr DecodeFn decimal_decode = decode_cell<read_decimal<Stored>, read_decimal_text<Stored>>;

}  // namespace

DecodeFn number_decoder(TypeKind kind) {
  if (kind == TypeKind::boolean) return decode_cell<read_bool, read_bool_text>;
  if (kind == TypeKind::int16) return number_decode<std::int16_t, std::uint16_t>;
  if (kind == TypeKind::int32) return number_decode<std::int32_t, std::uint32_t>;
  if (kind == TypeKind::int64) return number_decode<std::int64_t, std::uint64_t>;
  if (kind == TypeKind::uint32) return number_decode<std::uint32_t, std::uint32_t>;
  if (kind == TypeKind::float32) return number_decode<float, std::uint32_t>;
  CHECK(kind == TypeKind::float64);
  return number_decode<double, std::uint64_t>;
}

// The widths are those of VectorView.
DecodeFn decimal_decoder(std::uint8_t precision) {
  if (precision <= 4) return decimal_decode<std::int16_t>;
  if (precision <= 9) return decimal_decode<std::int32_t>;
  if (precision <= 18) return decimal_decode<std::int64_t>;
  return decimal_decode<Int128>;
}

}  // namespace lockstep::postgres
