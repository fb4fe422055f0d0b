#include "source/postgres/sqlstate.hpp"

#include <array>
#include <cctype>

namespace lockstep::postgres {
namespace {

struct Rule {
  std::string_view code;  // a whole code, or a class of two characters
  ErrorKind kind;
};

// Whole codes stand before their class.
constexpr std::array rules{
    Rule{"08P01", ErrorKind::bad_data},     // protocol violation
    Rule{"08", ErrorKind::unreachable},     // connection exception
    Rule{"57P", ErrorKind::unreachable},    // shut down, crashed, starting up, database dropped
    Rule{"57014", ErrorKind::cancelled},    // query cancelled
    Rule{"28", ErrorKind::refused},         // password, pg_hba.conf, unknown role
    Rule{"42501", ErrorKind::refused},      // insufficient privilege
    Rule{"3D000", ErrorKind::bad_input},    // no such database
    Rule{"0A000", ErrorKind::unsupported},  // feature not supported
    Rule{"53100", ErrorKind::unreachable},  // the server's disk is full: theirs, not ours; try again later
    Rule{"53400", ErrorKind::busy},         // configuration limit: all slots taken
    Rule{"53", ErrorKind::busy},            // too many connections, out of memory
    Rule{"55P03", ErrorKind::busy},         // lock_timeout
    Rule{"55006", ErrorKind::busy},         // object in use: the slot is active
    Rule{"55000", ErrorKind::refused},  // not in the needed state: wal_level, a lost slot (told apart by the caller)
    Rule{"40", ErrorKind::busy},        // serialisation failure, deadlock
    Rule{"25P03", ErrorKind::unreachable},  // idle-in-transaction timeout: the connection is gone
    Rule{"25P04", ErrorKind::unreachable},  // transaction timeout
    Rule{"72000", ErrorKind::conflict},     // snapshot too old: only a new snapshot helps
};

/// Five digits and capitals; each code has a digit, which tells it from "FATAL".
bool is_code(std::string_view text) {
  bool has_digit = false;
  for (const char c : text) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit && std::isupper(static_cast<unsigned char>(c)) == 0) return false;
    has_digit = has_digit || digit;
  }
  return has_digit && text.size() == 5;
}

/// Where ": CODE: " stands in the message; npos: nowhere.
std::size_t find_code(std::string_view message) {
  for (std::size_t at = message.find(':'); at != std::string_view::npos; at = message.find(':', at + 1)) {
    std::size_t begin = at + 1;
    while (begin < message.size() && message[begin] == ' ') ++begin;
    if (begin + 5 < message.size() && message[begin + 5] == ':' && is_code(message.substr(begin, 5))) return begin;
  }
  return std::string_view::npos;
}

}  // namespace

ErrorKind kind_of_sqlstate(std::string_view code) {
  for (const Rule& rule : rules) {
    if (code.starts_with(rule.code)) return rule.kind;
  }
  return ErrorKind::unexpected;
}

std::string_view sqlstate_in(std::string_view message) {
  const std::size_t at = find_code(message);
  return at == std::string_view::npos ? std::string_view{} : message.substr(at, 5);
}

std::string_view text_after_sqlstate(std::string_view message) {
  const std::size_t at = find_code(message);
  if (at == std::string_view::npos) return {};
  std::string_view text = message.substr(at + 6);
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace lockstep::postgres
