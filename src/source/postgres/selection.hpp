#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "model/shape.hpp"

namespace lockstep::postgres {

/// What to do with a table that has no usable key.
enum class Keyless : std::uint8_t {
  full,  ///< give it REPLICA IDENTITY FULL
  leave_out,
};

/// Which tables the mirror is to hold. Patterns as in psql: `table` or `schema.table`, `*` any text, `?` any character;
/// letters are folded to lower case unless the part stands in double quotes, where `*` and `?` mean themselves.
/// A pattern without schema holds for every schema.
struct Selection {
  std::vector<std::string> include;  ///< empty: every table
  std::vector<std::string> exclude;
  Keyless keyless = Keyless::full;
};

class Pattern {
 public:
  /// Error: bad_input.
  static Result<Pattern> parse(const std::string& text);
  bool matches(const TableName& name) const;
  /// True when it stands for one name, so that naming something that cannot be mirrored deserves an answer.
  bool names_one() const { return !wild_; }
  const std::string& text() const { return text_; }

 private:
  /// A character of the pattern; `wild` ones are `*` and `?`.
  struct Sign {
    char c;
    bool wild;
  };
  static bool matches(const std::vector<Sign>& signs, std::string_view name);

  std::string text_;
  std::vector<Sign> schema_;
  std::vector<Sign> table_;
  bool any_schema_ = true;
  bool wild_ = false;
};

}  // namespace lockstep::postgres
