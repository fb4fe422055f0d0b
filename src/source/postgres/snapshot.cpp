#include "source/postgres/snapshot.hpp"

#include "source/postgres/names.hpp"

namespace lockstep::postgres {
namespace {
constexpr const char* begin_reading = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
}

std::string begin_under(const std::string& snapshot_name) {
  return std::string(begin_reading) + "; SET TRANSACTION SNAPSHOT " + quote_literal(snapshot_name);
}

Result<std::unique_ptr<PgSnapshot>> PgSnapshot::begin(Connection connection, const std::string& start) {
  TRY_DO(connection.run(start));
  TRY(rows, connection.query("SELECT pg_export_snapshot(), pg_current_snapshot()"));
  TRY(visible, parse_visible_set(rows.text(0, 1)));
  return std::unique_ptr<PgSnapshot>(new PgSnapshot(std::move(connection), rows.string(0, 0), std::move(visible)));
}

Result<std::unique_ptr<PgSnapshot>> PgSnapshot::take(Connection connection) {
  return begin(std::move(connection), begin_reading);
}

Result<std::unique_ptr<PgSnapshot>> PgSnapshot::adopt(Connection connection, const std::string& name) {
  return begin(std::move(connection), begin_under(name));
}

}  // namespace lockstep::postgres
