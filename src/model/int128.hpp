#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace lockstep {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

/// Destinations lend 128-bit columns as pairs of 64-bit halves, which need not be aligned for more.
inline void store_int128(void* values, std::size_t row, Int128 value) {
  std::memcpy(static_cast<std::byte*>(values) + row * sizeof value, &value, sizeof value);
}
inline Int128 load_int128(const void* values, std::size_t row) {
  Int128 value;
  std::memcpy(&value, static_cast<const std::byte*>(values) + row * sizeof value, sizeof value);
  return value;
}

}  // namespace lockstep
