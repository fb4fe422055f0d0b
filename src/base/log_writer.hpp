#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/log.hpp"

namespace lockstep {

/// "debug", "info", "warn" or "error"; nothing for other words.
std::optional<LogLevel> log_level(std::string_view word);

/// "2026-11-30T21:15:14.123Z" for microseconds since 1970-01-01 UTC.
std::string iso_time(std::chrono::microseconds since_1970);

/// A Log that gives each event from `lowest` on to `take_line` as "TIME LEVEL event field=value …", without a line end.
/// One line at a time; `take_line` must not log.
std::unique_ptr<Log> make_log_writer(LogLevel lowest, const Clock& clock,
                                     std::function<void(std::string_view line)> take_line);

}  // namespace lockstep
