// Setting a mirror up at the source, and taking it away again.

#include <algorithm>
#include <future>

#include "fixture.hpp"

namespace lockstep::postgres_test {
namespace {

using Lines = std::vector<std::string>;
using Preparing = PostgresSource;

INSTANTIATE_TEST_SUITE_P(Postgres, Preparing, ::testing::Values(15, 18), ::testing::PrintToStringParamName());

// Everything at the source that a mirror could leave behind.
constexpr const char* traces =
    "SELECT 'slot', slot_name FROM pg_replication_slots WHERE database = current_database()"
    " UNION ALL SELECT 'publication', pubname FROM pg_publication"
    " UNION ALL SELECT 'identity', relname || ' ' || relreplident::text FROM pg_class WHERE relkind IN ('r', 'p')"
    "   AND relnamespace = 'public'::regnamespace AND relreplident <> 'd'"
    " UNION ALL SELECT 'trigger', evtname FROM pg_event_trigger"
    " UNION ALL SELECT 'schema', nspname FROM pg_namespace WHERE nspname LIKE 'lockstep%' ORDER BY 1, 2";

TEST_P(Preparing, LeavesNothingBehindWhenItIsRemoved) {
  sql_->run(
      "CREATE TABLE keyed (id int PRIMARY KEY); CREATE TABLE keyless (a int);"
      "CREATE TABLE own_full (a int); ALTER TABLE own_full REPLICA IDENTITY FULL");
  const Lines before = sql_->lines(traces);
  set_up();
  EXPECT_EQ(sql_->lines(traces), (Lines{"identity|keyless f", "identity|own_full f",
                                        "publication|" + setup_.publication, "slot|" + setup_.slot}));
  must(source_.setter->remove(setup_));
  EXPECT_EQ(sql_->lines(traces), before);
  must(source_.setter->remove(setup_));  // again changes nothing
}

TEST_P(Preparing, PublishingAgainChangesNothingAndFollowsTheSelection) {
  sql_->run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  set_up();
  const std::string members = "SELECT oid, prrelid::regclass FROM pg_publication_rel ORDER BY 2::text";
  const Lines first = sql_->lines(members);
  must(source_.setter->publish(setup_));
  EXPECT_EQ(sql_->lines(members), first);
  setup_.tables.pop_back();
  must(source_.setter->publish(setup_));
  EXPECT_EQ(sql_->lines("SELECT tablename FROM pg_publication_tables"), Lines{"a"});
}

TEST_P(Preparing, SomebodyElsesPublicationIsNeitherChangedNorDropped) {
  sql_->run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  open();
  for (const auto& table : must(source_.setter->tables())) setup_.tables.push_back(table.shape.table);
  sql_->run("CREATE PUBLICATION " + setup_.publication + " FOR TABLE a WITH (publish_via_partition_root)");
  const Status refused = source_.setter->publish(setup_);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().remedy,
            "run: ALTER PUBLICATION \"" + setup_.publication + "\" ADD TABLE ONLY \"public\".\"b\"");
  sql_->run("ALTER PUBLICATION " + setup_.publication + " ADD TABLE b");
  must(source_.setter->publish(setup_));
  must(source_.setter->remove(setup_));
  EXPECT_EQ(sql_->value("SELECT count(*) FROM pg_publication"), "1");
}

TEST_P(Preparing, IdentityIsTheSystemsAndTheDatabases) {
  open();
  const source::Identity identity = must(source_.setter->identify());
  EXPECT_EQ(identity.kind, "postgresql");
  EXPECT_EQ(identity.system, sql_->value("SELECT system_identifier FROM pg_control_system()"));
  EXPECT_EQ(identity.timeline, 1u);
  EXPECT_EQ(identity.database, database_);
  EXPECT_EQ(std::to_string(identity.database_id),
            sql_->value("SELECT oid FROM pg_database WHERE datname = current_database()"));
  EXPECT_TRUE(identity.version.starts_with(std::to_string(GetParam()) + ".")) << identity.version;
}

TEST_P(Preparing, TablesAreListedWithTheirKeysAndWithWhatIsLeftOutAndWhy) {
  sql_->run(R"(
    CREATE TABLE keyed (v text, id int, part int, PRIMARY KEY (part, id));
    CREATE TABLE chosen (a int NOT NULL, b int NOT NULL); CREATE UNIQUE INDEX chosen_b ON chosen (b);
    ALTER TABLE chosen REPLICA IDENTITY USING INDEX chosen_b;
    CREATE TABLE late (id int PRIMARY KEY DEFERRABLE);
    CREATE TABLE nothing (id int PRIMARY KEY); ALTER TABLE nothing REPLICA IDENTITY NOTHING;
    CREATE UNLOGGED TABLE unlogged (id int PRIMARY KEY);
    CREATE TABLE root (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
    CREATE TABLE leaf PARTITION OF root FOR VALUES FROM (0) TO (10);
    CREATE TABLE loose_root (id int) PARTITION BY RANGE (id);
    CREATE TABLE parent (id int PRIMARY KEY); CREATE TABLE child () INHERITS (parent);
    CREATE TABLE made (id int PRIMARY KEY, twice int GENERATED ALWAYS AS (id * 2) STORED);
    CREATE TABLE empty ();
    CREATE VIEW seen AS SELECT 1 AS one; CREATE TEMP TABLE gone (id int PRIMARY KEY);
    CREATE SCHEMA "Odd"; CREATE TABLE "Odd"."Ta.ble" ("I d" int PRIMARY KEY))");
  open();
  std::map<std::string, source::Table> tables;
  for (auto& table : must(source_.setter->tables())) tables[to_text(table.shape.name)] = table;
  Lines left_out;
  for (const auto& [name, table] : tables) {
    if (!table.left_out.empty()) left_out.push_back(name);
  }
  EXPECT_EQ(left_out, (Lines{"public.empty", "public.loose_root", "public.nothing", "public.unlogged"}));
  EXPECT_FALSE(tables.contains("public.leaf"));
  EXPECT_FALSE(tables.contains("public.seen"));
  EXPECT_FALSE(tables.contains("public.gone"));
  EXPECT_EQ(tables["public.keyed"].shape.key, (std::vector<std::uint16_t>{1, 2}));
  EXPECT_EQ(tables["public.chosen"].shape.key, (std::vector<std::uint16_t>{1}));
  EXPECT_TRUE(tables["public.late"].needs_full_identity);
  EXPECT_TRUE(tables["public.child"].needs_full_identity);
  EXPECT_FALSE(tables["public.parent"].needs_full_identity);
  EXPECT_EQ(tables["public.made"].shape.columns.size(), 1u);
  EXPECT_EQ(tables["public.root"].shape.key, (std::vector<std::uint16_t>{0}));
  EXPECT_TRUE(tables.contains("Odd.Ta.ble"));
}

TEST_P(Preparing, ASelectionPicksTablesAndAnUnknownPatternIsNamed) {
  sql_->run(
      "CREATE TABLE orders (id int PRIMARY KEY); CREATE TABLE orders_old (id int PRIMARY KEY); CREATE TABLE log (a int);"
      "CREATE VIEW seen AS SELECT 1 AS one");
  const auto names = [&](postgres::Selection selection) {
    Lines found;
    for (const auto& table : must(open({selection}).setter->tables())) {
      found.push_back(table.shape.name.table + (table.left_out.empty() ? "" : " -"));
    }
    return found;
  };
  EXPECT_EQ(names({{"orders*"}, {"public.*_old"}, {}}), Lines{"orders"});
  EXPECT_EQ(names({{"log", "seen"}, {}, postgres::Keyless::leave_out}), (Lines{"log -", "seen -"}));
  EXPECT_EQ(names({{"*"}, {"log"}, {}}), (Lines{"orders", "orders_old"}));
  const auto unknown = open({{{"orders", "custmers"}, {}, {}}}).setter->tables();
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().kind, ErrorKind::bad_input);
  EXPECT_NE(unknown.error().what.find("'custmers'"), std::string::npos);
}

TEST_P(Preparing, ABlockedSlotNamesTheBlockerAndGoesOnWhenItEnds) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  Session writer(url());
  writer.run("BEGIN; INSERT INTO t VALUES (1)");
  const std::string pid = writer.value("SELECT pg_backend_pid()");
  Session preparer(url());
  preparer.run("BEGIN; INSERT INTO t VALUES (2); PREPARE TRANSACTION 'forgotten'");
  open();
  setup_.tables = {must(source_.setter->tables())[0].shape.table};
  must(source_.setter->publish(setup_));
  Lines told;
  const source::CreatedSlot slot = must(source_.setter->create_slot(setup_, [&](const std::string& blockers) {
    told.push_back(blockers);
    if (told.size() == 2) writer.run("COMMIT");
    if (told.size() == 3) preparer.run("COMMIT PREPARED 'forgotten'");
    return true;
  }));
  ASSERT_GE(told.size(), 3u);
  EXPECT_NE(told[0].find("process " + pid + ", user postgres"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("idle in transaction"), std::string::npos) << told[0];
  EXPECT_NE(told[0].find("prepared transaction 'forgotten'"), std::string::npos) << told[0];
  EXPECT_EQ(told[2].find("process " + pid), std::string::npos) << told[2];
  const auto plans = must(source_.snapshots->plan(*slot.snapshot, setup_.tables));
  EXPECT_EQ(copy_all(source_, *slot.snapshot, plans[0], 1), (Lines{"1", "2"}));
}

TEST_P(Preparing, GivingUpTheWaitLeavesNoSlot) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  Session writer(url());
  writer.run("BEGIN; INSERT INTO t VALUES (1)");
  open();
  must(source_.setter->publish(setup_));
  const auto given_up = source_.setter->create_slot(setup_, [](const std::string&) { return false; });
  ASSERT_FALSE(given_up.ok());
  EXPECT_EQ(given_up.error().kind, ErrorKind::cancelled);
  EXPECT_FALSE(must(source_.setter->log_state(setup_)).exists);
}

