#include "destination/duckdb/names.hpp"

#include <algorithm>
#include <array>

namespace lockstep::destination::duck {

std::string folded(std::string_view name) {
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return small;
}

std::string first_free(const std::string& name, const std::set<std::string>& taken) {
  std::string candidate = name;
  for (unsigned number = 2; taken.contains(folded(candidate)); ++number)
    candidate = name + "_" + std::to_string(number);
  return candidate;
}

std::string schema_of(const std::string& source_schema) {
  constexpr std::array<std::string_view, 4> not_for_users{"lockstep", "lockstep_internal", "information_schema",
                                                          "pg_catalog"};
  const bool reserved =
      std::find(not_for_users.begin(), not_for_users.end(), folded(source_schema)) != not_for_users.end();
  return reserved ? source_schema + "_source" : source_schema;
}

std::vector<std::string> column_names(const TableShape& shape) {
  // A name that some column has as it is, is not given to another one.
  std::set<std::string> wanted;
  for (const Column& column : shape.columns) wanted.insert(folded(column.name));
  std::set<std::string> taken;
  if (shape.key.empty()) taken.insert("rowid");
  std::vector<std::string> names;
  for (const Column& column : shape.columns) {
    std::string name = column.name;
    if (taken.contains(folded(name))) {
      std::set<std::string> all = taken;
      all.insert(wanted.begin(), wanted.end());
      name = first_free(name, all);
    }
    taken.insert(folded(name));
    names.push_back(std::move(name));
  }
  return names;
}

std::string hidden_name(TableId table) { return "__lockstep_copy_" + std::to_string(table.value); }

std::vector<std::string> renamings(const TableShape& shape, const Place& place) {
  std::vector<std::string> said;
  if (place.schema != shape.name.schema || place.table != shape.name.table) {
    said.push_back("is called " + to_text(place) + " here, as its own name is taken");
  }
  const std::vector<std::string> names = column_names(shape);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == shape.columns[i].name) continue;
    said.push_back("column " + shape.columns[i].name + " is called " + names[i] + " here, as its own name is taken");
  }
  return said;
}

}  // namespace lockstep::destination::duck
