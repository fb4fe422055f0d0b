// Reading tables under a snapshot.

#include <algorithm>

#include "fixture.hpp"

namespace lockstep::postgres_test {
namespace {

using Lines = std::vector<std::string>;

class Copy : public PostgresSource {
 protected:
  source::RangePlan plan(const source::Snapshot& snapshot, const std::string& table) {
    const TableId id{std::stoull(sql_->value("SELECT '" + table + "'::regclass::oid"))};
    return must(source_.snapshots->plan(snapshot, {id}))[0];
  }
  Lines expected(const std::string& query) {
    Lines lines = sql_->lines(query);
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  /// The error that reading the plan ends in.
  Error copy_error(const source::Snapshot& snapshot, const source::RangePlan& plan) {
    std::vector<LogicalType> types;
    for (const Column& column : plan.shape.columns) types.push_back(column.type);
    auto stream =
        source_.snapshots->open_stream(snapshot, plan, std::make_shared<source::RangeQueue>(plan.ranges), types);
    if (!stream.ok()) return stream.error();
    ColumnBatch batch(types, 1000);
    for (;;) {
      batch.clear();
      auto got = stream.value()->read(batch.columns(), 1000);
      if (!got.ok()) return got.error();
      if (got.value() == 0) return {ErrorKind::unexpected, "there was no error"};
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Postgres, Copy, ::testing::Values(15, 18), ::testing::PrintToStringParamName());

TEST_P(Copy, ManyRangesReadByManyStreamsAreWhatTheServerShows) {
  sql_->run(
      "CREATE TABLE t (id int PRIMARY KEY, v text, n numeric(12,3));"
      "INSERT INTO t SELECT g, CASE WHEN g % 7 <> 0 THEN repeat('v', g % 300) END, g / 8.0 FROM generate_series(1, 150000) g");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  const source::RangePlan planned = plan(*snapshot, "t");
  EXPECT_GT(planned.ranges.size(), 1u);
  const Lines before = expected("SELECT * FROM t");
  sql_->run("INSERT INTO t VALUES (-1); DELETE FROM t WHERE id < 1000; UPDATE t SET v = 'later' WHERE id > 149000");
  EXPECT_EQ(copy_all(source_, *snapshot, planned, 3), before);
  EXPECT_TRUE(snapshot->alive());
}

TEST_P(Copy, RowsAddedAfterThePlanButBeforeTheSnapshotEndAreInTheOpenRange) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  source::RangePlan planned = plan(*snapshot, "t");
  sql_->run("INSERT INTO t SELECT g FROM generate_series(1, 5000) g");
  EXPECT_TRUE(copy_all(source_, *snapshot, planned, 1).empty());
  const auto later = must(source_.snapshots->take_snapshot());
  EXPECT_EQ(copy_all(source_, *later, planned, 1).size(), 5000u);
}

TEST_P(Copy, TypesWithoutABinaryDecoderComeAsTheServersText) {
  sql_->run(
      "CREATE TYPE pair AS (a int, b text); CREATE DOMAIN money_of AS numeric(8,2); CREATE TYPE mood AS ENUM ('ok', 'bad')");
  sql_->run(
      "CREATE TABLE t (id int PRIMARY KEY, p pair, d money_of, m mood, r int4range, i inet, s tsvector);"
      "INSERT INTO t VALUES (1, (1, 'x'), 12.5, 'bad', '[1,5)', '10.0.0.1/8', 'a b'); INSERT INTO t VALUES (2, (NULL, NULL)); INSERT INTO t VALUES (3)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  EXPECT_EQ(copy_all(source_, *snapshot, plan(*snapshot, "t"), 1),
            (Lines{"1|(1,x)|12.50|bad|[1,5)|10.0.0.1/8|'a' 'b'", "2|(,)|NULL|NULL|NULL|NULL|NULL",
                   "3|NULL|NULL|NULL|NULL|NULL|NULL"}));
}

TEST_P(Copy, APartitionedTableIsReadThroughEveryPartition) {
  sql_->run(
      "CREATE TABLE root (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);"
      "CREATE TABLE low PARTITION OF root FOR VALUES FROM (0) TO (1000);"
      "CREATE TABLE high (v text, id int NOT NULL); ALTER TABLE root ATTACH PARTITION high FOR VALUES FROM (1000) TO (9000);"
      "INSERT INTO root SELECT g, 'v' || g FROM generate_series(1, 3000) g");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  const source::RangePlan planned = plan(*snapshot, "root");
  EXPECT_EQ(copy_all(source_, *snapshot, planned, 2), expected("SELECT id, v FROM root"));
  sql_->run("CREATE TABLE more PARTITION OF root FOR VALUES FROM (9000) TO (9999)");
  EXPECT_EQ(copy_error(*snapshot, planned).kind, ErrorKind::conflict);
}

TEST_P(Copy, AnInheritingTablesRowsAreItsOwn) {
  sql_->run(
      "CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent);"
      "INSERT INTO parent VALUES (1); INSERT INTO child VALUES (2)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  EXPECT_EQ(copy_all(source_, *snapshot, plan(*snapshot, "parent"), 1), Lines{"1"});
}

TEST_P(Copy, ARewriteBetweenTwoRangesIsNoticed) {
  for (const char* rewrite :
       {"VACUUM FULL t", "TRUNCATE t", "ALTER TABLE t ALTER v TYPE bigint", "ALTER TABLE t SET UNLOGGED"}) {
    sql_->run("DROP TABLE IF EXISTS t");
    sql_->run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)");
    open();
    const auto snapshot = must(source_.snapshots->take_snapshot());
    const source::RangePlan planned = plan(*snapshot, "t");
    sql_->run(rewrite);
    const Error error = copy_error(*snapshot, planned);
    EXPECT_EQ(error.kind, ErrorKind::conflict) << rewrite << ": " << to_text(error);
    EXPECT_EQ(error.table, "public.t");
  }
}

// Found by the simulation: planned after the rewrite, the ranges would read the new file under a snapshot that shows
// none of its rows, and nothing in the log would bring them.
TEST_P(Copy, ARewriteBetweenSnapshotAndPlanIsNoticed) {
  for (const char* rewrite : {"VACUUM FULL t", "TRUNCATE t", "ALTER TABLE t ALTER v TYPE int USING v + 1"}) {
    sql_->run("DROP TABLE IF EXISTS t");
    sql_->run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)");
    open();
    const auto snapshot = must(source_.snapshots->take_snapshot());
    const source::RangePlan before = plan(*snapshot, "t");
    sql_->run(rewrite);
    const auto planned = source_.snapshots->plan(*snapshot, {before.shape.table});
    ASSERT_FALSE(planned.ok()) << rewrite;
    EXPECT_EQ(planned.error().kind, ErrorKind::busy) << rewrite << ": " << to_text(planned.error());
    const auto later = must(source_.snapshots->take_snapshot());
    EXPECT_TRUE(source_.snapshots->plan(*later, {before.shape.table}).ok()) << rewrite;
  }
}

TEST_P(Copy, AnotherShapeThanTheSnapshotsIsNoticed) {
  for (const char* change :
       {"ADD n int DEFAULT 5", "DROP v", "RENAME v TO w", "RENAME TO u", "ALTER v TYPE varchar(30)"}) {
    sql_->run("DROP TABLE IF EXISTS t, u");
    sql_->run("CREATE TABLE t (id int PRIMARY KEY, v varchar(20)); INSERT INTO t VALUES (1, 'a')");
    open();
    const auto snapshot = must(source_.snapshots->take_snapshot());
    const source::RangePlan planned = plan(*snapshot, "t");
    sql_->run(std::string("ALTER TABLE t ") + change);
    EXPECT_EQ(copy_error(*snapshot, planned).kind, ErrorKind::conflict) << change;
    if (std::string(change) != "RENAME TO u") {
      const auto busy = source_.snapshots->plan(*snapshot, {planned.shape.table});
      ASSERT_FALSE(busy.ok()) << change;
      EXPECT_EQ(busy.error().kind, ErrorKind::busy) << change;
    }
  }
}

TEST_P(Copy, ATableThatIsBeingAlteredIsBusyAndSoIsALockedOne) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  const source::RangePlan planned = plan(*snapshot, "t");
  Session other(url());
  other.run("BEGIN; LOCK TABLE t");
  EXPECT_EQ(source_.snapshots->plan(*snapshot, {planned.shape.table}).error().kind, ErrorKind::busy);
  EXPECT_EQ(copy_error(*snapshot, planned).kind, ErrorKind::busy);
}

TEST_P(Copy, ADeadSnapshotIsNoticed) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  const source::RangePlan planned = plan(*snapshot, "t");
  EXPECT_TRUE(snapshot->alive());
  sql_->run(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE state = 'idle in transaction'"
      " AND datname = current_database()");
  EXPECT_FALSE(snapshot->alive());
  EXPECT_EQ(copy_error(*snapshot, planned).kind, ErrorKind::unreachable);
}

TEST_P(Copy, TheSnapshotHoldsNoLockOnATable) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)");
  open();
  const auto snapshot = must(source_.snapshots->take_snapshot());
  const source::RangePlan planned = plan(*snapshot, "t");
  EXPECT_EQ(copy_all(source_, *snapshot, planned, 1).size(), 1u);
  sql_->run("SET lock_timeout = '500ms'; DROP TABLE t");
}

