#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace lockstep {

/// A number with a meaning of its own: two of different tags cannot be mixed.
template <class Tag, class Rep = std::uint64_t>
struct Strong {
  Rep value{};
  auto operator<=>(const Strong&) const = default;
};

}  // namespace lockstep

template <class Tag, class Rep>
struct std::hash<lockstep::Strong<Tag, Rep>> {
  std::size_t operator()(const lockstep::Strong<Tag, Rep>& strong) const noexcept {
    return std::hash<Rep>{}(strong.value);
  }
};
