#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/type.hpp"

namespace lockstep {

/// A table's name at the source, and by default at the destination. Any text may stand in either part.
struct TableName {
  std::string schema;
  std::string table;
  auto operator<=>(const TableName&) const = default;
};

/// "schema.table", for messages and logs.
inline std::string to_text(const TableName& name) { return name.schema + "." + name.table; }

struct Column {
  std::string name;
  LogicalType type;                   ///< what the source's type means
  std::uint32_t source_type = 0;      ///< the source's own type number (PostgreSQL: type oid, a domain's base)
  std::int32_t source_modifier = -1;  ///< the source's own type modifier (PostgreSQL: atttypmod)
  std::uint16_t number = 0;           ///< keeps its value through renames (PostgreSQL: attnum); 0 when not known

  bool operator==(const Column&) const = default;
};

/// What the rows of one table look like, from one schema change to the next.
struct TableShape {
  TableId table;
  TableName name;
  std::vector<Column> columns;     ///< in the order of the source's rows
  std::vector<std::uint16_t> key;  ///< indexes into `columns`; empty: a keyless table, an ordered multiset of rows
  /// False when an update or delete names its row by all old values, true when by the key's.
  bool old_rows_are_keys = true;

  bool operator==(const TableShape&) const = default;
};

/// Stable binary form, as the journal and the copy ledger keep it (docs/format/journal.md, "shape").
void encode_shape(const TableShape& shape, std::vector<std::byte>& out);
/// Error: bad_data.
Result<TableShape> decode_shape(Bytes bytes);

}  // namespace lockstep
