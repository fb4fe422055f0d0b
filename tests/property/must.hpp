#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/result.hpp"

namespace lockstep::test {

/// LOCKSTEP_SEED=N runs that one alone.
inline std::pair<std::uint64_t, std::uint64_t> seed_range(std::uint64_t count) {
  const char* one = std::getenv("LOCKSTEP_SEED");
  if (one == nullptr) return {0, count};
  const std::uint64_t seed = std::strtoull(one, nullptr, 10);
  return {seed, seed + 1};
}

}  // namespace lockstep::test

#define MUST(expr)                                             \
  do {                                                         \
    const auto must_have = (expr);                             \
    ASSERT_TRUE(must_have.ok()) << to_text(must_have.error()); \
  } while (false)
