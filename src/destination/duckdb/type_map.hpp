#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "model/vector.hpp"

struct _duckdb_logical_type;
struct _duckdb_vector;
struct _duckdb_data_chunk;

namespace lockstep::destination::duck {

/// "DECIMAL(18,2)", "BIGINT[][]": what DuckDB calls the type.
std::string sql_type(const LogicalType& type);

/// True when DuckDB's `=` calls two values equal that are not the same bytes, or the other way round (0.0 and -0.0,
/// an interval of a month and one of 30 days). Their VARCHAR forms tell them apart.
bool equal_needs_text(const LogicalType& type);

struct DropLogicalType {
  void operator()(_duckdb_logical_type* type) const;
};
using OwnedLogicalType = std::unique_ptr<_duckdb_logical_type, DropLogicalType>;
OwnedLogicalType logical_type(const LogicalType& type);

/// Lends the vectors of DuckDB's chunks to be decoded into, chunk after chunk of the same types.
class ChunkLender {
 public:
  explicit ChunkLender(const std::vector<LogicalType>& types);
  ChunkLender(const ChunkLender&) = delete;
  ChunkLender& operator=(const ChunkLender&) = delete;

  std::vector<VectorView>& lend(_duckdb_data_chunk* chunk);
  /// Tells DuckDB how much was written.
  void give_back(_duckdb_data_chunk* chunk, std::size_t rows);
  Arena& arena() { return arena_; }

 private:
  struct List {
    _duckdb_vector* vector = nullptr;
    VectorView child;
  };
  void lend_vector(_duckdb_vector* vector, VectorView& view);
  void make_lists(VectorView& view);
  static void refresh_child(VectorView& list);
  static void set_list_sizes(VectorView& view);
  static void reserve(VectorView& list, std::uint64_t child_capacity);

  std::vector<VectorView> views_;
  std::deque<List> lists_;  // stand still: views point at them
  Arena arena_;
};

}  // namespace lockstep::destination::duck
