#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"
#include "base/wire.hpp"
#include "model/ids.hpp"

namespace lockstep {

enum class ChangeKind : std::uint8_t {
  insert = 'I',
  update = 'U',
  erase = 'D',
  truncate = 'T',
  message = 'M',  ///< what the application or lockstep itself wrote into the log, in the transaction's order
};

/// Prefix of the messages by which lockstep finds its own place in the log: the content is what
/// SnapshotSource::write_mark was given.
inline constexpr std::string_view mark_prefix = "lockstep.mark";

/// One step of a transaction, as views into the bytes it was read from.
struct Change {
  ChangeKind kind{};
  ShapeId shape{};                ///< of insert, update, erase
  Bytes old_row{};                ///< update, erase: the old key or row (see TableShape::old_rows_are_keys); empty when
                                  ///< an update left the key as it was
  Bytes new_row{};                ///< insert, update
  std::vector<TableId> tables{};  ///< truncate
  std::string_view prefix{};      ///< message
  Bytes content{};                ///< message
};

/// Appends one change in the form that the journal keeps (docs/format/journal.md, "change"):
///   change = u8 kind, u32 length of the body, body
///   body   = I: u32 shape, row · U: u32 shape, u32 length of the old row, old row, row · D: u32 shape, row
///            T: u32 count, u64 table × count · M: u32 length of the prefix, prefix, content
void encode_change(const Change& change, std::vector<std::byte>& out);

/// Reads changes one after another out of one part of a transaction.
class ChangeReader {
 public:
  explicit ChangeReader(Bytes part) : in_(part) {}

  /// False at the end and on bytes that do not parse; `ok()` tells which. Views in `change` point into the part.
  bool next(Change& change);
  bool ok() const { return ok_; }

 private:
  bool read_body(Bytes body, Change& change);

  WireReader in_;
  bool ok_ = true;
};

}  // namespace lockstep
