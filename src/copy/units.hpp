#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/ids.hpp"
#include "model/type.hpp"
#include "source/source.hpp"

namespace lockstep::copy {

/// Ranges of one table that are read and committed together. Holds all that is needed to load it, on any thread.
struct Unit {
  TableId table;
  std::shared_ptr<const source::RangePlan> plan;
  std::vector<LogicalType> types;     ///< of the hidden table's columns
  std::string snapshot;               ///< the ledger's, so that rows of another copy are refused
  std::vector<std::uint32_t> ranges;  ///< indexes into the plan's
};

/// Groups the indexes 0 … `ranges` - 1, in order, so that a group is about `unit_bytes` of a table of `table_bytes`.
std::vector<std::vector<std::uint32_t>> cut_units(std::size_t ranges, std::uint64_t table_bytes,
                                                  std::uint64_t unit_bytes);

}  // namespace lockstep::copy