TEST_P(Preparing, ALeftoverSlotIsReplacedButOneThatIsReadIsNot) {
  sql_->run("CREATE TABLE t (id int PRIMARY KEY)");
  const source::CreatedSlot first = set_up();
  sql_->run("INSERT INTO t VALUES (1)");
  const auto quiet = [](const std::string&) { return true; };
  const source::CreatedSlot second = must(source_.setter->create_slot(setup_, quiet));
  EXPECT_GT(second.start, first.start);
  must(source_.changes->start(setup_, second.start));
  const auto busy = source_.setter->create_slot(setup_, quiet);
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().kind, ErrorKind::busy);
  EXPECT_NE(busy.error().what.find("is active for PID"), std::string::npos);
  const source::LogState state = must(source_.setter->log_state(setup_));
  EXPECT_TRUE(state.exists && state.active && state.lost.empty());
  EXPECT_NE(state.active_by.find("lockstep"), std::string::npos) << state.active_by;
}

TEST_P(Preparing, AHeldTableIsAskedForAgainUntilItsIdentityCanBeSet) {
  sql_->run("CREATE TABLE t (a int)");
  open();
  setup_.tables = setup_.full_identities = {must(source_.setter->tables())[0].shape.table};
  Session holder(url());
  holder.run("BEGIN; INSERT INTO t VALUES (1)");
  auto published = std::async(std::launch::async, [&] { return source_.setter->publish(setup_); });
  // While lockstep tries, the application goes on: its wait is a single short try's.
  Session other(url());
  other.run("SET lock_timeout = '2s'; INSERT INTO t VALUES (2)");
  EXPECT_EQ(published.wait_for(std::chrono::milliseconds(500)), std::future_status::timeout);
  holder.run("COMMIT");
  must(published.get());
  EXPECT_EQ(sql_->value("SELECT relreplident FROM pg_class WHERE relname = 't'"), "f");
}

