#include "base/crc32c.hpp"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace lockstep {
namespace {

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
    table[byte] = crc;
  }
  return table;
}

std::uint32_t by_table(Bytes bytes, std::uint32_t crc) {
  static constexpr auto table = make_table();
  for (const std::byte b : bytes) crc = (crc >> 8) ^ table[(crc ^ std::to_integer<std::uint32_t>(b)) & 0xff];
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) std::uint32_t by_instruction(Bytes bytes, std::uint32_t crc) {
  std::uint64_t wide = crc;
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    wide = _mm_crc32_u64(wide, word);
  }
  auto narrow = static_cast<std::uint32_t>(wide);
  for (; at < bytes.size(); ++at) narrow = _mm_crc32_u8(narrow, std::to_integer<std::uint8_t>(bytes[at]));
  return narrow;
}
#endif

}  // namespace

std::uint32_t crc32c(Bytes bytes, std::uint32_t seed) {
  const std::uint32_t start = ~seed;
#if defined(__x86_64__)
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  if (has_instruction) return ~by_instruction(bytes, start);
#endif
  return ~by_table(bytes, start);
}

}  // namespace lockstep
