#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace lockstep {

/// CRC-32C (Castagnoli, reflected polynomial 0x82F63B78, RFC 3720 appendix B.4) of `bytes`, continued from `seed`.
/// Uses the processor's instruction where it has one.
std::uint32_t crc32c(Bytes bytes, std::uint32_t seed = 0);

}  // namespace lockstep
