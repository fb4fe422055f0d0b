#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "destination/duckdb/feed.hpp"
#include "destination/table_batch.hpp"

namespace lockstep::destination::duck {

/// Where a batch goes.
struct Target {
  std::string table;                 ///< as a statement names it
  std::vector<std::string> columns;  ///< quoted
  std::vector<LogicalType> types;
};

/// Writes folded batches on one connection, in its open transaction; keeps the statements of each table prepared.
/// `DELETE … USING` and `INSERT … SELECT` out of table functions: 20 to 60 times cheaper than MERGE, measured.
class TableWriter {
 public:
  TableWriter(Connection& connection, FeedFunction& feeds) : connection_(connection), feeds_(feeds) {}

  /// Errors: does_not_fit, bad_data; unexpected when a base row or a keyless row to be taken away is not there.
  Status write(const TableBatch& batch, const Target& target);
  /// Lets go of the statements: after a table was dropped, renamed or taken back.
  void forget_statements();

 private:
  struct Prepared {
    std::vector<std::uint16_t> key;
    FedStatement erase;
    FedStatement insert;
  };
  /// Rows that need values of the destination's own rows, and the columns that do.
  struct Partial {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint16_t> columns;
  };

  Result<Prepared*> prepared(const TableBatch& batch, const Target& target);
  Result<FedStatement> prepare(std::vector<LogicalType> types, const std::string& before, const std::string& after);
  Result<std::uint64_t> run_once(std::vector<LogicalType> types, Feed& feed, const std::string& before,
                                 const std::string& after);
  Status read_bases(const TableBatch& batch, const Target& target, const Partial& partial);
  Status insert_partial(const TableBatch& batch, const Target& target, const Partial& partial);
  Status erase(const TableBatch& batch, const Target& target, Prepared& statements);
  static Status sort_rows(const TableBatch& batch, std::vector<std::uint32_t>& whole, Partial& partial);

  Connection& connection_;
  FeedFunction& feeds_;
  std::map<std::string, Prepared> prepared_;  // by Target::table
};

}  // namespace lockstep::destination::duck
