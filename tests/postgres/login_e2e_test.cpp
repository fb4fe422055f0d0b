// What a user is told when the source cannot be reached, and that TLS works.

#include <algorithm>
#include <cstdlib>

#include "fixture.hpp"

namespace lockstep::postgres_test {
namespace {

using Login = PostgresSource;

INSTANTIATE_TEST_SUITE_P(Postgres, Login, ::testing::Values(15, 18), ::testing::PrintToStringParamName());

Error refused(const std::string& url) {
  auto source = must(postgres::open_postgres(url, {}));
  auto identity = source.setter->identify();
  return identity.ok() ? Error{ErrorKind::unexpected, "connected"} : identity.error();
}

TEST_P(Login, EveryFailureSaysWhatToDo) {
  sql_->run("ALTER ROLE postgres PASSWORD 'right'");
  EXPECT_EQ(refused(server().tcp_url("postgres:right", database_)).what, "connected");

  const Error password = refused(server().tcp_url("postgres:wrong-one", database_));
  EXPECT_EQ(password.kind, ErrorKind::refused);
  EXPECT_NE(password.remedy.find("password"), std::string::npos);
  EXPECT_EQ(to_text(password).find("wrong-one"), std::string::npos);

  const Error none = refused(server().tcp_url("postgres", database_));
  EXPECT_EQ(none.kind, ErrorKind::refused) << to_text(none);

  const Error user = refused(server().tcp_url("nobody:x", database_));
  EXPECT_EQ(user.kind, ErrorKind::refused) << to_text(user);

  const Error database = refused(server().tcp_url("postgres:right", "missing"));
  EXPECT_EQ(database.kind, ErrorKind::bad_input) << to_text(database);
  EXPECT_NE(database.remedy.find("database"), std::string::npos);

  const Error host = refused("postgresql://postgres:right@no-such-host.invalid/x");
  EXPECT_EQ(host.kind, ErrorKind::unreachable) << to_text(host);
  EXPECT_NE(host.remedy.find("host"), std::string::npos) << to_text(host);

  const Error port = refused("postgresql://postgres:right@127.0.0.1:1/x");
  EXPECT_EQ(port.kind, ErrorKind::unreachable) << to_text(port);

  const Error tls = refused(server().tcp_url("postgres:right", database_) + "?sslmode=require");
  EXPECT_EQ(tls.kind, ErrorKind::refused) << to_text(tls);
  EXPECT_NE(tls.remedy.find("ssl"), std::string::npos) << to_text(tls);
}

TEST(LoginSettings, AServerWithoutLogicalDecodingIsNamedWithTheSetting) {
  if (programs_of(15).empty()) GTEST_SKIP() << "PostgreSQL 15 is not installed";
  Server plain(programs_of(15), "wal_level = replica");
  auto source = must(postgres::open_postgres(plain.url("postgres"), {}));
  const auto obstacles = must(source.setter->obstacles(postgres::plan_setup("m", "postgres")));
  ASSERT_EQ(obstacles.size(), 1u);
  EXPECT_EQ(obstacles[0].kind, ErrorKind::refused);
  EXPECT_NE(obstacles[0].remedy.find("wal_level = 'logical'"), std::string::npos);
}

// The wheel of 18 is built without TLS, so this is for 15 alone.
class Tls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (programs_of(15).empty()) GTEST_SKIP() << "PostgreSQL 15 is not installed";
    server_ = std::make_unique<Server>(programs_of(15), "");
    const std::string data = server_->folder() / "data";
    const std::string make =
        "openssl req -new -x509 -days 3 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost -out " + data +
        "/server.crt -keyout " + data + "/server.key 2>/dev/null && chmod 600 " + data + "/server.key";
    ASSERT_EQ(std::system(make.c_str()), 0);
    const std::string give = "chown --reference=" + data + " " + data + "/server.crt " + data + "/server.key";
    ASSERT_EQ(std::system(give.c_str()), 0);
    Session sql(server_->url("postgres"));
    sql.run("ALTER ROLE postgres PASSWORD 'right'");
    sql.run("ALTER SYSTEM SET ssl = on");
    server_->stop();
    server_->start();
    certificate_ = data + "/server.crt";
  }
  std::string url(const std::string& host, const std::string& parameters) const {
    return "postgresql://postgres:right@" + host + ":" + std::to_string(server_->port()) + "/postgres?" + parameters;
  }

  std::unique_ptr<Server> server_;
  std::string certificate_;
};

TEST_F(Tls, UpToFullVerificationAndNoFurther) {
  EXPECT_EQ(refused(url("localhost", "sslmode=require")).what, "connected");
  EXPECT_EQ(refused(url("localhost", "sslmode=verify-full&sslrootcert=" + certificate_)).what, "connected");
  EXPECT_EQ(refused(url("127.0.0.1", "sslmode=verify-ca&sslrootcert=" + certificate_)).what, "connected");
  const Error name = refused(url("127.0.0.1", "sslmode=verify-full&sslrootcert=" + certificate_));
  EXPECT_EQ(name.kind, ErrorKind::refused) << to_text(name);
  const Error unknown = refused(url("localhost", "sslmode=verify-full&sslrootcert=/nowhere"));
  EXPECT_EQ(unknown.kind, ErrorKind::refused) << to_text(unknown);
}

TEST_F(Tls, CopyAndStreamWorkThroughIt) {
  Session sql(server_->url("postgres"));
  sql.run(
      "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t SELECT g, repeat('x', 50) FROM generate_series(1, 20000) g");
  auto source = must(postgres::open_postgres(url("localhost", "sslmode=require"), {}));
  auto setup = postgres::plan_setup("tls", "postgres");
  setup.tables = {must(source.setter->tables())[0].shape.table};
  must(source.setter->publish(setup));
  const auto slot = must(source.setter->create_slot(setup, [](const std::string&) { return true; }));
  EXPECT_TRUE(slot.snapshot->alive());
  const auto plans = must(source.snapshots->plan(*slot.snapshot, setup.tables));
  auto expected = sql.lines("SELECT * FROM t");
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(copy_all(source, *slot.snapshot, plans[0], 2), expected);
  must(source.changes->start(setup, slot.start));
  sql.run("UPDATE t SET v = 'y' WHERE id <= 5000");
  Follower follower(source);
  const auto lines = follower.until_caught_up();
  EXPECT_EQ(
      std::count_if(lines.begin(), lines.end(), [](const std::string& line) { return line.starts_with("update"); }),
      5000);
  must(source.changes->acknowledge(follower.last_commit()));
  source.changes->close();
  must(source.setter->remove(setup));
}

}  // namespace
}  // namespace lockstep::postgres_test
