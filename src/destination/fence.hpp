#pragma once

#include <optional>

#include "base/result.hpp"
#include "destination/destination.hpp"

namespace lockstep::destination {

/// What keeps a step from being written onto a state it was not made for: another engine, a restored file.
/// Error: conflict.
Status check_shown(const std::optional<Shown>& actual, const std::optional<Shown>& expected);

/// True when every range of the ledger's plan has its rows in.
bool is_complete(const CopyLedger& ledger);

/// Error: unexpected when a batch was not made for a table of these column types.
Status check_fits(const TableBatch& batch, const std::vector<LogicalType>& types);

}  // namespace lockstep::destination
