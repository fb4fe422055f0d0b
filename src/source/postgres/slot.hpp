#pragma once

#include <functional>
#include <string>

#include "base/result.hpp"
#include "source/postgres/address.hpp"
#include "source/postgres/connection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// Creates the slot and keeps the snapshot that shows what precedes it. See source::Setter::create_slot. A slot of that
/// name that nobody uses and nobody ever read from is a leftover of a start that was interrupted, and is replaced.
Result<source::CreatedSlot> create_slot(const Address& address, const std::string& name,
                                        const std::function<bool(const std::string& blockers)>& waiting);

Result<source::LogState> read_log_state(Connection& connection, const std::string& name);

/// Drops the slot, waiting while a dying connection of ours still holds it. Error: busy.
Status drop_slot(Connection& connection, const std::string& name);

}  // namespace lockstep::postgres
