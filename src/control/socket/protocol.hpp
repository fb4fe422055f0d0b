#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "destination/destination.hpp"
#include "runtime/status.hpp"

// The lines that go over a mirror's control socket: one JSON object asks, one answers (docs/format/control.md).
namespace lockstep::control {

enum class Verb : std::uint8_t { status, pause, resume, stop };
struct PlainRequest {
  Verb verb{};
};
struct WaitCaughtUp {};
struct WaitPosition {
  Position target;
};
struct WaitState {
  StateId target;
};
using WaitFor = std::variant<WaitCaughtUp, WaitPosition, WaitState>;
struct WaitRequest {
  WaitFor what;
};
struct QueryRequest {
  std::string sql;
};
using Request = std::variant<PlainRequest, WaitRequest, QueryRequest>;

/// All lines are without their end.
std::string encode(const Request& request);
/// Error: bad_input.
Result<Request> parse_request(std::string_view line);

std::string done_line();
std::string error_line(const Error& error);
std::string status_line(const runtime::MirrorStatus& status, UnixMicros now);
std::string query_line(const destination::Answer& answer);

// What came back; an answer that is an error becomes that Error, one that does not parse is bad_data.
Status parse_done(std::string_view line);
/// The status object as JSON text.
Result<std::string> parse_status(std::string_view line);
Result<destination::Answer> parse_query(std::string_view line);

/// The object of `lockstep status --json`, over several lines when `pretty`.
std::string status_json(const runtime::MirrorStatus& status, UnixMicros now, bool pretty);

}  // namespace lockstep::control
