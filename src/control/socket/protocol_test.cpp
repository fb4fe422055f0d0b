#include "control/socket/protocol.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace lockstep::control {
namespace {

using nlohmann::json;

TEST(ControlProtocol, EveryRequestComesBackAsItWasSent) {
  const auto round_trip = [](const Request& request) {
    auto parsed = parse_request(encode(request));
    EXPECT_TRUE(parsed.ok());
    return std::move(parsed).value();
  };
  EXPECT_EQ(std::get<PlainRequest>(round_trip(PlainRequest{Verb::pause})).verb, Verb::pause);
  EXPECT_EQ(std::get<PlainRequest>(round_trip(PlainRequest{Verb::stop})).verb, Verb::stop);
  EXPECT_EQ(std::get<QueryRequest>(round_trip(QueryRequest{"select 'ä\n\"'"})).sql, "select 'ä\n\"'");
  const auto position = std::get<WaitRequest>(round_trip(WaitRequest{WaitPosition{PgPosition{Lsn{0x16b374d848}}}}));
  EXPECT_EQ(std::get<WaitPosition>(position.what).target, Position{PgPosition{Lsn{0x16b374d848}}});
  const auto state = std::get<WaitRequest>(round_trip(WaitRequest{WaitState{StateId{812}}}));
  EXPECT_EQ(std::get<WaitState>(state.what).target, StateId{812});
  EXPECT_TRUE(
      std::holds_alternative<WaitCaughtUp>(std::get<WaitRequest>(round_trip(WaitRequest{WaitCaughtUp{}})).what));
}

TEST(ControlProtocol, NonsenseIsBadInput) {
  for (const char* line :
       {"", "x", "[]", "{}", R"({"verb":"dance"})", R"({"verb":"wait"})", R"({"verb":7})",
        R"({"verb":"wait","for":"position","position":"here"})", R"({"verb":"wait","for":"state_id","state_id":-1})"}) {
    const auto parsed = parse_request(line);
    ASSERT_FALSE(parsed.ok()) << line;
    EXPECT_EQ(parsed.error().kind, ErrorKind::bad_input) << line;
  }
}

TEST(ControlProtocol, AnErrorComesBackWithItsKindAndRemedy) {
  const Status parsed =
      parse_done(error_line({ErrorKind::busy, "the file is locked", "wait", "public.t", "c", "55006"}));
  ASSERT_FALSE(parsed.ok());
  EXPECT_EQ(parsed.error().kind, ErrorKind::busy);
  EXPECT_EQ(to_text(parsed.error()), "the file is locked (table public.t, column c) [55006]: wait");
  EXPECT_TRUE(parse_done(done_line()).ok());
  EXPECT_EQ(parse_done("rubbish").error().kind, ErrorKind::bad_data);
}

TEST(ControlProtocol, AQuerysAnswerKeepsNullsApartFromEmptyTexts) {
  const destination::Answer answer{{"a", "b"}, {"VARCHAR", "BIGINT"}, {{"", std::nullopt}, {"x\ny", "7"}}};
  const auto parsed = parse_query(query_line(answer));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed.value().columns, answer.columns);
  EXPECT_EQ(parsed.value().types, answer.types);
  EXPECT_EQ(parsed.value().rows, answer.rows);
}

runtime::MirrorStatus full_status() {
  runtime::MirrorStatus status;
  status.mirror = "shop";
  status.state = runtime::MirrorState::streaming;
  status.source_kind = "postgresql";
  status.source_end = PgPosition{Lsn{0x2000}};
  status.received = PgPosition{Lsn{0x1800}};
  status.journal_bytes = 4096;
  status.journal_state = StateId{9};
  status.applied = destination::Shown{StateId{7}, PgPosition{Lsn{0x1000}}, UnixMicros{1'000'000}};
  status.oldest_unapplied = UnixMicros{3'000'000};
  status.published = true;
  runtime::TableStatus table;
  table.name = {"public", "orders"};
  table.state = destination::TableState::live;
  table.rows_copied = 10;
  table.rows_estimated = 12;
  table.changes = {1, 2, 3};
  status.tables.push_back(table);
  return status;
}

TEST(StatusJson, HasExactlyThePromisedFields) {
  const json status = json::parse(status_json(full_status(), UnixMicros{5'000'000}, true));
  EXPECT_EQ(status, json::parse(R"({
    "mirror": "shop", "state": "streaming",
    "source": {"kind": "postgresql", "position": "0/2000", "lag_bytes": 4096},
    "received": {"position": "0/1800"},
    "journal": {"bytes": 4096, "state_id": 9},
    "applied": {"position": "0/1000", "state_id": 7, "commit_time": "1970-01-01T00:00:01.000Z"},
    "lag_seconds": 2.0,
    "tables": [{"name": "public.orders", "state": "live", "as_of_state_id": null, "rows_copied": 10,
                "rows_estimated": 12, "inserts": 1, "updates": 2, "deletes": 3, "error": null}],
    "error": null})"));
}

TEST(StatusJson, SaysNullForWhatIsNotKnownYet) {
  runtime::MirrorStatus status;
  status.mirror = "shop";
  status.state = runtime::MirrorState::assessing;
  status.error = "waits";
  runtime::TableStatus table;
  table.rows_estimated = -1;
  status.tables.push_back(table);
  const json parsed = json::parse(status_json(status, UnixMicros{0}, false));
  EXPECT_TRUE(parsed["source"]["position"].is_null());
  EXPECT_TRUE(parsed["source"]["lag_bytes"].is_null());
  EXPECT_TRUE(parsed["applied"]["state_id"].is_null());
  EXPECT_TRUE(parsed["tables"][0]["rows_estimated"].is_null());
  EXPECT_EQ(parsed["error"], "waits");
}

}  // namespace
}  // namespace lockstep::control
