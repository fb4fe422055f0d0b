#include "destination/duckdb/duckdb_destination.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include "base/failpoint.hpp"
#include "destination/duckdb/connection.hpp"
#include "destination/duckdb/harness_test.hpp"

namespace lockstep::destination {
namespace {

using conformance::BatchBuilder;
using conformance::FailsWith;
using conformance::IsOk;
using conformance::TextRow;
using testing::ElementsAre;
using testing::HasSubstr;

const MirrorIdentity identity{"shop", "system=1 database=shop"};

std::string bytes_of_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

/// Runs SQL on a file as some other program would.
void run_elsewhere(const std::string& path, const std::string& sql) {
  auto database = duck::Database::open(path, {});
  ASSERT_THAT(database, IsOk());
  auto connection = duck::Connection::connect(database.value());
  ASSERT_THAT(connection, IsOk());
  ASSERT_THAT(connection.value()->run(sql), IsOk());
}

TableShape counted(std::uint64_t id, const std::string& name) {
  return conformance::make_shape(id, {"public", name}, {{"id", conformance::int64_type}, {"v", conformance::text_type}},
                                 {0});
}

CopyLedger ledger_of(const TableShape& shape) { return conformance::DestinationPromises::ledger_of(shape); }

Status copy_rows_of(Destination& destination, const TableShape& shape, std::vector<TextRow> rows) {
  TRY_DO(destination.create_hidden(ledger_of(shape)));
  std::vector<std::unique_ptr<RowStream>> streams;
  streams.push_back(std::make_unique<conformance::TextStream>(shape, std::move(rows)));
  TRY_DO(destination.copy_into(shape.table, "group 1", std::vector<std::uint32_t>{0}, streams));
  return Done{};
}

Shown shown_at(std::uint64_t state) { return {StateId{state}, PgPosition{Lsn{state}}, UnixMicros{0}}; }

/// Publishes empty tables `a` and `b` as state 1.
Status publish_pair(Destination& destination) {
  TRY_DO(copy_rows_of(destination, counted(1, "a"), {}));
  TRY_DO(copy_rows_of(destination, counted(2, "b"), {}));
  TRY(step, destination.begin(std::nullopt));
  TRY_DO(step->publish(TableId{1}));
  TRY_DO(step->publish(TableId{2}));
  return step->commit(shown_at(1));
}

/// Moves from `state` to the next one: both tables get a row of that number.
Status add_to_pair(Destination& destination, std::uint64_t state) {
  TRY(step, destination.begin(shown_at(state)));
  for (const TableShape& shape : {counted(1, "a"), counted(2, "b")}) {
    BatchBuilder changes(shape);
    TRY_DO(step->write(changes.insert({std::to_string(state + 1), std::string(300, 'x')}).batch()));
  }
  return step->commit(shown_at(state + 1));
}

std::string one_cell(ServesQueries& from, const std::string& sql) {
  const Result<Answer> answer = from.query(sql);
  if (!answer.ok()) return to_text(answer.error());
  return answer.value().rows.at(0).at(0).value_or("NULL");
}

class DuckDbFile : public testing::Test {
 protected:
  std::string path() const { return folder_.file("copy.duckdb"); }
  test::ScratchFolder folder_;
};

// ---- Opening -------------------------------------------------------------------------------------------------------

TEST_F(DuckDbFile, AFileThatAnotherProcessHoldsIsBusyAndTheProcessIsNamed) {
  int ready[2];
  int quit[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(quit), 0);
  const pid_t holder = ::fork();
  if (holder == 0) {
    DuckDbDestination held(path());
    const char opened = held.open(identity).ok() ? 'y' : 'n';
    static_cast<void>(::write(ready[1], &opened, 1));
    char ignored = 0;
    static_cast<void>(::read(quit[0], &ignored, 1));
    ::_exit(0);
  }
  char opened = 0;
  ASSERT_EQ(::read(ready[0], &opened, 1), 1);
  ASSERT_EQ(opened, 'y');
  DuckDbDestination ours(path());
  const Status refused = ours.open(identity);
  EXPECT_THAT(refused, FailsWith(ErrorKind::busy));
  EXPECT_THAT(refused.error().what, HasSubstr("PID " + std::to_string(holder)));
  const auto reading = open_read_only(path());
  EXPECT_THAT(reading, FailsWith(ErrorKind::busy));
  ASSERT_EQ(::write(quit[1], "q", 1), 1);
  ASSERT_EQ(::waitpid(holder, nullptr, 0), holder);
  EXPECT_THAT(ours.open(identity), IsOk());
}

TEST_F(DuckDbFile, AFileThatIsNoDatabaseIsLeftAsItIs) {
  for (const std::string& content : {std::string("just a text of mine"), std::string(20'000, 'x'), std::string()}) {
    write_file(path(), content);
    DuckDbDestination ours(path());
    EXPECT_THAT(ours.open(identity), FailsWith(ErrorKind::bad_data));
    EXPECT_EQ(bytes_of_file(path()), content);
  }
}

TEST_F(DuckDbFile, ADamagedFileIsLeftAsItIs) {
  run_elsewhere(path(), "CREATE TABLE mine AS FROM range(10)");
  std::string content = bytes_of_file(path());
  content[100] = static_cast<char>(content[100] + 1);
  write_file(path(), content);
  DuckDbDestination ours(path());
  EXPECT_THAT(ours.open(identity), FailsWith(ErrorKind::bad_data));
  EXPECT_EQ(bytes_of_file(path()), content);
}

std::uint64_t number_at(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}
void put_number(std::string& bytes, std::size_t at, std::uint64_t value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

// DuckDB's checksum of a header block, over all but its first 8 bytes (src/storage/checksum.cpp of 2.0.0).
std::uint64_t header_sum(const std::string& bytes, std::size_t block) {
  std::uint64_t sum = 5381;
  for (std::size_t i = 8; i < 4096; i += 8) sum ^= number_at(bytes, block + i) * 0xbf58476d1ce4e5b9;
  return sum;
}

TEST_F(DuckDbFile, AFileOfANewerDuckDbIsLeftAsItIs) {
  run_elsewhere(path(), "CREATE TABLE mine AS FROM range(10)");
  std::string content = bytes_of_file(path());
  for (const std::size_t block : {std::size_t{4096}, std::size_t{8192}}) {
    ASSERT_EQ(number_at(content, block), header_sum(content, block));
    put_number(content, block + 56, 200);  // the storage version; 2.0.0 writes 69
    put_number(content, block, header_sum(content, block));
  }
  write_file(path(), content);
  DuckDbDestination ours(path());
  EXPECT_THAT(ours.open(identity), FailsWith(ErrorKind::unsupported));
  EXPECT_EQ(bytes_of_file(path()), content);
}

TEST_F(DuckDbFile, AFileOfANewerLockstepIsLeftAsItIs) {
  {
    DuckDbDestination ours(path());
    ASSERT_THAT(ours.open(identity), IsOk());
  }
  run_elsewhere(path(), "UPDATE lockstep_internal.about SET format = 99");
  const std::string content = bytes_of_file(path());
  DuckDbDestination ours(path());
  EXPECT_THAT(ours.open(identity), FailsWith(ErrorKind::unsupported));
  EXPECT_EQ(bytes_of_file(path()), content);
}

TEST_F(DuckDbFile, AnotherMirrorsFileIsLeftAsItIs) {
  {
    DuckDbDestination theirs(path());
    ASSERT_THAT(theirs.open({"theirs", "system=7"}), IsOk());
    ASSERT_THAT(publish_pair(theirs), IsOk());
  }
  const std::string content = bytes_of_file(path());
  DuckDbDestination ours(path());
  const Status refused = ours.open(identity);
  EXPECT_THAT(refused, FailsWith(ErrorKind::refused));
  EXPECT_THAT(refused.error().what, HasSubstr("theirs"));
  EXPECT_EQ(bytes_of_file(path()), content);
  EXPECT_FALSE(std::filesystem::exists(path() + ".wal"));
}

TEST_F(DuckDbFile, BeforeTheFirstCommitReadersSeeNoCommitTimeInsteadOf1970) {
  DuckDbDestination ours(path());
  ASSERT_THAT(ours.open(identity), IsOk());
  ASSERT_THAT(copy_rows_of(ours, counted(1, "a"), {}), IsOk());
  auto step = ours.begin(std::nullopt);
  ASSERT_THAT(step, IsOk());
  ASSERT_THAT(step.value()->publish(TableId{1}), IsOk());
  ASSERT_THAT(step.value()->commit({StateId{0}, PgPosition{Lsn{1}}, UnixMicros{}}), IsOk());
  EXPECT_EQ(one_cell(ours, "SELECT source_commit_time FROM lockstep.mirrors"), "NULL");
}

TEST_F(DuckDbFile, APlaceThatIsNoPlaceIsRefusedWithARemedy) {
  DuckDbDestination nowhere(folder_.file("no/such/folder/copy.duckdb"));
  const Status refused = nowhere.open(identity);
  EXPECT_THAT(refused, FailsWith(ErrorKind::refused));
  EXPECT_NE(refused.error().remedy, "");
  std::filesystem::create_directory(path());
  DuckDbDestination folder(path());
  EXPECT_THAT(folder.open(identity), FailsWith(ErrorKind::refused));
  EXPECT_THAT(open_read_only(folder_.file("missing.duckdb")), FailsWith(ErrorKind::refused));
}

// ---- Beside the user's own tables ----------------------------------------------------------------------------------

TEST_F(DuckDbFile, TheUsersOwnTablesAreRespected) {
  run_elsewhere(path(),
                "CREATE SCHEMA public; CREATE TABLE public.a AS FROM range(3); CREATE VIEW public.v AS SELECT 1; "
                "CREATE TABLE mine AS FROM range(5)");
  DuckDbDestination ours(path());
  ASSERT_THAT(ours.open(identity), IsOk());
  const Status refused = ours.create_hidden(ledger_of(counted(1, "A")));
  EXPECT_THAT(refused, FailsWith(ErrorKind::refused));
  EXPECT_EQ(refused.error().table, "public.A");
  EXPECT_THAT(ours.create_hidden(ledger_of(counted(1, "v"))), FailsWith(ErrorKind::refused));
  EXPECT_THAT(ours.create_hidden(ledger_of(counted(1, "free"))), IsOk());
  ASSERT_THAT(ours.forget(), IsOk());
  EXPECT_EQ(one_cell(ours, "SELECT count(*) FROM public.a"), "3");
  EXPECT_EQ(one_cell(ours, "SELECT count(*) FROM mine"), "5");
  EXPECT_EQ(one_cell(ours, "SELECT count(*) FROM duckdb_schemas() WHERE schema_name LIKE 'lockstep%'"), "0");
}

TEST_F(DuckDbFile, ANameThatIsTakenSaysWhatItIsCalledInstead) {
  DuckDbDestination ours(path());
  ASSERT_THAT(ours.open(identity), IsOk());
  ASSERT_THAT(copy_rows_of(ours, counted(1, "t"), {}), IsOk());
  ASSERT_THAT(copy_rows_of(ours, counted(2, "T"), {}), IsOk());
  auto step = ours.begin(std::nullopt);
  ASSERT_THAT(step, IsOk());
  ASSERT_THAT(step.value()->publish(TableId{1}), IsOk());
  ASSERT_THAT(step.value()->publish(TableId{2}), IsOk());
  ASSERT_THAT(step.value()->commit(shown_at(1)), IsOk());
  EXPECT_EQ(one_cell(ours, "SELECT destination_table FROM lockstep.tables WHERE source_table = 'public.T'"),
            "public.T_2");
  EXPECT_EQ(one_cell(ours, "SELECT change FROM lockstep.schema_changes WHERE source_table = 'public.T'"),
            "is called public.T_2 here, as its own name is taken");
}

// The user dropped the mirror and makes it again: what the first one left gives way, and only that.
TEST_F(DuckDbFile, ANewCopyTakesThePlaceOfTheOneThatWasLeftBehind) {
  {
    DuckDbDestination first(path());
    ASSERT_THAT(first.open(identity), IsOk());
    ASSERT_THAT(publish_pair(first), IsOk());
    ASSERT_THAT(first.forget(), IsOk());
    EXPECT_EQ(one_cell(first, "SELECT count(*) >= 0 FROM public.a"), "true");
  }
  DuckDbDestination second(path());
  ASSERT_THAT(second.open(identity), IsOk());
  ASSERT_THAT(publish_pair(second), IsOk());
  EXPECT_EQ(one_cell(second, "SELECT count(*) FROM duckdb_tables() WHERE schema_name = 'public'"), "2");
  EXPECT_EQ(one_cell(second, "SELECT count(*) FROM duckdb_tables() WHERE comment IS NOT NULL"), "0");
  ASSERT_THAT(second.forget(), IsOk());
  second.close();
  DuckDbDestination another(path());
  ASSERT_THAT(another.open({"another", identity.source}), IsOk());
  EXPECT_THAT(another.create_hidden(ledger_of(counted(1, "a"))), FailsWith(ErrorKind::refused));
}

// ---- Queries -------------------------------------------------------------------------------------------------------

class Queries : public DuckDbFile {
 protected:
  void SetUp() override {
    ASSERT_THAT(ours_.open(identity), IsOk());
    ASSERT_THAT(publish_pair(ours_), IsOk());
    ASSERT_THAT(add_to_pair(ours_, 1), IsOk());
  }
  DuckDbDestination ours_{path()};
};

TEST_F(Queries, AnswersAreTextsAsDuckDbPrintsThem) {
  const auto answer = ours_.query(
      "SELECT 1.50::DECIMAL(5,2) AS d, [1, NULL] AS l, {'a': 1, 'b': 'x'} AS s, NULL AS n, 'it''s' AS t, 'a'::BLOB AS b, "
      "DATE '2024-02-29' AS day, MAP {'k': 2} AS m, 1 AS d -- a comment");
  ASSERT_THAT(answer, IsOk());
  EXPECT_THAT(answer.value().columns, ElementsAre("d", "l", "s", "n", "t", "b", "day", "m", "d"));
  EXPECT_EQ(answer.value().types[0], "DECIMAL(5,2)");
  EXPECT_EQ(answer.value().types[1], "INTEGER[]");
  ASSERT_EQ(answer.value().rows.size(), 1u);
  EXPECT_THAT(answer.value().rows[0], ElementsAre("1.50", "[1, NULL]", "{'a': 1, 'b': x}", std::nullopt, "it's", "a",
                                                  "2024-02-29", "{k=2}", "1"));
}

TEST_F(Queries, ManyRowsKeepTheirOrder) {
  const auto answer = ours_.query("SELECT i FROM range(10000) t(i) ORDER BY i DESC;");
  ASSERT_THAT(answer, IsOk());
  ASSERT_EQ(answer.value().rows.size(), 10'000u);
  for (std::size_t i = 0; i < 10'000; ++i) ASSERT_EQ(answer.value().rows[i][0], std::to_string(9'999 - i));
  EXPECT_TRUE(ours_.query("SELECT 1 WHERE false").value().rows.empty());
}

TEST_F(Queries, WhatOnlyReadsIsAnswered) {
  for (const char* sql :
       {"FROM public.a", "WITH x AS (SELECT 1) SELECT * FROM x", "VALUES (1), (2)", "DESCRIBE public.a",
        "SHOW ALL TABLES", "SUMMARIZE public.a", "EXPLAIN SELECT * FROM public.a", "/* why */ EXPLAIN ANALYZE SELECT 1",
        "SELECT * FROM lockstep.mirrors", "SELECT now()"}) {
    EXPECT_THAT(ours_.query(sql), IsOk()) << sql;
  }
}

TEST_F(Queries, WhatDoesMoreThanReadIsRefused) {
  for (const char* sql : {"INSERT INTO public.a VALUES (9, 'x')",
                          "UPDATE public.a SET v = ''",
                          "DELETE FROM public.a",
                          "TRUNCATE public.a",
                          "CREATE TABLE x (i INT)",
                          "CREATE TEMP TABLE x (i INT)",
                          "CREATE MACRO f() AS 1",
                          "DROP TABLE public.a",
                          "ALTER TABLE public.a RENAME TO c",
                          "COPY public.a TO '/tmp/lockstep-out.csv'",
                          "COPY public.a FROM '/etc/passwd'",
                          "ATTACH '/tmp/lockstep-other.duckdb'",
                          "ATTACH ':memory:' AS m",
                          "DETACH copy",
                          "USE lockstep",
                          "SELECT * FROM read_csv('/etc/passwd')",
                          "SELECT * FROM read_text('/etc/passwd')",
                          "SELECT * FROM glob('/etc/*')",
                          "INSTALL httpfs",
                          "LOAD httpfs",
                          "SET threads = 1",
                          "RESET threads",
                          "SET enable_external_access = true",
                          "PRAGMA disable_checkpoint_on_shutdown",
                          "CHECKPOINT",
                          "VACUUM",
                          "CALL pragma_version()",
                          "EXPORT DATABASE '/tmp/lockstep-export'",
                          "BEGIN",
                          "COMMIT",
                          "PREPARE p AS SELECT 1",
                          "SELECT 1; SELECT 2",
                          "SELECT 1; DROP TABLE public.a",
                          "EXPLAIN ANALYZE DELETE FROM public.a",
                          "EXPLAIN ANALYZE CREATE TEMP TABLE x (i INT)",
                          "MERGE INTO public.a USING public.b ON a.id = b.id WHEN MATCHED THEN DELETE"}) {
    EXPECT_THAT(ours_.query(sql), FailsWith(ErrorKind::refused)) << sql;
  }
  EXPECT_EQ(one_cell(ours_, "SELECT count(*) FROM public.a"), "1");
  EXPECT_FALSE(std::filesystem::exists("/tmp/lockstep-out.csv"));
}

TEST_F(Queries, AWrongStatementIsTheUsersToCorrect) {
  for (const char* sql : {"SELEC 1", "SELECT * FROM nowhere", "SELECT nothing FROM public.a", "", "-- nothing",
                          "SELECT $1", "SELECT 'x'::INT", "FROM '/etc/passwd'", "SELECT * FROM lockstep_feed_3(1)",
                          "SELECT * FROM lockstep_texts_5()"}) {
    const auto answer = ours_.query(sql);
    EXPECT_THAT(answer, FailsWith(ErrorKind::bad_input)) << sql;
  }
  EXPECT_THAT(ours_.query("SELECT * FROM nowhere").error().what, HasSubstr("nowhere"));
  EXPECT_EQ(one_cell(ours_, "SELECT 42"), "42");
}

TEST_F(Queries, ReadersSeeBothTablesMoveTogether) {
  std::atomic<bool> done{false};
  std::atomic<int> torn{0};
  std::atomic<int> answered{0};
  std::vector<std::jthread> readers;
  for (int i = 0; i < 2; ++i) {
    readers.emplace_back([&] {
      while (!done) {
        const auto answer = ours_.query(
            "SELECT (SELECT count(*) FROM public.a), (SELECT count(*) FROM public.b), "
            "(SELECT state_id - 1 FROM lockstep.mirrors)");
        if (!answer.ok() || answer.value().rows[0][0] != answer.value().rows[0][1] ||
            answer.value().rows[0][0] != answer.value().rows[0][2])
          ++torn;
        ++answered;
      }
    });
  }
  for (std::uint64_t state = 2; state < 40; ++state) ASSERT_THAT(add_to_pair(ours_, state), IsOk());
  done = true;
  readers.clear();
  EXPECT_EQ(torn, 0);
  EXPECT_GT(answered, 2);
}

TEST_F(Queries, ClosingCancelsAQueryThatWouldRunForever) {
  std::atomic<bool> started{false};
  Result<Answer> answer = Error{};
  std::jthread reader([&] {
    started = true;
    answer = ours_.query("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b");
  });
  while (!started) std::this_thread::yield();
  ours_.close();
  reader.join();
  EXPECT_FALSE(answer.ok());
  EXPECT_THAT(ours_.query("SELECT 1"), FailsWith(ErrorKind::unreachable));
}

TEST_F(Queries, ACancelledQueryEndsAndTheNextOneIsAnswered) {
  std::atomic<bool> started{false};
  std::atomic<bool> ended{false};
  Result<Answer> answer = Error{};
  std::jthread reader([&] {
    started = true;
    answer = ours_.query("SELECT sum(a.range * b.range) FROM range(10000000) a, range(10000000) b");
    ended = true;
  });
  while (!started) std::this_thread::yield();
  while (!ended) ours_.cancel_queries();
  reader.join();
  EXPECT_THAT(answer, FailsWith(ErrorKind::cancelled));
  EXPECT_EQ(one_cell(ours_, "SELECT 42"), "42");
}

TEST_F(Queries, AClosedFileIsAskedWithoutAProcess) {
  ours_.close();
  auto reading = open_read_only(path());
  ASSERT_THAT(reading, IsOk());
  EXPECT_EQ(one_cell(*reading.value(), "SELECT state_id FROM lockstep.mirrors"), "2");
  EXPECT_THAT(reading.value()->query("DROP TABLE public.a"), FailsWith(ErrorKind::refused));
  EXPECT_THAT(reading.value()->query("SELECT * FROM read_csv('/etc/passwd')"), FailsWith(ErrorKind::refused));
}

// Without room in memory a query spills beside the file, and nothing of that stays.
TEST_F(DuckDbFile, AQueryThatSpillsLeavesNothingBehind) {
  DuckDbOptions options;
  options.memory_bytes = 48ull << 20;
  DuckDbDestination ours(path(), options);
  ASSERT_THAT(ours.open(identity), IsOk());
  EXPECT_EQ(one_cell(ours, "SELECT count(*) FROM (SELECT DISTINCT i, repeat('x', 20) || i FROM range(1000000) t(i))"),
            "1000000");
  ours.close();
  EXPECT_FALSE(std::filesystem::exists(path() + ".tmp"));
}

// ---- Crashes -------------------------------------------------------------------------------------------------------

/// A process that moves the pair on until it is killed, telling each state that it has committed.
[[noreturn]] void move_on_and_on(const std::string& path, int tell, const std::string& failpoints) {
  DuckDbOptions options;
  options.checkpoint_bytes = 100'000;  // so that kills also fall into checkpoints
  DuckDbDestination ours(path, options);
  if (!ours.open(identity).ok()) ::_exit(3);
  const Result<Contents> found = ours.contents();
  if (!found.ok()) ::_exit(4);
  if (!set_failpoints(failpoints).ok()) ::_exit(5);
  for (std::uint64_t state = found.value().shown->state.value;; ++state) {
    if (!add_to_pair(ours, state).ok()) ::_exit(6);
    const std::uint64_t committed = state + 1;
    if (::write(tell, &committed, sizeof committed) != sizeof committed) ::_exit(7);
  }
}

/// Runs it until it has told `states` states (0: until a failpoint kills it), kills it, and gives the last state told.
std::uint64_t run_and_kill(const std::string& path, int states, const std::string& failpoints) {
  int told[2];
  CHECK(::pipe(told) == 0);
  const pid_t child = ::fork();
  if (child == 0) move_on_and_on(path, told[1], failpoints);
  ::close(told[1]);
  std::uint64_t last = 0;
  for (int i = 0; states == 0 || i < states; ++i) {
    if (::read(told[0], &last, sizeof last) != sizeof last) break;
  }
  ::kill(child, SIGKILL);
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it ended by itself with " << WEXITSTATUS(status);
  std::uint64_t one = 0;  // it may have told more before the signal reached it
  while (::read(told[0], &one, sizeof one) == sizeof one) last = one;
  ::close(told[0]);
  return last;
}

TEST_F(DuckDbFile, AKillAtAnyMomentLosesNothingThatWasCommittedAndTearsNothing) {
  {
    DuckDbDestination ours(path());
    ASSERT_THAT(ours.open(identity), IsOk());
    ASSERT_THAT(publish_pair(ours), IsOk());
  }
  const std::vector<std::string> failpoints{"apply.before_commit:3=kill", "apply.after_commit:3=kill",
                                            "apply.chunk_written:4=kill"};
  for (int round = 0; round < 8; ++round) {
    const bool at_failpoint = round < static_cast<int>(failpoints.size());
    const std::uint64_t told = run_and_kill(path(), at_failpoint ? 0 : 5 + 9 * round,
                                            at_failpoint ? failpoints[static_cast<std::size_t>(round)] : "");
    DuckDbDestination ours(path());
    ASSERT_THAT(ours.open(identity), IsOk()) << "round " << round;
    const Result<Contents> found = ours.contents();
    ASSERT_THAT(found, IsOk());
    const std::uint64_t state = found.value().shown->state.value;
    EXPECT_GE(state, told);
    EXPECT_LE(state, told + 1);
    for (const char* table : {"a", "b"}) {
      EXPECT_EQ(one_cell(ours, std::string("SELECT count(*) || ' ' || count(DISTINCT id) FROM public.") + table),
                std::to_string(state - 1) + " " + std::to_string(state - 1));
    }
  }
}

TEST_F(DuckDbFile, AStepWhoseAnswerIsLostHasTakenPlace) {
  DuckDbDestination ours(path());
  ASSERT_THAT(ours.open(identity), IsOk());
  ASSERT_THAT(publish_pair(ours), IsOk());
  ASSERT_THAT(set_failpoints("apply.after_commit=fail"), IsOk());
  EXPECT_FALSE(add_to_pair(ours, 1).ok());
  ASSERT_THAT(set_failpoints("apply.before_commit=fail"), IsOk());
  EXPECT_EQ(ours.contents().value().shown->state, StateId{2});
  EXPECT_FALSE(add_to_pair(ours, 2).ok());
  ASSERT_THAT(set_failpoints(""), IsOk());
  EXPECT_EQ(ours.contents().value().shown->state, StateId{2});
  EXPECT_THAT(add_to_pair(ours, 2), IsOk());
  EXPECT_EQ(one_cell(ours, "SELECT count(*) FROM public.a"), "2");
}

TEST_F(DuckDbFile, ARangeWhoseAnswerIsLostIsInTheLedger) {
  DuckDbDestination ours(path());
  ASSERT_THAT(ours.open(identity), IsOk());
  ASSERT_THAT(set_failpoints("copy.range_loading=fail"), IsOk());
  EXPECT_FALSE(copy_rows_of(ours, counted(1, "a"), {{"1", "x"}}).ok());
  EXPECT_TRUE(ours.contents().value().copies.at(0).done.empty());
  ASSERT_THAT(set_failpoints("copy.range_loaded=fail"), IsOk());
  EXPECT_FALSE(copy_rows_of(ours, counted(1, "a"), {{"1", "x"}}).ok());
  ASSERT_THAT(set_failpoints(""), IsOk());
  EXPECT_THAT(ours.contents().value().copies.at(0).done, ElementsAre(0u));
  EXPECT_EQ(ours.contents().value().copies.at(0).rows, 1u);
}

}  // namespace
}  // namespace lockstep::destination
