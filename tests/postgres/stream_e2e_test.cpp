// What a following mirror hears.

#include "fixture.hpp"

namespace lockstep::postgres_test {
namespace {

using Lines = std::vector<std::string>;
using Stream = PostgresSource;

INSTANTIATE_TEST_SUITE_P(Postgres, Stream, ::testing::Values(15, 18), ::testing::PrintToStringParamName());

TEST_P(Stream, InsertUpdateDeleteTruncateAndKeyChangeComeInOrder) {
  sql_->run("CREATE TABLE t (a text, id int PRIMARY KEY, n numeric(10,2), j jsonb)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run("INSERT INTO t VALUES ('one', 1, 1.5, '{\"k\": 1}'), ('two', 2, NULL, NULL)");
  sql_->run(
      "BEGIN; UPDATE t SET a = 'ONE' WHERE id = 1; UPDATE t SET id = 3 WHERE id = 2; DELETE FROM t WHERE id = 1; COMMIT");
  sql_->run("TRUNCATE t");
  Follower follower(source_);
  EXPECT_EQ(
      follower.until_caught_up(),
      (Lines{"begin", "shape t", "insert t (one, 1, 1.50, {\"k\": 1})", "insert t (two, 2, NULL, NULL)", "commit",
             "begin", "update t - (ONE, 1, 1.50, {\"k\": 1})", "update t (NULL, 2, NULL, NULL) (two, 3, NULL, NULL)",
             "delete t (NULL, 1, NULL, NULL)", "commit", "begin", "truncate t", "commit"}));
  EXPECT_TRUE(follower.saw_binary());
  const TableShape shape = follower.shape(setup_.tables[0]);
  EXPECT_EQ(shape, must(source_.setter->tables())[0].shape);
  EXPECT_EQ(shape.key, std::vector<std::uint16_t>{1});
}

TEST_P(Stream, ABigValueThatDidNotChangeIsNotSent) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY, small int, big text)");
  sql_->run("ALTER TABLE t ALTER big SET STORAGE EXTERNAL");
  sql_->run("CREATE TABLE f (id int, small int, big text)");
  sql_->run("ALTER TABLE f ALTER big SET STORAGE EXTERNAL");
  const source::CreatedSlot slot = set_up();
  EXPECT_EQ(setup_.full_identities.size(), 1u);
  must(source_.changes->start(setup_, slot.start));
  sql_->run("INSERT INTO t VALUES (1, 1, repeat('x', 20000)); UPDATE t SET small = 2; UPDATE t SET id = 9");
  sql_->run("INSERT INTO f VALUES (1, 1, repeat('y', 3000)); UPDATE f SET small = 2; DELETE FROM f");
  Follower follower(source_);
  const Lines lines = follower.until_caught_up();
  const auto has = [&](const std::string& line) { return std::find(lines.begin(), lines.end(), line) != lines.end(); };
  const std::string y(3000, 'y');
  EXPECT_TRUE(has("update t - (1, 2, unchanged)"));
  EXPECT_TRUE(has("update t (1, NULL, NULL) (9, 2, unchanged)"));
  EXPECT_TRUE(has("update f (1, 1, " + y + ") (1, 2, unchanged)"));
  EXPECT_TRUE(has("delete f (1, 2, " + y + ")"));
  for (const TableId table : setup_.tables) {
    const TableShape& shape = follower.shape(table);
    EXPECT_EQ(shape.old_rows_are_keys, shape.name.table == "t");
    EXPECT_EQ(shape.key.empty(), shape.name.table == "f");
  }
}

TEST_P(Stream, ALargeTransactionComesWhileItIsOpenAndASavepointIsDropped) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY, v text)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run(
      "BEGIN; INSERT INTO t SELECT g, 'kept' FROM generate_series(1, 2000) g; SAVEPOINT s;"
      " INSERT INTO t SELECT g, 'dropped' FROM generate_series(10001, 12000) g");
  Follower follower(source_);
  const Lines open = follower.until_line("insert t (10500, ");
  EXPECT_EQ(open[0], "part first");
  EXPECT_EQ(open[1], "shape t");
  EXPECT_EQ(std::count(open.begin(), open.end(), "part first"), 1);
  sql_->run("ROLLBACK TO s; INSERT INTO t VALUES (3000, 'last'); COMMIT");
  const Lines rest = follower.until_caught_up();
  EXPECT_NE(std::find(rest.begin(), rest.end(), "abort sub"), rest.end());
  EXPECT_NE(std::find(rest.begin(), rest.end(), "insert t (3000, last)"), rest.end());
  EXPECT_EQ(rest.back(), "commit streamed");
}

