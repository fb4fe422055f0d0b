#include "copy/units.hpp"

#include <algorithm>

namespace lockstep::copy {

std::vector<std::vector<std::uint32_t>> cut_units(std::size_t ranges, std::uint64_t table_bytes,
                                                  std::uint64_t unit_bytes) {
  const std::uint64_t range_bytes = ranges == 0 ? 0 : std::max<std::uint64_t>(table_bytes / ranges, 1);
  const std::uint64_t per_unit = std::max<std::uint64_t>(range_bytes == 0 ? 1 : unit_bytes / range_bytes, 1);
  std::vector<std::vector<std::uint32_t>> units;
  for (std::uint32_t range = 0; range < ranges; ++range) {
    if (units.empty() || units.back().size() >= per_unit) units.emplace_back();
    units.back().push_back(range);
  }
  return units;
}

}  // namespace lockstep::copy
