#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/shape.hpp"
#include "source/postgres/connection.hpp"

namespace lockstep::postgres {

/// Makes the publication hold exactly `tables`. One that somebody else made is never changed: it must hold them already.
/// Errors: refused, busy (a lock was not to be had in time).
Status make_publication(Connection& connection, const std::string& name, const std::vector<TableId>& tables);

/// Drops the publication if lockstep made it. Repeating it changes nothing.
Status drop_publication(Connection& connection, const std::string& name);

/// Gives tables a replica identity, one short transaction each: "FULL", or "DEFAULT" to those that have FULL. Tables
/// that have it already, or are gone, are left alone. Error: busy.
Status set_identities(Connection& connection, const std::vector<TableId>& tables, bool full);

/// Which of `tables` the publication does not hold; all of them when it does not exist.
Result<std::vector<TableId>> not_published(Connection& connection, const std::string& name,
                                           const std::vector<TableId>& tables);

/// What a stranger has done to the publication so that changes of `tables` are not sent, or were not sent for a while;
/// empty: nothing. Tables that no longer exist do not count. `known_oid`: of the publication as seen before, 0 at first.
Result<std::string> why_incomplete(Connection& connection, const std::string& name, const std::vector<TableId>& tables,
                                   std::uint64_t& known_oid);

}  // namespace lockstep::postgres
