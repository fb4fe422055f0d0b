#include "control/socket/protocol.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <optional>
#include <utility>

#include "base/log_writer.hpp"

namespace lockstep::control {
namespace {

// Keys keep the order in which they are written: people read this.
using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<Verb, const char*>, 4> verb_names{
    {{Verb::status, "status"}, {Verb::pause, "pause"}, {Verb::resume, "resume"}, {Verb::stop, "stop"}}};

std::string line_of(const Json& json) {
  // Bytes that are no UTF-8 (a message of a server with another encoding) become U+FFFD instead of a failure.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parsed(std::string_view line) { return Json::parse(line, nullptr, /*allow_exceptions=*/false); }

std::string text_at(const Json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return json.is_object() && found != json.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

Json optional_text(const std::optional<Position>& position) { return position ? Json(to_text(*position)) : Json(); }

Json table_json(const runtime::TableStatus& table) {
  return {
      {"name", to_text(table.name)},
      {"state", destination::name_of(table.state)},
      {"as_of_state_id", table.as_of ? Json(table.as_of->value) : Json()},
      {"rows_copied", table.rows_copied},
      {"rows_estimated", table.rows_estimated < 0 ? Json() : Json(static_cast<std::uint64_t>(table.rows_estimated))},
      {"inserts", table.changes.inserts},
      {"updates", table.changes.updates},
      {"deletes", table.changes.deletes},
      {"error", table.error.empty() ? Json() : Json(table.error)}};
}

Json applied_json(const std::optional<destination::Shown>& applied) {
  if (!applied) return {{"position", nullptr}, {"state_id", nullptr}, {"commit_time", nullptr}};
  // No commit has been applied yet: there is no time of one.
  const bool has_time = applied->commit_time.value != 0;
  return {{"position", to_text(applied->position)},
          {"state_id", applied->state.value},
          {"commit_time", has_time ? Json(iso_time(std::chrono::microseconds{applied->commit_time.value})) : Json()}};
}

Json status_object(const runtime::MirrorStatus& status, UnixMicros now) {
  Json tables = Json::array();
  for (const runtime::TableStatus& table : status.tables) tables.push_back(table_json(table));
  const auto lag = runtime::lag_bytes(status);
  return {{"mirror", status.mirror},
          {"state", runtime::name_of(status.state)},
          {"source",
           {{"kind", status.source_kind},
            {"position", optional_text(status.source_end)},
            {"lag_bytes", lag ? Json(*lag) : Json()}}},
          {"received", {{"position", optional_text(status.received)}}},
          {"journal", {{"bytes", status.journal_bytes}, {"state_id", status.journal_state.value}}},
          {"applied", applied_json(status.applied)},
          {"lag_seconds", runtime::lag_seconds(status, now)},
          {"tables", std::move(tables)},
          {"error", status.error.empty() ? Json() : Json(status.error)}};
}

Error not_understood(const std::string& why) { return {ErrorKind::bad_input, "request not understood: " + why}; }

std::optional<ErrorKind> kind_named(std::string_view name) {
  for (const ErrorKind kind :
       {ErrorKind::unreachable, ErrorKind::busy, ErrorKind::no_space, ErrorKind::refused, ErrorKind::bad_input,
        ErrorKind::bad_data, ErrorKind::unsupported, ErrorKind::lost_history, ErrorKind::conflict,
        ErrorKind::does_not_fit, ErrorKind::cancelled, ErrorKind::unexpected}) {
    if (name == lockstep::name_of(kind)) return kind;
  }
  return std::nullopt;
}

/// The answer's object when it says ok, else the Error that it carries.
Result<Json> good_answer(std::string_view line) {
  Json json = parsed(line);
  if (!json.is_object() || !json.contains("ok") || !json["ok"].is_boolean()) {
    return Error{ErrorKind::bad_data, "the mirror's answer does not parse"};
  }
  if (json["ok"].get<bool>()) return json;
  const Json error = json.value("error", Json::object());
  return Error{kind_named(text_at(error, "kind")).value_or(ErrorKind::unexpected),
               text_at(error, "what"),
               text_at(error, "remedy"),
               text_at(error, "table"),
               text_at(error, "column"),
               text_at(error, "native")};
}

Result<Request> parse_wait(const Json& json) {
  const std::string what = text_at(json, "for");
  if (what == "caught_up") return Request{WaitRequest{WaitCaughtUp{}}};
  if (what == "position") {
    TRY(lsn, parse_lsn(text_at(json, "position")));
    return Request{WaitRequest{WaitPosition{PgPosition{lsn}}}};
  }
  if (what == "state_id" && json.contains("state_id") && json["state_id"].is_number_unsigned()) {
    return Request{WaitRequest{WaitState{StateId{json["state_id"].get<std::uint64_t>()}}}};
  }
  return not_understood("wait for what");
}

Json wait_json(const WaitFor& what) {
  if (const auto* position = std::get_if<WaitPosition>(&what)) {
    return {{"verb", "wait"}, {"for", "position"}, {"position", to_text(position->target)}};
  }
  if (const auto* state = std::get_if<WaitState>(&what)) {
    return {{"verb", "wait"}, {"for", "state_id"}, {"state_id", state->target.value}};
  }
  return {{"verb", "wait"}, {"for", "caught_up"}};
}

bool all_texts(const Json& list) {
  if (!list.is_array()) return false;
  for (const Json& item : list) {
    if (!item.is_string()) return false;
  }
  return true;
}

}  // namespace

std::string encode(const Request& request) {
  if (const auto* wait = std::get_if<WaitRequest>(&request)) return line_of(wait_json(wait->what));
  if (const auto* query = std::get_if<QueryRequest>(&request)) {
    return line_of({{"verb", "query"}, {"sql", query->sql}});
  }
  const Verb verb = std::get<PlainRequest>(request).verb;
  return line_of({{"verb", verb_names[static_cast<std::size_t>(verb)].second}});
}

Result<Request> parse_request(std::string_view line) {
  const Json json = parsed(line);
  if (!json.is_object()) return not_understood("no JSON object");
  const std::string word = text_at(json, "verb");
  if (word == "wait") return parse_wait(json);
  if (word == "query") return Request{QueryRequest{text_at(json, "sql")}};
  for (const auto& [verb, name] : verb_names) {
    if (word == name) return Request{PlainRequest{verb}};
  }
  return not_understood("verb '" + word + "'");
}

std::string done_line() { return line_of({{"ok", true}}); }

std::string error_line(const Error& error) {
  return line_of({{"ok", false},
                  {"error",
                   {{"kind", lockstep::name_of(error.kind)},
                    {"what", error.what},
                    {"remedy", error.remedy},
                    {"table", error.table},
                    {"column", error.column},
                    {"native", error.native}}}});
}

std::string status_line(const runtime::MirrorStatus& status, UnixMicros now) {
  return line_of({{"ok", true}, {"status", status_object(status, now)}});
}

std::string query_line(const destination::Answer& answer) {
  Json rows = Json::array();
  for (const auto& row : answer.rows) {
    Json cells = Json::array();
    for (const auto& cell : row) cells.push_back(cell ? Json(*cell) : Json());
    rows.push_back(std::move(cells));
  }
  return line_of({{"ok", true}, {"columns", answer.columns}, {"types", answer.types}, {"rows", std::move(rows)}});
}

Status parse_done(std::string_view line) {
  TRY_DO(good_answer(line));
  return Done{};
}

Result<std::string> parse_status(std::string_view line) {
  TRY(json, good_answer(line));
  if (!json.contains("status")) return Error{ErrorKind::bad_data, "the mirror's answer has no status"};
  return json["status"].dump(2);
}

Result<destination::Answer> parse_query(std::string_view line) {
  TRY(json, good_answer(line));
  const Error bad{ErrorKind::bad_data, "the mirror's answer has no rows"};
  if (!all_texts(json.value("columns", Json())) || !all_texts(json.value("types", Json()))) return bad;
  if (!json.value("rows", Json()).is_array()) return bad;
  destination::Answer answer{
      json["columns"].get<std::vector<std::string>>(), json["types"].get<std::vector<std::string>>(), {}};
  for (const Json& cells : json["rows"]) {
    if (!cells.is_array() || cells.size() != answer.columns.size()) return bad;
    auto& row = answer.rows.emplace_back();
    for (const Json& cell : cells) {
      row.push_back(cell.is_string() ? std::optional(cell.get<std::string>()) : std::nullopt);
    }
  }
  return answer;
}

std::string status_json(const runtime::MirrorStatus& status, UnixMicros now, bool pretty) {
  return status_object(status, now).dump(pretty ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace lockstep::control
