#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "source/postgres/selection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

struct PgOptions {
  Selection selection;
};

/// What can be said of a source's address without connecting.
struct AddressSummary {
  std::string printable;  ///< the URL without secrets
  std::string database;   ///< the mirror's default name
};
Result<AddressSummary> summarize(const std::string& url);

/// Connects nowhere yet. Error: bad_input, refused (a password's file).
Result<source::Source> open_postgres(const std::string& url, const PgOptions& options);

/// The names of what lockstep makes at the source for a mirror; without tables.
source::Setup plan_setup(std::string_view mirror, std::string_view database);

}  // namespace lockstep::postgres
