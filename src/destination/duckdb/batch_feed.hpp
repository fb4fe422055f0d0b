#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "destination/duckdb/feed.hpp"
#include "destination/table_batch.hpp"
#include "model/row.hpp"

namespace lockstep::destination::duck {

/// Rows of a TableBatch, decoded on the threads of DuckDB that pull them. One run each.
class BatchFeed : public Feed {
 public:
  std::size_t threads_max() const override { return threads_; }
  Result<std::size_t> read(std::size_t thread, std::span<VectorView> columns, std::size_t capacity) override;
  bool keeps_strings() const override { return true; }  // a join may hold its rows back

 protected:
  BatchFeed(const TableBatch& batch, std::size_t rows);
  /// Writes row `number` of the feed into slot `row`. `cells` is scratch.
  virtual Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                           std::size_t row) = 0;
  const TableBatch& batch_;

 private:
  std::size_t rows_;
  std::size_t threads_;
  std::atomic<std::size_t> next_{0};
};

/// Key columns of the erases, in the key's order.
class EraseKeys : public BatchFeed {
 public:
  explicit EraseKeys(const TableBatch& batch) : BatchFeed(batch, batch.erases.size()) {}

 private:
  Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                   std::size_t row) override;
};

/// All columns of the erases of a keyless table, then their count (int64).
class EraseRows : public BatchFeed {
 public:
  explicit EraseRows(const TableBatch& batch) : BatchFeed(batch, batch.erases.size()) {}

 private:
  Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                   std::size_t row) override;
};

/// All columns of the rows whose values the batch itself has.
class WholeRows : public BatchFeed {
 public:
  WholeRows(const TableBatch& batch, const std::vector<std::uint32_t>& rows)
      : BatchFeed(batch, rows.size()), which_(rows) {}

 private:
  Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                   std::size_t row) override;
  const std::vector<std::uint32_t>& which_;
};

/// The number of a row (int64), then the key columns of its base.
class BaseKeys : public BatchFeed {
 public:
  BaseKeys(const TableBatch& batch, const std::vector<std::uint32_t>& rows)
      : BatchFeed(batch, rows.size()), which_(rows) {}

 private:
  Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                   std::size_t row) override;
  const std::vector<std::uint32_t>& which_;
};

/// The number of a row (int64), all its columns (NULL where the base has the value), and for each column of `from_base`
/// whether the base has it (boolean).
class PartialRows : public BatchFeed {
 public:
  PartialRows(const TableBatch& batch, const std::vector<std::uint32_t>& rows,
              const std::vector<std::uint16_t>& from_base)
      : BatchFeed(batch, rows.size()), which_(rows), from_base_(from_base) {}

 private:
  Status write_row(std::size_t number, std::vector<Cell>& cells, std::span<VectorView> columns,
                   std::size_t row) override;
  const std::vector<std::uint32_t>& which_;
  const std::vector<std::uint16_t>& from_base_;
};

}  // namespace lockstep::destination::duck
