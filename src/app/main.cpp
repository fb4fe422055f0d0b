// Which adapter stands behind which address: the only file that names them.

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "catalog/sqlite/sqlite.hpp"
#include "control/cli/program.hpp"
#include "destination/duckdb/duckdb_destination.hpp"
#include "runtime/adapters.hpp"
#include "runtime/state_files.hpp"
#include "source/postgres/postgres.hpp"

namespace lockstep {
namespace {

constexpr std::string_view duckdb_scheme = "duckdb:";

bool is_postgres(const std::string& url) { return url.starts_with("postgresql://") || url.starts_with("postgres://"); }

Error unknown_source() {
  return {ErrorKind::bad_input, "this kind of source is not known",
          "write it as in postgresql://user@host:5432/database"};
}

Error unknown_destination(const std::string& address) {
  return {ErrorKind::bad_input, "destination '" + address + "' is not known",
          "write it as in duckdb:/data/shop.duckdb"};
}

Result<runtime::SourceSummary> summarize_source(const std::string& url) {
  if (!is_postgres(url)) return unknown_source();
  TRY(summary, postgres::summarize(url));
  return runtime::SourceSummary{summary.printable, summary.database};
}

Result<source::Source> make_source(const std::string& url, const runtime::Selection& selection) {
  if (!is_postgres(url)) return unknown_source();
  const auto keyless = selection.leave_keyless_out ? postgres::Keyless::leave_out : postgres::Keyless::full;
  return postgres::open_postgres(url, {{selection.tables, selection.exclude, keyless}});
}

source::Setup plan_setup(const source::Identity& source, const std::string& mirror) {
  return postgres::plan_setup(mirror, source.database);
}

Result<std::string> duckdb_path(const std::string& address) {
  const std::string path = address.starts_with(duckdb_scheme) ? address.substr(duckdb_scheme.size()) : "";
  if (path.empty()) return unknown_destination(address);
  return path;
}

Result<std::string> complete_destination(const std::string& typed, const std::string& mirror) {
  TRY(path, duckdb_path(typed.empty() ? std::string(duckdb_scheme) + mirror + ".duckdb" : typed));
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  if (failed) return Error{ErrorKind::bad_input, "path " + path + ": " + failed.message()};
  return std::string(duckdb_scheme) + absolute.lexically_normal().string();
}

Result<runtime::OpenDestination> make_destination(const std::string& address,
                                                  const runtime::DestinationOptions& asked) {
  TRY(path, duckdb_path(address));
  destination::DuckDbOptions options;
  options.threads = asked.threads_max;
  if (asked.memory_bytes_max > 0) {
    // Our own part: two batches, the blocks of a table copy, and the program itself.
    constexpr std::uint64_t ours = 192ull << 20;
    constexpr std::uint64_t least = 64ull << 20;  // below it DuckDB cannot load wide rows
    options.memory_bytes = std::max(asked.memory_bytes_max, ours + least) - ours;
  }
  auto duckdb = std::make_unique<destination::DuckDbDestination>(path, options);
  runtime::OpenDestination opened;
  opened.queries = duckdb.get();
  opened.writer = std::move(duckdb);
  return opened;
}

Result<std::unique_ptr<destination::ServesQueries>> open_to_read(const std::string& address) {
  TRY(path, duckdb_path(address));
  return destination::open_read_only(path);
}

Result<std::unique_ptr<catalog::Catalog>> open_catalog(const std::string& folder) {
  return catalog::open_sqlite(runtime::catalog_file(folder));
}

}  // namespace
}  // namespace lockstep

int main(int argc, char** argv) {
  const lockstep::runtime::Adapters adapters{
      lockstep::summarize_source, lockstep::plan_setup,           lockstep::make_source, lockstep::make_destination,
      lockstep::open_to_read,     lockstep::complete_destination, lockstep::open_catalog};
  return lockstep::control::run_program(argc, argv, adapters, lockstep::system_clock());
}