TEST_P(Copy, SettingsOfDatabaseAndRoleDoNotChangeAValue) {
  sql_->run("ALTER DATABASE " + database_ + " SET datestyle = 'German'; ALTER DATABASE " + database_ +
            " SET extra_float_digits = 0;"
            "ALTER DATABASE " +
            database_ + " SET bytea_output = 'escape'; ALTER DATABASE " + database_ +
            " SET intervalstyle = 'iso_8601';"
            "ALTER DATABASE " +
            database_ + " SET timezone = 'Asia/Tokyo'; ALTER DATABASE " + database_ +
            " SET default_transaction_read_only = on;"
            "ALTER DATABASE " +
            database_ + " SET statement_timeout = '1ms'; ALTER DATABASE " + database_ + " SET search_path = 'nowhere'");
  Session set(url());
  for (const char* name :
       {"datestyle", "intervalstyle", "extra_float_digits", "timezone", "bytea_output", "statement_timeout",
        "default_transaction_read_only", "row_security", "client_encoding", "lock_timeout", "lc_monetary"}) {
    const std::map<std::string, std::string> wanted{{"datestyle", "ISO, MDY"},
                                                    {"intervalstyle", "postgres"},
                                                    {"extra_float_digits", "3"},
                                                    {"timezone", "UTC"},
                                                    {"bytea_output", "hex"},
                                                    {"statement_timeout", "0"},
                                                    {"default_transaction_read_only", "off"},
                                                    {"row_security", "off"},
                                                    {"client_encoding", "UTF8"},
                                                    {"lock_timeout", "0"},
                                                    {"lc_monetary", "C"}};
    if (std::string(name) == "datestyle") {
      EXPECT_TRUE(set.value("SHOW datestyle").starts_with("ISO"));
    } else {
      EXPECT_EQ(set.value(std::string("SHOW ") + name), wanted.at(name)) << name;
    }
  }
  must(open().snapshots->write_mark("although the database is read only"));
}

}  // namespace
}  // namespace lockstep::postgres_test
