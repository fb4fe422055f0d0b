#pragma once

#include <cstdint>
#include <vector>

#include "base/check.hpp"

namespace lockstep::sim {

/// The only source of chance in a run: one seed gives one run. The numbers are splitmix64 (Steele, Lea, Flood 2014).
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15ULL + 1) {}

  std::uint64_t roll() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// 0 to `bound` - 1.
  std::uint64_t below(std::uint64_t bound) {
    CHECK(bound > 0);
    return roll() % bound;
  }
  bool percent(std::uint64_t share) { return below(100) < share; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[below(from.size())];
  }
  /// Index of one of `weights`, chosen in proportion to them.
  template <std::size_t count>
  std::size_t weighted(const std::uint32_t (&weights)[count]) {
    std::uint64_t sum = 0;
    for (const std::uint32_t weight : weights) sum += weight;
    std::uint64_t left = below(sum);
    std::size_t chosen = 0;
    while (left >= weights[chosen]) left -= weights[chosen++];
    return chosen;
  }

 private:
  std::uint64_t state_;
};

}  // namespace lockstep::sim
