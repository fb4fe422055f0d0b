#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/log.hpp"
#include "control/socket/protocol.hpp"
#include "runtime/adapters.hpp"

namespace lockstep::control {

/// Which mirror a verb speaks of; empty parts take their defaults (StateFolder).
struct MirrorChoice {
  std::string name;
  std::string state_folder;
};

struct RunArguments {
  MirrorChoice mirror;
  std::string from;
  std::string to;
  runtime::Selection selection;
  std::uint64_t memory_bytes = 0;  ///< 0: the default
  std::size_t copy_workers = 4;
  bool until_caught_up = false;
  LogLevel log_level = LogLevel::info;
};
struct StatusArguments {
  MirrorChoice mirror;
  bool json = false;
};
struct WaitArguments {
  MirrorChoice mirror;
  WaitFor what;
  std::optional<std::chrono::milliseconds> timeout;
};
enum class TableFormat : std::uint8_t { table, csv, json };
struct QueryArguments {
  MirrorChoice mirror;
  std::string sql;
  TableFormat format = TableFormat::table;
};
/// Of pause, resume and stop.
struct PlainArguments {
  MirrorChoice mirror;
  Verb verb{};
};
struct DropArguments {
  MirrorChoice mirror;
  bool yes = false;
  std::string from;
};
struct VersionArguments {
  bool failpoints = false;
};
/// Nothing to do but to print `text` and to end with `exit_code` (help, completion, wrong usage).
struct JustSay {
  std::string text;
  int exit_code = 0;
};

using Arguments = std::variant<RunArguments, StatusArguments, WaitArguments, QueryArguments, PlainArguments,
                               DropArguments, VersionArguments, JustSay>;

/// Reads the command line; wrong usage is a JustSay with exit code 2.
Arguments parse_arguments(int argc, const char* const* argv);

/// "512M", "2 GiB", "1073741824": bytes, in powers of 1024. Error: bad_input.
Result<std::uint64_t> parse_size(const std::string& text);

}  // namespace lockstep::control
