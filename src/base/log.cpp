#include "base/log.hpp"

namespace lockstep {
namespace {

class SilentLog final : public Log {
 public:
  void event(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

void append_escaped(std::string& out, char c) {
  switch (c) {
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    default: out += c;
  }
}

}  // namespace

Log& silent_log() {
  static SilentLog log;
  return log;
}

std::string format_event(std::string_view name, std::initializer_list<LogField> fields) {
  std::string line(name);
  for (const LogField& field : fields) {
    line += ' ';
    line += field.name;
    line += '=';
    const bool plain = !field.value.empty() && field.value.find_first_of(" \"\\\n\r\t=") == std::string::npos;
    if (plain) {
      line += field.value;
      continue;
    }
    line += '"';
    for (const char c : field.value) append_escaped(line, c);
    line += '"';
  }
  return line;
}

}  // namespace lockstep
