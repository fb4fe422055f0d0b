#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/ids.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/ranges.hpp"

namespace lockstep::postgres {

/// The heaps of each table as they are now, whatever the transaction's snapshot, in the order of their oids.
Result<std::map<TableId, std::vector<Heap>>> read_heaps(Connection& connection, const std::vector<TableId>& tables);

/// The first of these tables with a heap that was rewritten or truncated after the connection's snapshot was taken: under
/// that snapshot the new file shows none of the old rows, or others.
Result<std::optional<TableId>> first_rewritten(Connection& connection,
                                               const std::map<TableId, std::vector<Heap>>& heaps);

/// Gives oid and filenode of one table's heaps now, in the order of their oids.
std::string filenodes_query(TableId table);

}  // namespace lockstep::postgres
