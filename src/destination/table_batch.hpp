#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "model/decoder.hpp"
#include "model/shape.hpp"

namespace lockstep::destination {

/// A row to be written. `newest` is an encoded row; when some of its cells are unchanged, `layers` tells where their
/// values come from.
struct FoldedRow {
  static constexpr std::uint32_t complete = 0xffffffff;
  Bytes newest;
  std::uint32_t layers = complete;  ///< index into TableBatch::layers
};

/// For each cell that is unchanged in the newest row: the first of `older` (newest first) that has it gives its value;
/// if none has, the destination's row whose key is that of `base`, as it was before this batch was written.
struct Layers {
  std::vector<Bytes> older;
  Bytes base;  ///< an encoded row whose key cells are set; empty: there is no such row
};

/// Rows to take away: the destination's row with this key (of a keyless table: `count` rows equal to this one, by exact
/// bytes, not by SQL's `=`).
struct FoldedErase {
  Bytes row;  ///< encoded; the key's cells are set (keyless: all)
  std::uint32_t count = 1;
};

/// What one batch, or one chunk of a large transaction, comes to for one table. Written in this order: all base values
/// are read, then `truncate`, then `erases`, then `rows`. Each key is in `rows` at most once.
struct TableBatch {
  const TableShape* shape = nullptr;
  const std::vector<ColumnDecoder>* decoders = nullptr;  ///< one a column of the shape
  bool truncate = false;                                 ///< empty the table first
  std::vector<FoldedErase> erases;
  std::vector<FoldedRow> rows;
  std::vector<Layers> layers;
  std::vector<Block> blocks;  ///< keep the views alive
};

}  // namespace lockstep::destination
