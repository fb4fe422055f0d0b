#include "source/postgres/ranges.hpp"

#include <gtest/gtest.h>

namespace lockstep::postgres {
namespace {

constexpr std::uint64_t page = 8192;

TEST(Ranges, AnEmptyTableIsOneOpenRange) {
  const Heap heap{16400, 16400, 0, 0};
  const auto ranges = plan_ranges(std::span(&heap, 1), page);
  ASSERT_EQ(ranges.size(), 1u);
  EXPECT_EQ(heap_of(ranges[0]), 16400u);
  EXPECT_EQ(page_of(ranges[0].begin), 0u);
  EXPECT_FALSE(ranges[0].end.has_value());
}

TEST(Ranges, CoverAHeapWithoutGapsAndEndOpen) {
  const Heap heap{7, 7, 100'000 * page, 100'000 * page};
  const auto ranges = plan_ranges(std::span(&heap, 1), page);
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    EXPECT_EQ(page_of(ranges[i].begin), next);
    EXPECT_EQ(ranges[i].end.has_value(), i + 1 < ranges.size());
    if (ranges[i].end) {
      EXPECT_EQ(heap_of({*ranges[i].end, {}}), 7u);
      next = page_of(*ranges[i].end);
      EXPECT_LE((next - page_of(ranges[i].begin)) * page, 16u << 20);
    }
  }
  EXPECT_GT(ranges.size(), 50u);
}

TEST(Ranges, AreSmallerWhereValuesLieOutOfLine) {
  const Heap slim{7, 7, 10'000 * page, 10'000 * page};
  const Heap fat{7, 7, 10'000 * page, 1'000'000 * page};
  EXPECT_GT(plan_ranges(std::span(&fat, 1), page).size(), 10 * plan_ranges(std::span(&slim, 1), page).size());
}

TEST(Ranges, AHugeHeapDoesNotMakeAHugeLedger) {
  const Heap heap{7, 7, std::uint64_t{4} << 40, std::uint64_t{4} << 40};
  EXPECT_LE(plan_ranges(std::span(&heap, 1), page).size(), 10'001u);
}

TEST(Ranges, StorageOfAPartitionedTableNamesEveryPartition) {
  std::vector<Heap> heaps{{1, 1, 0, 0}, {2, 2, 0, 0}};
  const std::uint64_t before = storage_of(heaps, true);
  heaps[1].filenode = 3;
  EXPECT_NE(storage_of(heaps, true), before);
  heaps[1].filenode = 2;
  EXPECT_EQ(storage_of(heaps, true), before);
  heaps.pop_back();
  EXPECT_NE(storage_of(heaps, true), before);
  EXPECT_EQ(storage_of(heaps, false), 1u);
}

}  // namespace
}  // namespace lockstep::postgres
