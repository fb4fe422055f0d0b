#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace lockstep {

enum class LogLevel : std::uint8_t {
  debug,  ///< per batch
  info,   ///< a state changed
  warn,   ///< we are retrying
  error,  ///< someone must act
};

/// One `name=value` of an event.
struct LogField {
  std::string_view name;
  std::string value;

  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(text) {}
  template <std::integral Number>
  LogField(std::string_view field, Number number) : name(field), value(std::to_string(number)) {}
};

/// Takes structured events, one line each: `batch_applied mirror=shop rows=812`. Event names are past-tense words that
/// are listed in docs/operate/log.md. Never give it values of rows, or secrets. Implementations are thread-safe.
class Log {
 public:
  virtual ~Log() = default;
  virtual void event(LogLevel level, std::string_view name, std::initializer_list<LogField> fields) = 0;

  void debug(std::string_view name, std::initializer_list<LogField> fields = {}) {
    event(LogLevel::debug, name, fields);
  }
  void info(std::string_view name, std::initializer_list<LogField> fields = {}) { event(LogLevel::info, name, fields); }
  void warn(std::string_view name, std::initializer_list<LogField> fields = {}) { event(LogLevel::warn, name, fields); }
  void error(std::string_view name, std::initializer_list<LogField> fields = {}) {
    event(LogLevel::error, name, fields);
  }
};

/// Drops everything; for tests and tools.
Log& silent_log();

/// `name field=value …` as one line without its end; values with spaces, quotes or line ends are quoted and escaped.
std::string format_event(std::string_view name, std::initializer_list<LogField> fields);

}  // namespace lockstep
