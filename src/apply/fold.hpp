#pragma once

#include <cstdint>
#include <vector>

#include "apply/key_index.hpp"
#include "base/bytes.hpp"
#include "base/result.hpp"
#include "destination/table_batch.hpp"
#include "model/change.hpp"
#include "model/decoder.hpp"
#include "model/row.hpp"
#include "model/shape.hpp"
#include "model/vector.hpp"

namespace lockstep::apply {

/// What the source did to one table, before folding; for people.
struct ChangeCounts {
  std::uint64_t inserts = 0;
  std::uint64_t updates = 0;
  std::uint64_t deletes = 0;
  std::uint64_t truncates = 0;

  std::uint64_t changes() const { return inserts + updates + deletes + truncates; }
  ChangeCounts& operator+=(const ChangeCounts& more);
};

/// Reduces the changes of one table, over whole transactions or a chunk of a large one, to the last effect per key
/// (keyless: to the net number of each row). Rows are not copied: `block` is kept alive until `take`'s result is gone.
/// Strict: an insert under a key that is there, or an update or delete of a row that is not, is an Error bad_data that
/// names the table, as far as the batch itself can tell. After an error only destroying or `clear` makes sense.
class Fold {
 public:
  /// Both are referred to by the batches that `take` gives, and must outlive them.
  Fold(const TableShape& shape, const std::vector<ColumnDecoder>& decoders);

  /// Takes an insert, update or erase. `old_rows_are_keys` is that of the change's own shape.
  Status add(const Change& change, bool old_rows_are_keys, const Block& block);
  void truncate();

  bool empty() const { return counts_.changes() == 0; }
  const ChangeCounts& counts() const { return counts_; }
  /// Memory held beyond the blocks, which tables share.
  std::uint64_t bytes() const;

  /// What the changes since the last `take` come to. The next batch builds on the destination as this one leaves it.
  destination::TableBatch take();
  void clear();

 private:
  static constexpr std::uint32_t none = destination::FoldedRow::complete;

  /// One key (keyless: one row's bytes), in the order in which they were first seen.
  struct Entry {
    Bytes key_row;                ///< an encoded row whose key cells are set
    Bytes newest;                 ///< the row, while it is present
    std::int64_t net = 0;         ///< keyless: rows more (or fewer) than before
    std::uint32_t layers = none;  ///< into layers_, when `newest` has unchanged cells
    bool erase = false;           ///< the destination had a row with this key before the batch
    bool present = false;         ///< there is a row with this key now
  };
  struct Key {
    Bytes bytes;  ///< what the index compares
    Bytes row;    ///< an encoded row whose key cells are set
  };
  /// What one walk over an encoded row tells.
  struct Scan {
    Bytes key;                 ///< when it is one piece of the row
    bool key_is_whole = true;  ///< no key cell is null or unchanged
    bool has_unchanged = false;
  };
  /// The row that an update replaces: in the batch (`newest`, `layers`), or the destination's (`base`).
  struct Replaced {
    Bytes newest;
    std::uint32_t layers = none;
    Bytes base;
  };

  Status insert_row(const Change& change);
  Status update_row(const Change& change, bool old_rows_are_keys);
  Status erase_row(const Change& change);
  Status update_keyless(const Change& change);
  Status count_row(Bytes row, std::int64_t by);
  Status put(std::uint32_t number, const Change& change, bool old_rows_are_keys, bool has_unchanged,
             const Replaced& replaced);
  Result<destination::Layers> layers_of(const Change& change, bool old_rows_are_keys, const Replaced& replaced);
  bool keep_if_it_helps(Bytes row, destination::Layers& layers);
  Result<Replaced> take_away(const Key& key);
  Result<Scan> scan(Bytes row) const;
  Result<Key> key_of(Bytes row, const Scan& facts);
  Result<Key> key_of_new(const Change& change, const Scan& facts);
  Key made_key(Bytes row);
  std::uint32_t number_of(const Key& key);
  void take_rows(destination::TableBatch& batch);
  Bytes keep(std::vector<std::byte> bytes);
  Error bad(const char* what) const;

  const TableShape* shape_;
  const std::vector<ColumnDecoder>* decoders_;
  std::vector<bool> is_key_;     ///< by column
  std::uint16_t key_first_ = 0;  ///< the key's lowest and highest column
  std::uint16_t key_last_ = 0;
  bool key_is_one_piece_ = false;  ///< its cells stand side by side

  KeyIndex index_;
  std::vector<Entry> entries_;
  std::vector<destination::Layers> layers_;
  bool truncated_ = false;
  std::vector<Block> blocks_;
  Arena keys_;                    ///< of keys that are not one piece; needed while folding only
  std::uint64_t made_bytes_ = 0;  ///< in keys_ and in blocks of our own
  ChangeCounts counts_;
  std::vector<Cell> cells_, old_cells_;    ///< scratch
  std::vector<std::uint16_t> unresolved_;  ///< scratch: unchanged cells whose value is still to be found
};

}  // namespace lockstep::apply
