#include "destination/duckdb/harness_test.hpp"

#include <filesystem>

#include "destination/duckdb/connection.hpp"

namespace lockstep::destination {

using conformance::TextRow;

DuckDbHarness::DuckDbHarness()
    : path_(folder_.file("copy 1.duckdb")), duckdb_(std::make_unique<DuckDbDestination>(path_)) {}

void DuckDbHarness::kill() {
  const std::string next = folder_.file("copy " + std::to_string(++lives_) + ".duckdb");
  std::filesystem::copy_file(path_, next);
  if (std::filesystem::exists(path_ + ".wal")) std::filesystem::copy_file(path_ + ".wal", next + ".wal");
  path_ = next;
  old_ = std::move(duckdb_);
  duckdb_ = std::make_unique<DuckDbDestination>(path_);
}

std::optional<std::vector<TextRow>> DuckDbHarness::rows(const TableName& table) {
  std::string place = duck::quote_name(table.schema) + "." + duck::quote_name(table.table);
  const Result<Answer> noted = duckdb_->query("SELECT destination_table FROM lockstep.tables WHERE source_table = " +
                                              duck::quote_text(to_text(table)) + " AND destination_table IS NOT NULL");
  if (noted.ok() && !noted.value().rows.empty()) {
    const std::string name = noted.value().rows[0][0].value_or("");
    const std::size_t dot = name.find('.');
    place = duck::quote_name(name.substr(0, dot)) + "." + duck::quote_name(name.substr(dot + 1));
  }
  const Result<Answer> catalog = duckdb_->query("SELECT current_database()");
  CHECK(catalog.ok());
  const Result<Answer> answer =
      duckdb_->query("FROM " + duck::quote_name(catalog.value().rows[0][0].value_or("")) + "." + place);
  if (!answer.ok()) return std::nullopt;
  std::vector<TextRow> all;
  for (const auto& row : answer.value().rows) {
    TextRow& texts = all.emplace_back();
    for (const auto& cell : row) texts.push_back(cell.value_or("NULL"));
  }
  return all;
}

std::map<std::string, std::string> DuckDbHarness::notes() {
  const Result<Answer> answer = duckdb_->query(
      "SELECT source_table, state || coalesce(' since ' || as_of_state_id || ': ' || error, '') FROM lockstep.tables");
  CHECK(answer.ok());
  std::map<std::string, std::string> said;
  for (const auto& row : answer.value().rows) said[row.at(0).value_or("")] = row.at(1).value_or("");
  return said;
}

namespace conformance {

INSTANTIATE_TEST_SUITE_P(DuckDb, DestinationPromises,
                         testing::Values(Adapter{"duckdb", [] { return std::make_unique<DuckDbHarness>(); }}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace conformance
}  // namespace lockstep::destination
