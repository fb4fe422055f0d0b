#include "apply/shape_check.hpp"

#include <algorithm>

namespace lockstep::apply {
namespace {

const Column* column_named(const TableShape& shape, const std::string& name) {
  const auto found = std::find_if(shape.columns.begin(), shape.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == shape.columns.end() ? nullptr : &*found;
}

bool same_number(const Column& a, const Column& b) { return a.number == b.number || a.number == 0 || b.number == 0; }

bool same_type(const Column& a, const Column& b) {
  return a.type == b.type && a.source_type == b.source_type && a.source_modifier == b.source_modifier;
}

std::string difference_of_columns(const TableShape& live, const TableShape& seen) {
  for (const Column& column : seen.columns) {
    if (column_named(live, column.name) == nullptr) return "column " + column.name + " is new";
  }
  for (const Column& column : live.columns) {
    const Column* now = column_named(seen, column.name);
    if (now == nullptr) return "column " + column.name + " is gone";
    if (!same_type(column, *now)) return "column " + column.name + " has another type";
    if (!same_number(column, *now)) return "column " + column.name + " was dropped and made again";
  }
  const bool same_order = std::equal(live.columns.begin(), live.columns.end(), seen.columns.begin(), seen.columns.end(),
                                     [](const Column& a, const Column& b) { return a.name == b.name; });
  return same_order ? "" : "the columns stand in another order";
}

// With whole old rows the source names a row by all of its values, and does not say what its key is: ours stands.
std::string difference_of_keys(const TableShape& live, const TableShape& seen) {
  const bool keyless = live.key.empty();
  if (!seen.old_rows_are_keys) return keyless && !seen.key.empty() ? "the table has a key now" : "";
  if (keyless) return "old rows do not come whole any more";
  return std::is_permutation(live.key.begin(), live.key.end(), seen.key.begin(), seen.key.end())
             ? ""
             : "the table has another key";
}

}  // namespace

std::string difference(const TableShape& live, const TableShape& seen) {
  if (live.name != seen.name) return "the table was renamed to " + to_text(seen.name);
  const std::string columns = difference_of_columns(live, seen);
  return columns.empty() ? difference_of_keys(live, seen) : columns;
}

}  // namespace lockstep::apply