TEST_P(Stream, AfterAReconnectWhatIsNotAcknowledgedComesAgainAndWhatIsDoesNot) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run("INSERT INTO t VALUES (1)");
  Follower follower(source_);
  follower.until_caught_up();
  const Position acknowledged = follower.last_commit();
  must(source_.changes->acknowledge(acknowledged));
  sql_->run("INSERT INTO t VALUES (2)");
  EXPECT_EQ(follower.until_caught_up(), (Lines{"begin", "insert t (2)", "commit"}));
  source_.changes->close();

  const auto started_again = [&] {
    for (;;) {  // the old walsender needs a moment to notice
      Status started = source_.changes->start(setup_, acknowledged);
      if (started.ok()) return;
      ASSERT_EQ(started.error().kind, ErrorKind::busy) << to_text(started.error());
      EXPECT_NE(started.error().what.find("is active for PID"), std::string::npos);
      postgres::pause_for(std::chrono::milliseconds(20));
    }
  };
  started_again();
  Follower again(source_);
  EXPECT_EQ(again.until_caught_up(), (Lines{"begin", "shape t", "insert t (2)", "commit"}));
}

TEST_P(Stream, AnOpenTransactionStartsAgainFromItsFirstChangeAfterAReconnect) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY, v text)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  Session writer(url());
  writer.run("BEGIN; INSERT INTO t SELECT g, 'open' FROM generate_series(1, 2000) g");
  Follower follower(source_);
  follower.until_line("insert t (1500, ");
  sql_->run("INSERT INTO t VALUES (-1, 'other')");
  follower.until_line("commit");
  must(source_.changes->acknowledge(follower.last_commit()));
  source_.changes->close();
  while (!source_.changes->start(setup_, follower.last_commit()).ok())
    postgres::pause_for(std::chrono::milliseconds(20));
  writer.run("COMMIT");
  Follower again(source_);
  const Lines lines = again.until_caught_up();
  // Changes before the acknowledged place are not streamed while open; they come with the commit.
  EXPECT_TRUE(lines[0] == "part first" || lines[0] == "begin") << lines[0];
  EXPECT_NE(std::find(lines.begin(), lines.end(), "insert t (1, open)"), lines.end());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "insert t (2000, open)"), lines.end());
  EXPECT_EQ(std::find(lines.begin(), lines.end(), "insert t (-1, other)"), lines.end());
  EXPECT_TRUE(lines.back().starts_with("commit"));
}

TEST_P(Stream, MessagesOfATransactionAndMarksArriveAndLooseOnesDoNot) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run("BEGIN; INSERT INTO t VALUES (1); SELECT pg_logical_emit_message(true, 'app', 'hello'); ROLLBACK");
  sql_->run("SELECT pg_logical_emit_message(false, 'app', 'loose')");
  must(source_.snapshots->write_mark("mark-1"));
  Follower follower(source_);
  EXPECT_EQ(follower.until_caught_up(), (Lines{"begin", "message lockstep.mark mark-1", "commit"}));
}

TEST_P(Stream, XidsAreTheSnapshotsOwn) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  const std::uint64_t xid =
      std::stoull(sql_->value("WITH i AS (INSERT INTO t VALUES (1) RETURNING 1) SELECT pg_current_xact_id() FROM i"));
  Follower follower(source_);
  follower.until_caught_up();
  EXPECT_EQ(follower.xids(), std::vector<Xid>{Xid{xid}});
  EXPECT_FALSE(slot.snapshot->visible().contains(Xid{xid}));
  EXPECT_TRUE(must(source_.snapshots->take_snapshot())->visible().contains(Xid{xid}));
}

