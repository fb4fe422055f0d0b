// What DuckDB says, sorted into our kinds. DuckDB tells most of it only in words, so the words are looked for; they
// are those of version 2.0.0 and the tests of this folder provoke each of them.

#include <duckdb.h>

#include <array>

#include "destination/duckdb/connection.hpp"

namespace lockstep::destination::duck {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

std::string first_line(std::string_view message) { return std::string(message.substr(0, message.find('\n'))); }

struct Words {
  std::string_view part;
  ErrorKind kind;
  std::string_view what;  // empty: DuckDB's own first line
  std::string_view remedy;
};

constexpr std::array<Words, 12> table{{
    {"No space left on device", ErrorKind::no_space, "the disk of the destination is full", "free some space"},
    {"Disk quota exceeded", ErrorKind::no_space, "the disk of the destination is full", "free some space"},
    {"Conflicting lock is held", ErrorKind::busy, "", "stop the process that holds the file, or wait for it"},
    {"Could not set lock", ErrorKind::busy, "", "stop the process that holds the file, or wait for it"},
    {"not a valid DuckDB database file", ErrorKind::bad_data, "the file is no DuckDB database",
     "choose another path, or move the file away"},
    {"can only read versions between", ErrorKind::unsupported, "the file was written by a newer DuckDB",
     "use a newer lockstep, or another path"},
    {"newer version of DuckDB", ErrorKind::unsupported, "the file was written by a newer DuckDB",
     "use a newer lockstep, or another path"},
    {"No such file or directory", ErrorKind::refused, "there is no such directory",
     "create it, or choose another path"},
    {"database does not exist", ErrorKind::refused, "there is no such file", "`lockstep run` makes it"},
    {"Is a directory", ErrorKind::refused, "the path is a directory", "name a file"},
    {"Permission denied", ErrorKind::refused, "the file may not be opened", "give its owner's rights to this process"},
    {"Read-only file system", ErrorKind::refused, "the file system is read-only", "choose another path"},
}};

ErrorKind kind_of(int type, std::string_view message) {
  switch (type) {
    case DUCKDB_ERROR_OUT_OF_MEMORY: return ErrorKind::busy;
    case DUCKDB_ERROR_INTERRUPT: return ErrorKind::cancelled;
    case DUCKDB_ERROR_DATA_CORRUPTION: return ErrorKind::bad_data;
    case DUCKDB_ERROR_FATAL: return ErrorKind::unreachable;
    default: break;
  }
  if (has(message, "database has been invalidated")) return ErrorKind::unreachable;
  if (has(message, "Corrupt") || has(message, "Could not read enough bytes")) return ErrorKind::bad_data;
  if (has(message, "Out of Memory Error")) return ErrorKind::busy;
  if (has(message, "onflict")) return ErrorKind::conflict;  // "Conflict on …", "write-write conflict"
  return ErrorKind::unexpected;
}

// Errors that quote the value they are about; rows of users stay out of messages.
bool may_quote_values(int type) {
  return type == DUCKDB_ERROR_CONVERSION || type == DUCKDB_ERROR_OUT_OF_RANGE || type == DUCKDB_ERROR_CONSTRAINT ||
         type == DUCKDB_ERROR_INVALID_INPUT;
}

}  // namespace

Error error_of(int type, std::string_view message) {
  for (const Words& words : table) {
    if (!has(message, words.part)) continue;
    Error error{words.kind, words.what.empty() ? "DuckDB: " + first_line(message) : std::string(words.what),
                std::string(words.remedy)};
    if (type == DUCKDB_ERROR_FATAL || has(message, "database has been invalidated")) error.native = "fatal";
    return error;
  }
  const ErrorKind kind = kind_of(type, message);
  Error error{kind, may_quote_values(type) ? "DuckDB refused a value or setting" : "DuckDB: " + first_line(message)};
  if (kind == ErrorKind::unreachable) error.native = "fatal";
  return error;
}

bool is_fatal(const Error& error) { return error.native == "fatal"; }

}  // namespace lockstep::destination::duck