TEST_P(Preparing, ATableWhoseUpdatesPublishingWouldBreakIsLeftOut) {
  // From 18 on a full identity must not have columns that are not sent.
  sql_->run("CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED); INSERT INTO t VALUES (1)");
  open();
  const source::Table table = must(source_.setter->tables())[0];
  EXPECT_EQ(table.left_out.empty(), GetParam() < 18);
  sql_->run("ALTER TABLE t REPLICA IDENTITY FULL; CREATE PUBLICATION probe FOR TABLE t");
  EXPECT_EQ(sql_->connection().run("UPDATE t SET a = 2").ok(), GetParam() < 18);
  EXPECT_EQ(must(source_.setter->tables())[0].left_out.empty(), GetParam() < 18);
}

TEST_P(Preparing, EveryMissingRightIsNamedWithItsGrant) {
  sql_->run(
      "CREATE TABLE t (id int PRIMARY KEY); CREATE SCHEMA closed; CREATE TABLE closed.c (id int PRIMARY KEY);"
      "ALTER TABLE t ENABLE ROW LEVEL SECURITY");
  const std::string role = "plain_" + database_;
  sql_->run("CREATE ROLE " + role + " LOGIN PASSWORD 'pw'");
  open();
  for (const auto& table : must(source_.setter->tables())) setup_.tables.push_back(table.shape.table);
  auto plain = must(postgres::open_postgres(server().tcp_url(role + ":pw", database_), {}));
  EXPECT_TRUE(plain.setter->identify().ok());
  Lines remedies;
  for (const Error& error : must(plain.setter->obstacles(setup_))) remedies.push_back(error.remedy);
  const std::string quoted = "\"" + role + "\"";
  for (const std::string& remedy :
       {"run: ALTER ROLE " + quoted + " REPLICATION",
        "run: GRANT CREATE ON DATABASE \"" + database_ + "\" TO " + quoted,
        "run: GRANT USAGE ON SCHEMA \"closed\" TO " + quoted, "run: GRANT SELECT ON \"public\".\"t\" TO " + quoted,
        "run: ALTER ROLE " + quoted + " BYPASSRLS"}) {
    EXPECT_NE(std::find(remedies.begin(), remedies.end(), remedy), remedies.end()) << remedy;
  }
  EXPECT_TRUE(must(source_.setter->obstacles(setup_)).empty());

  // Having done what was said, a role without any special standing sets up, copies, follows and takes away.
  sql_->run("ALTER ROLE " + role + " REPLICATION BYPASSRLS; GRANT CREATE ON DATABASE " + database_ + " TO " + role +
            "; GRANT USAGE ON SCHEMA closed TO " + role + "; ALTER TABLE t OWNER TO " + role +
            "; ALTER TABLE closed.c OWNER TO " + role);
  EXPECT_TRUE(must(plain.setter->obstacles(setup_)).empty());
  must(plain.setter->publish(setup_));
  const auto slot = must(plain.setter->create_slot(setup_, [](const std::string&) { return true; }));
  must(plain.snapshots->plan(*slot.snapshot, setup_.tables));
  must(plain.changes->start(setup_, slot.start));
  must(plain.changes->heartbeat());
  plain.changes->close();
  must(plain.setter->remove(setup_));
}

}  // namespace
}  // namespace lockstep::postgres_test
