#include "source/postgres/ranges.hpp"

#include <algorithm>

namespace lockstep::postgres {
namespace {

constexpr std::uint64_t range_bytes = 12u << 20;  // a tenth of a second of work: lost at most, when something breaks
constexpr std::uint64_t range_pages_min = 16;     // also where values stored out of line are huge
constexpr std::uint64_t ranges_max = 10'000;      // one heap; each is an entry in a ledger

std::uint64_t pages_per_range(const Heap& heap, std::uint64_t pages, std::uint64_t page_bytes) {
  const std::uint64_t bytes_per_page = std::max(page_bytes, heap.bytes_in_all / std::max<std::uint64_t>(pages, 1));
  const std::uint64_t fitting = std::max(range_pages_min, range_bytes / bytes_per_page);
  return std::max(fitting, pages / ranges_max + 1);
}

}  // namespace

std::vector<source::Range> plan_ranges(std::span<const Heap> heaps, std::uint64_t page_bytes) {
  std::vector<source::Range> ranges;
  for (const Heap& heap : heaps) {
    const std::uint64_t base = std::uint64_t{heap.oid} << 32;
    const std::uint64_t pages = heap.bytes / page_bytes;
    const std::uint64_t step = pages_per_range(heap, pages, page_bytes);
    std::uint64_t begin = 0;
    for (; begin + step < pages; begin += step) ranges.push_back({base | begin, base | (begin + step)});
    ranges.push_back({base | begin, std::nullopt});
  }
  return ranges;
}

std::uint64_t storage_of(std::span<const Heap> heaps, bool partitioned) {
  if (!partitioned) return heaps.empty() ? 0 : heaps.front().filenode;
  std::uint64_t hash = 0xcbf29ce484222325u;  // 64-bit FNV-1a over oid and filenode
  for (const Heap& heap : heaps) {
    for (const std::uint32_t number : {heap.oid, heap.filenode}) {
      for (int shift = 0; shift < 32; shift += 8) hash = (hash ^ (number >> shift & 0xffu)) * 0x100000001b3u;
    }
  }
  return hash;
}

}  // namespace lockstep::postgres