TEST_P(Stream, AColumnWithoutBinaryDecoderTurnsTheStreamToText) {
  sql_->run("CREATE TYPE pair AS (a int, b text)");
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run("INSERT INTO t VALUES (1); ALTER TABLE t ADD p pair; INSERT INTO t VALUES (2, (7, 'x,y'))");
  Follower follower(source_);
  follower.until_caught_up();
  EXPECT_EQ(follower.error().kind, ErrorKind::unreachable);
  EXPECT_EQ(follower.error().column, "p");
  while (!source_.changes->start(setup_, slot.start).ok()) postgres::pause_for(std::chrono::milliseconds(20));
  Follower again(source_);
  const Lines lines = again.until_caught_up();
  EXPECT_FALSE(again.saw_binary());
  EXPECT_NE(std::find(lines.begin(), lines.end(), "insert t (2, (7,\"x,y\"))"), lines.end());
}

TEST_P(Stream, RenamedColumnsKeepTheirNumbers) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY, a int, b int)");
  const source::CreatedSlot slot = set_up();
  sql_->run(
      "INSERT INTO t VALUES (1, 2, 3); ALTER TABLE t RENAME a TO c; ALTER TABLE t RENAME b TO a; INSERT INTO t VALUES (2)");
  must(source_.changes->start(setup_, slot.start));
  Follower follower(source_);
  follower.until_line("insert t (1, 2, 3)");
  const TableShape before = follower.shape(setup_.tables[0]);
  follower.until_caught_up();
  const TableShape after = follower.shape(setup_.tables[0]);
  ASSERT_EQ(before.columns.size(), 3u);
  EXPECT_EQ(before.columns[1].name, "a");
  EXPECT_EQ(before.columns[1].number, 2);
  EXPECT_EQ(after.columns[1].name, "c");
  EXPECT_EQ(after.columns[1].number, 2);
  EXPECT_EQ(after.columns[2].name, "a");
  EXPECT_EQ(after.columns[2].number, 3);
}

TEST_P(Stream, APartitionedTableSpeaksAsItsRootButIsSilentAboutAPartitionsTruncate) {
  sql_->run(
      "CREATE TABLE root (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);"
      "CREATE TABLE low PARTITION OF root FOR VALUES FROM (0) TO (10);"
      "CREATE TABLE high (v text, id int NOT NULL); ALTER TABLE root ATTACH PARTITION high FOR VALUES FROM (10) TO (90)");
  const source::CreatedSlot slot = set_up();
  ASSERT_EQ(setup_.tables.size(), 1u);
  must(source_.changes->start(setup_, slot.start));
  sql_->run("BEGIN; INSERT INTO root VALUES (1, 'a'), (20, 'b'); UPDATE root SET id = 30 WHERE id = 1; COMMIT");
  sql_->run("TRUNCATE low");
  sql_->run("TRUNCATE root");
  Follower follower(source_);
  Lines lines = follower.until_caught_up();
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("shape"); });
  EXPECT_EQ(lines, (Lines{"begin", "insert root (1, a)", "insert root (20, b)", "delete root (1, NULL)",
                          "insert root (30, a)", "commit", "begin", "truncate root", "commit"}));
}

TEST_P(Stream, AnIdleDatabasesPositionMovesByAHeartbeat) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  Follower follower(source_);
  EXPECT_TRUE(follower.until_caught_up().empty());
  must(source_.changes->acknowledge(must(source_.changes->end_of_log())));
  for (int tries = 0; tries < 200; ++tries) {
    if (must(source_.setter->log_state(setup_)).confirmed > slot.start) return;
    must(source_.changes->next(std::chrono::milliseconds(10)));
  }
  FAIL() << "the slot did not move";
}

TEST_P(Stream, ALostSlotIsSaidSo) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  sql_->run("SELECT pg_drop_replication_slot('" + setup_.slot + "')");
  const Status started = source_.changes->start(setup_, slot.start);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind, ErrorKind::lost_history);
  EXPECT_FALSE(started.error().remedy.empty());
}

