#include "base/failpoint.hpp"

#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <string>

#include <atomic>
#include <charconv>

namespace lockstep {
namespace {

enum class Action : std::uint8_t { none, kill, pause, fail };

struct Site {
  std::atomic<std::uint64_t> passed{0};
  std::atomic<std::uint64_t> act_at{0};  // 0: never
  std::atomic<Action> action{Action::none};
};

using Sites = std::array<Site, failpoint_names.size()>;

Error bad_specification(std::string_view entry) {
  return {ErrorKind::bad_input, "LOCKSTEP_FAILPOINT: cannot read '" + std::string(entry) + "'",
          "write NAME[:N]=kill|pause|fail; `lockstep version --failpoints` lists the names"};
}

Result<Action> parse_action(std::string_view text) {
  if (text == "kill") return Action::kill;
  if (text == "pause") return Action::pause;
  if (text == "fail") return Action::fail;
  return bad_specification(text);
}

Status parse_entry(Sites& sites, std::string_view entry) {
  const std::size_t equals = entry.rfind('=');
  if (equals == std::string_view::npos) return bad_specification(entry);
  TRY(action, parse_action(entry.substr(equals + 1)));
  std::string_view name = entry.substr(0, equals);
  std::uint64_t nth = 1;
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos) {
    const std::string_view digits = name.substr(colon + 1);
    const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), nth);
    if (parsed.ec != std::errc{} || parsed.ptr != digits.data() + digits.size() || nth == 0)
      return bad_specification(entry);
    name = name.substr(0, colon);
  }
  for (std::size_t i = 0; i < failpoint_names.size(); ++i) {
    if (failpoint_names[i] != name) continue;
    sites[i].passed = 0;
    sites[i].act_at = nth;
    sites[i].action = action;
    return Done{};
  }
  return bad_specification(entry);
}

Status parse_all(Sites& sites, std::string_view specification) {
  for (Site& site : sites) site.action = Action::none;
  while (!specification.empty()) {
    const std::size_t comma = specification.find(',');
    TRY_DO(parse_entry(sites, specification.substr(0, comma)));
    specification = comma == std::string_view::npos ? std::string_view{} : specification.substr(comma + 1);
  }
  return Done{};
}

Sites& sites() {
  static Sites all;
  static const bool read_once = [] {
    const char* from_environment = std::getenv("LOCKSTEP_FAILPOINT");
    const Status read = parse_all(all, from_environment == nullptr ? "" : from_environment);
    if (!read.ok()) {
      ::dprintf(STDERR_FILENO, "%s\n", to_text(read.error()).c_str());
      std::_Exit(2);
    }
    return true;
  }();
  static_cast<void>(read_once);
  return all;
}

void pause_until_resumed() {
  const char* resume = std::getenv("LOCKSTEP_FAILPOINT_RESUME");
  constexpr useconds_t look_every_us = 10'000;
  while (resume == nullptr || ::access(resume, F_OK) != 0) ::usleep(look_every_us);
}

}  // namespace

Status pass_failpoint(std::size_t index) {
  Site& site = sites()[index];
  const Action action = site.action;
  if (action == Action::none || ++site.passed != site.act_at) return Done{};
  const std::string name(failpoint_names[index]);
  // An error speaks for itself, and simulations ask for many.
  if (action != Action::fail) ::dprintf(STDERR_FILENO, "failpoint %s\n", name.c_str());
  if (action == Action::kill) ::kill(::getpid(), SIGKILL);
  if (action == Action::pause) pause_until_resumed();
  if (action == Action::fail) return Error{ErrorKind::unexpected, "failpoint " + name + " was asked to fail"};
  return Done{};
}

Status set_failpoints(std::string_view specification) { return parse_all(sites(), specification); }

}  // namespace lockstep
