#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "base/check.hpp"

namespace lockstep {

/// What went wrong, as far as anybody has to decide by it. Closed: a new kind breaks the build until it is placed
/// in `retry_for`.
enum class ErrorKind : std::uint8_t {
  unreachable,   ///< no connection, a dropped one, a server that restarts
  busy,          ///< something else holds what we need: a lock, a slot, a file
  no_space,      ///< a disk is full
  refused,       ///< rights, passwords, settings
  bad_input,     ///< what the user typed
  bad_data,      ///< foreign bytes that do not parse, a damaged file
  unsupported,   ///< valid, but not built
  lost_history,  ///< the change log no longer holds what we need: only a fresh copy helps
  conflict,      ///< the destination is not where this engine left it: another engine, a restored file
  does_not_fit,  ///< a value that its destination type cannot hold exactly; the column is named
  cancelled,     ///< we were asked to stop
  unexpected,    ///< a library failed in a way that we do not know
};

enum class Retry : std::uint8_t { later, after_operator, never };

/// The only place that decides whether trying again makes sense.
Retry retry_for(ErrorKind kind);

/// Stable lower-case name of a kind, for logs and JSON.
const char* name_of(ErrorKind kind);

/// A failure as a value. `what` is one clause, lower case, without values of the user's rows or secrets.
struct Error {
  ErrorKind kind{};
  std::string what;
  std::string remedy{};  ///< what the operator can do, one clause; may be empty
  std::string table{};   ///< "schema.table" when one table is to blame
  std::string column{};  ///< its column, for `does_not_fit`
  std::string native{};  ///< SQLSTATE or errno name, for logs
};

/// "what (table public.t, column c): remedy", for people.
std::string to_text(const Error& error);

/// The same error with a clause put before `what`: where it happened.
Error with_context(Error error, const std::string& context);

/// Either a value or an Error. Nobody can drop it.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit by design
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit by design

  bool ok() const { return state_.index() == 0; }
  T& value() & {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
    CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  const Error& error() const {
    CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

struct Done {};
using Status = Result<Done>;

}  // namespace lockstep

#define LOCKSTEP_CAT_(a, b) a##b
#define LOCKSTEP_CAT(a, b) LOCKSTEP_CAT_(a, b)
#define LOCKSTEP_TRY_(var, expr, tmp) \
  auto tmp = (expr);                  \
  if (!tmp.ok()) return tmp.error();  \
  auto var = std::move(tmp).value()

/// `TRY(x, f());` returns f's error from the enclosing function, or declares x with its value.
#define TRY(var, expr) LOCKSTEP_TRY_(var, expr, LOCKSTEP_CAT(try_result_, __LINE__))

/// `TRY_DO(f());` returns f's error, or goes on.
#define TRY_DO(expr)                                                           \
  do {                                                                         \
    if (auto try_status = (expr); !try_status.ok()) return try_status.error(); \
  } while (false)
