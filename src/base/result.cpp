#include "base/result.hpp"

#include <cstdlib>

namespace lockstep {

Retry retry_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::unreachable:
    case ErrorKind::busy:
    case ErrorKind::no_space: return Retry::later;
    case ErrorKind::refused:
    case ErrorKind::bad_input:
    case ErrorKind::bad_data:
    case ErrorKind::unsupported:
    case ErrorKind::conflict:
    case ErrorKind::does_not_fit:
    case ErrorKind::unexpected: return Retry::after_operator;
    case ErrorKind::lost_history:
    case ErrorKind::cancelled: return Retry::never;
  }
  std::abort();
}

const char* name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::unreachable: return "unreachable";
    case ErrorKind::busy: return "busy";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::refused: return "refused";
    case ErrorKind::bad_input: return "bad_input";
    case ErrorKind::bad_data: return "bad_data";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::lost_history: return "lost_history";
    case ErrorKind::conflict: return "conflict";
    case ErrorKind::does_not_fit: return "does_not_fit";
    case ErrorKind::cancelled: return "cancelled";
    case ErrorKind::unexpected: return "unexpected";
  }
  std::abort();
}

std::string to_text(const Error& error) {
  std::string text = error.what;
  if (!error.table.empty()) {
    text += " (table " + error.table;
    if (!error.column.empty()) text += ", column " + error.column;
    text += ")";
  }
  if (!error.native.empty()) text += " [" + error.native + "]";
  if (!error.remedy.empty()) text += ": " + error.remedy;
  return text;
}

Error with_context(Error error, const std::string& context) {
  error.what = context + ": " + error.what;
  return error;
}

}  // namespace lockstep
