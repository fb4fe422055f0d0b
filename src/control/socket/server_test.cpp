#include "control/socket/server.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <thread>

#include "control/socket/client.hpp"
#include "runtime/status_board.hpp"
#include "support/scratch_folder.hpp"

namespace lockstep::control {
namespace {

using namespace std::chrono_literals;

/// A mirror that does what it is told at once.
class FakeMirror final : public runtime::Controls {
 public:
  runtime::MirrorStatus status() const override { return board.read(); }
  Status pause() override {
    board.update([](runtime::MirrorStatus& status) { status.state = runtime::MirrorState::paused; });
    return Done{};
  }
  Status resume() override { return Error{ErrorKind::no_space, "the catalog's disk is full"}; }
  void request_stop() override { stopped = true; }
  Result<Position> end_of_log() override { return Position{PgPosition{Lsn{100}}}; }
  Result<destination::Answer> query(const std::string& sql) override {
    return destination::Answer{{"sql"}, {"VARCHAR"}, {{sql}}};
  }
  void on_change(std::function<void()> listener) override { board.on_change(std::move(listener)); }

  void show(std::uint64_t state, std::uint64_t lsn) {
    board.update([&](runtime::MirrorStatus& status) {
      status.published = true;
      status.applied = destination::Shown{StateId{state}, PgPosition{Lsn{lsn}}, {}};
    });
  }

  runtime::StatusBoard board;
  std::atomic<bool> stopped{false};
};

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_);
    auto listening = Server::listen(folder_, loop_, workers_, mirror_, system_clock());
    ASSERT_TRUE(listening.ok()) << to_text(listening.error());
    server_ = std::move(listening).value();
    mirror_.on_change([this] {
      loop_.post([this] {
        if (server_) server_->status_changed();
      });
    });
    thread_ = std::jthread([this] { loop_.run(); });
  }
  void TearDown() override {
    loop_.post([this] {
      server_.reset();
      loop_.end();
    });
    thread_.join();
  }
  std::string ask(const Request& request, std::optional<std::chrono::milliseconds> wait_max = std::nullopt) {
    auto client = Client::connect(folder_);
    EXPECT_TRUE(client.ok());
    auto line = client.value().ask(encode(request), wait_max, system_clock());
    EXPECT_TRUE(line.ok()) << to_text(line.error());
    return line.ok() ? line.value() : "";
  }

  test::ScratchFolder top_;
  const std::string folder_ = top_.file(std::string(120, 'd'));  // longer than a socket's address may be
  FakeMirror mirror_;
  runtime::EventLoop loop_{system_clock()};
  runtime::Workers workers_{2};
  std::unique_ptr<Server> server_;
  std::jthread thread_;
};

TEST_F(ServerTest, AnswersStatusAndDoesWhatItIsTold) {
  EXPECT_TRUE(parse_done(ask(PlainRequest{Verb::pause})).ok());
  const auto status = parse_status(ask(PlainRequest{Verb::status}));
  ASSERT_TRUE(status.ok());
  EXPECT_NE(status.value().find("\"paused\""), std::string::npos);
  EXPECT_EQ(parse_done(ask(PlainRequest{Verb::resume})).error().kind, ErrorKind::no_space);
}

TEST_F(ServerTest, CarriesALongQueryThereAndBack) {
  const std::string sql(3'000'000, 'x');
  const auto answer = parse_query(ask(QueryRequest{sql}));
  ASSERT_TRUE(answer.ok());
  EXPECT_EQ(answer.value().rows.front().front(), sql);
}

TEST_F(ServerTest, AWaitEndsWhenItsStateIsShown) {
  std::jthread later([&] { mirror_.show(5, 50); });
  EXPECT_TRUE(parse_done(ask(WaitRequest{WaitState{StateId{5}}})).ok());
}

TEST_F(ServerTest, AWaitForEverythingAsksWhereTheSourceEnds) {
  mirror_.show(5, 99);
  auto client = Client::connect(folder_);
  ASSERT_TRUE(client.ok());
  const auto early = client.value().ask(encode(WaitRequest{WaitCaughtUp{}}), 50ms, system_clock());
  ASSERT_FALSE(early.ok());
  EXPECT_EQ(early.error().kind, ErrorKind::cancelled);
  std::jthread later([&] { mirror_.show(6, 100); });
  EXPECT_TRUE(parse_done(ask(WaitRequest{WaitCaughtUp{}})).ok());
}

TEST_F(ServerTest, NonsenseGetsAnErrorAndTheNextClientIsServed) {
  auto client = Client::connect(folder_);
  ASSERT_TRUE(client.ok());
  const auto line = client.value().ask("hello", std::nullopt, system_clock());
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(parse_done(line.value()).error().kind, ErrorKind::bad_input);
  EXPECT_TRUE(parse_status(ask(PlainRequest{Verb::status})).ok());
}

TEST_F(ServerTest, WhoAskedToStopSeesTheEnd) {
  auto client = Client::connect(folder_);
  ASSERT_TRUE(client.ok());
  ASSERT_TRUE(client.value().ask(encode(PlainRequest{Verb::stop}), std::nullopt, system_clock()).ok());
  EXPECT_TRUE(mirror_.stopped);
  EXPECT_FALSE(client.value().wait_for_end(20ms, system_clock()));
  loop_.post([this] { server_.reset(); });
  EXPECT_TRUE(client.value().wait_for_end(10s, system_clock()));
}

TEST_F(ServerTest, TheSocketIsForItsOwnerOnlyAndGoesWithTheServer) {
  struct stat about {};
  ASSERT_EQ(::stat((folder_ + "/control.sock").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777u, 0700u);
}

TEST(Client, NobodyListening) { EXPECT_EQ(Client::connect("/nowhere").error().kind, ErrorKind::unreachable); }

}  // namespace
}  // namespace lockstep::control
