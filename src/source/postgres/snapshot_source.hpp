#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "source/postgres/connection_pool.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// Thread-safe: each call works on a connection of its own.
class PgSnapshotSource final : public source::SnapshotSource {
 public:
  explicit PgSnapshotSource(Address address) : pool_(std::make_shared<ConnectionPool>(std::move(address))) {}

  Result<std::unique_ptr<source::Snapshot>> take_snapshot() override;
  Status write_mark(const std::string& text) override;
  Result<std::vector<source::RangePlan>> plan(const source::Snapshot& snapshot,
                                              const std::vector<TableId>& tables) override;
  Result<std::unique_ptr<RowStream>> open_stream(const source::Snapshot& snapshot, const source::RangePlan& plan,
                                                 std::shared_ptr<source::RangeQueue> ranges,
                                                 const std::vector<LogicalType>& targets) override;

 private:
  std::shared_ptr<ConnectionPool> pool_;  // streams give their connections back, and may live longer than this
};

}  // namespace lockstep::postgres
