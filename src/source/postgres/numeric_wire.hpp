#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {

/// numeric's binary form: u16 count of digits, i16 weight, u16 sign, u16 digits behind the point to show, then the
/// digits, each 0 to 9999. The value is the sum of digit[i] * 10000^(weight - i).
/// Source: PostgreSQL, src/backend/utils/adt/numeric.c, numeric_send.
struct NumericWire {
  enum class Sign : std::uint16_t {
    positive = 0x0000,
    negative = 0x4000,
    not_a_number = 0xc000,
    infinite = 0xd000,
    negative_infinite = 0xf000,
  };
  std::size_t count = 0;
  std::int32_t weight = 0;
  Sign sign = Sign::positive;
  std::uint16_t shown_scale = 0;
  const std::byte* digits = nullptr;

  std::uint32_t digit(std::size_t i) const { return load<std::uint16_t>(digits + 2 * i); }
  bool finite() const { return sign == Sign::positive || sign == Sign::negative; }
};

/// Nothing when the bytes are no numeric. Digits are not looked at: whoever reads one checks that it is below 10000.
inline std::optional<NumericWire> read_numeric(Bytes value) {
  constexpr std::size_t header_bytes = 8;
  constexpr std::uint16_t shown_scale_max = 0x3fff;
  if (value.size() < header_bytes) return std::nullopt;
  NumericWire wire;
  wire.count = load<std::uint16_t>(value.data());
  wire.weight = load<std::int16_t>(value.data() + 2);
  wire.sign = static_cast<NumericWire::Sign>(load<std::uint16_t>(value.data() + 4));
  wire.shown_scale = load<std::uint16_t>(value.data() + 6);
  wire.digits = value.data() + header_bytes;
  if (value.size() != header_bytes + 2 * wire.count || wire.shown_scale > shown_scale_max) return std::nullopt;
  switch (wire.sign) {
    case NumericWire::Sign::positive:
    case NumericWire::Sign::negative:
    case NumericWire::Sign::not_a_number:
    case NumericWire::Sign::infinite:
    case NumericWire::Sign::negative_infinite: return wire;
  }
  return std::nullopt;
}

}  // namespace lockstep::postgres
