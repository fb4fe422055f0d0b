#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "source/source.hpp"

/// How ranges of pages are numbered and sized. Pure.
namespace lockstep::postgres {

/// A heap that rows of a table lie in: the table's own, or a partition's.
struct Heap {
  std::uint32_t oid = 0;
  std::uint32_t filenode = 0;
  std::uint64_t bytes = 0;         ///< of its pages
  std::uint64_t bytes_in_all = 0;  ///< with what is stored out of line
};

/// The ranges of the heaps in their order: the heap's oid in the upper half of the numbers, the page in the lower; each
/// heap's last range is open-ended, because it grows on.
std::vector<source::Range> plan_ranges(std::span<const Heap> heaps, std::uint64_t page_bytes);

inline std::uint32_t heap_of(const source::Range& range) { return static_cast<std::uint32_t>(range.begin >> 32); }
inline std::uint32_t page_of(std::uint64_t bound) { return static_cast<std::uint32_t>(bound); }

/// A number that changes when any heap is rewritten, comes or goes: of a plain table its filenode.
std::uint64_t storage_of(std::span<const Heap> heaps, bool partitioned);

}  // namespace lockstep::postgres
