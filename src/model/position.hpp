#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"
#include "base/strong.hpp"

namespace lockstep {

/// A byte address in PostgreSQL's write-ahead log.
using Lsn = Strong<struct LsnTag>;

/// PostgreSQL: everything that committed with a commit record ending at or before `end`.
struct PgPosition {
  Lsn end;
  auto operator<=>(const PgPosition&) const = default;
};

/// A place in a source's order of commits. Positions of one source compare; closed, one alternative a kind of source.
using Position = std::variant<PgPosition>;

/// As the source prints it (PostgreSQL: "16/B374D848").
std::string to_text(const Position& position);
std::string to_text(Lsn lsn);

/// Reads what PostgreSQL prints for a pg_lsn. Error: bad_input.
Result<Lsn> parse_lsn(std::string_view text);

}  // namespace lockstep
