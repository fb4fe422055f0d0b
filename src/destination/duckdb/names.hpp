#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/shape.hpp"

namespace lockstep::destination::duck {

/// A table's name at the destination. DuckDB compares names without regard to case (of ASCII letters), sources do not.
struct Place {
  std::string schema;
  std::string table;
  auto operator<=>(const Place&) const = default;
};

inline std::string to_text(const Place& place) { return place.schema + "." + place.table; }

/// ASCII letters made small: equal results are the same name for DuckDB.
std::string folded(std::string_view name);

/// "name", or the first of "name_2", "name_3", … that `taken` (folded names) does not have.
std::string first_free(const std::string& name, const std::set<std::string>& taken);

/// The destination's schema of a source's schema: the same name, with "_source" after names that are lockstep's or
/// DuckDB's own.
std::string schema_of(const std::string& source_schema);

/// The destination's column names, one a column: of those that differ only by case the later ones get "_2", "_3", …;
/// so does a column `rowid` of a keyless table, whose rows are told apart by DuckDB's own rowid.
std::vector<std::string> column_names(const TableShape& shape);

/// The table's name while it is being copied.
std::string hidden_name(TableId table);

/// Says where names at the destination differ from the source's; one clause each, for lockstep.schema_changes.
std::vector<std::string> renamings(const TableShape& shape, const Place& place);

}  // namespace lockstep::destination::duck
