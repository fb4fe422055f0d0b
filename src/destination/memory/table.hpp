#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "destination/table_batch.hpp"
#include "model/row_stream.hpp"
#include "model/shape.hpp"
#include "model/type.hpp"

namespace lockstep::destination {

using MemoryRow = std::vector<std::string>;

/// Rows as value texts: equal texts are equal values, by exact bytes. Keyed tables by key, keyless ones in order.
class MemoryTable {
 public:
  MemoryTable(TableShape shape, std::vector<LogicalType> types);

  /// Error: unexpected when a row's key is there already.
  Result<std::size_t> append(RowStream& stream);
  /// Error: also unexpected when a keyless row to be taken away is not there. On an error some of it may be written: the caller throws the table away.
  Status write(const TableBatch& batch);

  std::vector<MemoryRow> rows() const;
  std::size_t size() const { return keyed_.size() + keyless_.size(); }

 private:
  Status insert(MemoryRow row);
  Status erase(const TableBatch& batch, const FoldedErase& erase);
  Result<MemoryRow> resolved(const TableBatch& batch, const FoldedRow& row) const;
  std::string key_of(const MemoryRow& row) const;
  bool is_keyed() const { return !shape_.key.empty(); }

  TableShape shape_;
  std::vector<LogicalType> types_;
  std::map<std::string, MemoryRow> keyed_;
  std::vector<MemoryRow> keyless_;
};

}  // namespace lockstep::destination
