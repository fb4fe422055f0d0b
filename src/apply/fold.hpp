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
  static constexpr std::uint32_t none = 0xffffffff;

  /// A row as the batch knows it: the newest bytes, older ones for unchanged cells, the destination's row below them.
  struct Version {
    Bytes newest;
    std::vector<Bytes> older;     ///< newest first; each gives a cell that no newer one has
    Bytes base;                   ///< names the destination's row; empty: there is none
    bool has_unchanged = false;   ///< some cell of `newest` has to be looked up in `older` and `base`
  };
  /// One key, in the order in which keys were first seen.
  struct Entry {
    Bytes key_row;                ///< an encoded row whose key cells are set
    bool erase = false;           ///< the destination had a row with this key before the batch
    bool present = false;         ///< there is a row with this key now
    Bytes newest;
    std::uint32_t layers = none;  ///< into versions_, when `newest` has unchanged cells
    std::int64_t net = 0;         ///< keyless: rows more (or fewer) than before
  };
  /// A key's bytes and the row that has them.
  struct Key {
    Bytes bytes;
    Bytes row;
  };

  Status add_keyed(const Change& change, bool old_rows_are_keys);
  Status add_keyless(const Change& change, bool old_rows_are_keys);
  Status insert_row(const Change& change);
  Status update_row(const Change& change, bool old_rows_are_keys);
  Status erase_row(const Change& change);
  Status replace_in_place(const Key& key, const Change& change, bool old_rows_are_keys, bool unchanged);
  Status move_row(const Key& from, const Key& to, const Change& change, bool old_rows_are_keys, bool unchanged);
  Status count_row(Bytes row, std::int64_t by);
  Result<Version> taken_from(std::uint32_t entry, const Key& old_key);
  Result<Key> key_of_old(Bytes row);
  Result<Key> key_of_new(const Change& change);
  Key key_from(const std::vector<Cell>& cells, Bytes row);
  Key made_key(const std::vector<Cell>& cells);
  void set_version(Entry& entry, Version version);
  Version version_of(const Entry& entry) const;
  Status split(Bytes row, std::vector<Cell>& cells) const;
  Entry& find_or_add(const Key& key, bool* added);
  Bytes keep(std::vector<std::byte> bytes);
  Error bad(const char* what) const;

  const TableShape* shape_;
  const std::vector<ColumnDecoder>* decoders_;
  std::vector<std::uint16_t> key_;          ///< sorted
  bool key_is_contiguous_ = false;          ///< its bytes are one view into the row

  KeyIndex index_;
  std::vector<Entry> entries_;
  std::vector<Version> versions_;
  bool truncated_ = false;
  std::vector<Block> blocks_;
  std::uint64_t made_bytes_ = 0;            ///< in blocks of our own
  ChangeCounts counts_;
  std::vector<Cell> new_cells_, old_cells_, layer_cells_;  ///< scratch
};

}  // namespace lockstep::apply