// Asked for less than the slot has confirmed, the server begins there and says nothing.
TEST_P(Stream, ASlotThatSomebodyHasMovedIsSaidSoAtEveryStart) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  source_.changes->close();
  sql_->run("INSERT INTO t VALUES (1)");
  while (must(source_.setter->log_state(setup_)).active) postgres::pause_for(std::chrono::milliseconds(20));
  sql_->run("SELECT pg_replication_slot_advance('" + setup_.slot + "', pg_current_wal_insert_lsn())");
  const Status started = source_.changes->start(setup_, slot.start);
  ASSERT_FALSE(started.ok());
  EXPECT_EQ(started.error().kind, ErrorKind::lost_history);
}

// What is not published is not sent, and nothing in the stream tells that it was not.
TEST_P(Stream, APublicationThatSomebodyHasChangedIsSaidSo) {
  sql_->run("CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  const std::string name = setup_.publication;
  const auto start_after = [&](const std::string& sql) {
    source_.changes->close();
    while (must(source_.setter->log_state(setup_)).active) postgres::pause_for(std::chrono::milliseconds(20));
    sql_->run(sql);
    const Status started = source_.changes->start(setup_, slot.start);
    return started.ok() ? std::string() : std::string(name_of(started.error().kind)) + ": " + started.error().what;
  };
  EXPECT_EQ(start_after("SELECT 1"), "");
  EXPECT_EQ(start_after("ALTER PUBLICATION " + name + " SET (publish = 'insert')"),
            "lost_history: what publication " + name + " publishes was changed, so that changes were not sent");
  EXPECT_EQ(start_after("ALTER PUBLICATION " + name + " SET (publish = 'insert, update, delete, truncate')"), "");
  EXPECT_EQ(start_after("CREATE TABLE other (id int PRIMARY KEY); ALTER PUBLICATION " + name + " ADD TABLE other"), "");
  EXPECT_EQ(start_after("ALTER PUBLICATION " + name + " DROP TABLE b"),
            "lost_history: table public.b was taken out of publication " + name + ", so that changes were not sent");
  EXPECT_EQ(start_after("ALTER PUBLICATION " + name + " ADD TABLE b"),
            "lost_history: table public.b was taken out of publication " + name +
                " and put in again, so that changes were not sent");
  EXPECT_EQ(start_after("DROP TABLE b"), "");
  EXPECT_EQ(
      start_after("ALTER PUBLICATION " + name + " DROP TABLE a; ALTER PUBLICATION " + name +
                  " ADD TABLE a WHERE (id > 5)"),
      "lost_history: publication " + name + " was narrowed to a part of table public.a, so that changes were not sent");
  EXPECT_EQ(start_after("DROP PUBLICATION " + name + "; CREATE PUBLICATION " + name +
                        " FOR TABLE a WITH (publish_via_partition_root)"),
            "lost_history: publication " + name + " was dropped and made again, so that changes were not sent");
  EXPECT_EQ(start_after("DROP PUBLICATION " + name),
            "lost_history: publication " + name + " was dropped, so that changes were not sent");
}

TEST_P(Stream, APublicationThatIsChangedUnderTheStreamIsNoticed) {
  sql_->run("CREATE TABLE a (id int PRIMARY KEY)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  sql_->run("ALTER PUBLICATION " + setup_.publication + " DROP TABLE a");
  for (int tries = 0; tries < 200; ++tries) {
    const auto message = source_.changes->next(std::chrono::milliseconds(100));
    if (message.ok()) continue;
    EXPECT_EQ(message.error().kind, ErrorKind::lost_history) << to_text(message.error());
    return;
  }
  FAIL() << "nobody noticed";
}

TEST_P(Stream, AColumnInTheNameOfADroppedOneHasANumberOfItsOwn) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY, v int)");
  const source::CreatedSlot slot = set_up();
  must(source_.changes->start(setup_, slot.start));
  Follower follower(source_);
  sql_->run("INSERT INTO t VALUES (1, 1)");
  follower.until_caught_up();
  EXPECT_EQ(follower.shape(setup_.tables[0]).columns[1].number, 2);
  sql_->run("ALTER TABLE t DROP v; ALTER TABLE t ADD v int; INSERT INTO t VALUES (2, 2)");
  follower.until_caught_up();
  EXPECT_EQ(follower.shape(setup_.tables[0]).columns[1].number, 3);
}

}  // namespace
}  // namespace lockstep::postgres_test
