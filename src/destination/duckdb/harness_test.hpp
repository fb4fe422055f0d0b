#pragma once

#include "destination/conformance/suite.hpp"
#include "destination/duckdb/duckdb_destination.hpp"
#include "support/scratch_folder.hpp"

namespace lockstep::destination {

/// A DuckDB file. `kill` leaves the file as a killed process would: it is copied while it is open, and the copy is used.
class DuckDbHarness : public conformance::Harness {
 public:
  DuckDbHarness();
  Destination& destination() override { return *duckdb_; }
  void kill() override;
  std::optional<std::vector<conformance::TextRow>> rows(const TableName& table) override;
  std::map<std::string, std::string> notes() override;
  bool prints_like_duckdb() const override { return true; }

  DuckDbDestination& duckdb() { return *duckdb_; }
  const std::string& path() const { return path_; }

 private:
  test::ScratchFolder folder_;
  std::string path_;
  unsigned lives_ = 1;
  std::unique_ptr<DuckDbDestination> old_;  // whose step a test may still hold
  std::unique_ptr<DuckDbDestination> duckdb_;
};

}  // namespace lockstep::destination
