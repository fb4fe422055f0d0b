#include "base/log_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>
#include <mutex>
#include <utility>

namespace lockstep {
namespace {

constexpr std::array<std::string_view, 4> level_names{"debug", "info", "warn", "error"};

class LogWriter final : public Log {
 public:
  LogWriter(LogLevel lowest, const Clock& clock, std::function<void(std::string_view)> take_line)
      : lowest_(lowest), clock_(clock), take_line_(std::move(take_line)) {}

  void event(LogLevel level, std::string_view name, std::initializer_list<LogField> fields) override {
    if (level < lowest_) return;
    const std::string line = fmt::format("{} {} {}", iso_time(clock_.wall()),
                                         level_names[static_cast<std::size_t>(level)], format_event(name, fields));
    const std::lock_guard lock(mutex_);
    take_line_(line);
  }

 private:
  const LogLevel lowest_;
  const Clock& clock_;
  std::mutex mutex_;
  const std::function<void(std::string_view)> take_line_;  // called under mutex_
};

}  // namespace

std::optional<LogLevel> log_level(std::string_view word) {
  for (std::size_t i = 0; i < level_names.size(); ++i) {
    if (level_names[i] == word) return static_cast<LogLevel>(i);
  }
  return std::nullopt;
}

std::string iso_time(std::chrono::microseconds since_1970) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(since_1970);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970 - seconds).count();
  const std::chrono::sys_seconds at{seconds};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(at)), millis);
}

std::unique_ptr<Log> make_log_writer(LogLevel lowest, const Clock& clock,
                                     std::function<void(std::string_view)> take_line) {
  return std::make_unique<LogWriter>(lowest, clock, std::move(take_line));
}

}  // namespace lockstep
