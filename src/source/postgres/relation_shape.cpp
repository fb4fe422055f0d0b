#include "source/postgres/relation_shape.hpp"

#include <algorithm>
#include <vector>

namespace lockstep::postgres {
namespace {

using pgoutput::Relation;
using pgoutput::RelationColumn;

std::vector<const CatalogColumn*> sent_columns(const CatalogTable& table) {
  std::vector<const CatalogColumn*> sent;
  for (const CatalogColumn& column : table.columns) {
    if (column.sent()) sent.push_back(&column);
  }
  return sent;
}

bool same(const RelationColumn& said, const CatalogColumn& known) {
  return said.name == known.name && said.type == known.type && said.modifier == known.modifier;
}

/// The catalog's column for each of the message's; null where that is not certain. The message's columns are in the order
/// of their numbers, and a table's numbers only ever grow, so without dropped columns the place tells the number,
/// whatever the names are now.
std::vector<const CatalogColumn*> match(const Relation& relation, const CatalogTable& table) {
  std::vector<const CatalogColumn*> found(relation.columns.size(), nullptr);
  const std::vector<const CatalogColumn*> sent = sent_columns(table);
  const bool none_dropped = std::none_of(table.columns.begin(), table.columns.end(),
                                         [](const CatalogColumn& column) { return column.dropped; });
  if (agrees(relation, table) || (none_dropped && relation.columns.size() <= sent.size())) {
    std::copy_n(sent.begin(), found.size(), found.begin());
    return found;
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto named = std::find_if(sent.begin(), sent.end(),
                                    [&](const CatalogColumn* column) { return same(relation.columns[i], *column); });
    if (named != sent.end()) found[i] = *named;
  }
  return found;
}

/// The message's column as the catalog would have it at that time: its type, and what the catalog alone knows.
CatalogColumn as_catalog_column(const RelationColumn& said, const CatalogColumn* known) {
  CatalogColumn column;
  column.name = said.name;
  column.type = said.type;
  column.modifier = said.modifier;
  if (known != nullptr) {
    column.number = known->number;
    if (known->type == said.type) column.dimensions = known->dimensions;
  }
  return column;
}

bool is_key(const Relation& relation, std::size_t i, const CatalogColumn* known, const CatalogTable* table) {
  if (relation.identity != 'f') return relation.columns[i].key;
  // With a full identity the message flags every column, so only the catalog knows the key.
  if (known == nullptr || table == nullptr) return false;
  return std::find(table->key_numbers.begin(), table->key_numbers.end(), known->number) != table->key_numbers.end();
}

}  // namespace

bool agrees(const Relation& relation, const CatalogTable& table) {
  const std::vector<const CatalogColumn*> sent = sent_columns(table);
  return std::equal(relation.columns.begin(), relation.columns.end(), sent.begin(), sent.end(),
                    [](const RelationColumn& said, const CatalogColumn* known) { return same(said, *known); });
}

TableShape shape_from(const Relation& relation, const CatalogTable* table, const TypeRows& types) {
  TableShape shape;
  shape.table = TableId{relation.oid};
  shape.name = {relation.schema, relation.name};
  std::vector<const CatalogColumn*> known(relation.columns.size(), nullptr);
  if (table != nullptr) known = match(relation, *table);
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    if (is_key(relation, i, known[i], table)) shape.key.push_back(static_cast<std::uint16_t>(i));
    shape.columns.push_back(column_of(types, as_catalog_column(relation.columns[i], known[i])));
  }
  const bool full = relation.identity == 'f';
  if (full && table != nullptr && shape.key.size() != table->key_numbers.size()) shape.key.clear();
  shape.old_rows_are_keys = !full && !shape.key.empty();
  return shape;
}

std::string first_text_column(const Relation& relation, const CatalogTable* table, const TypeRows& types) {
  std::vector<const CatalogColumn*> known(relation.columns.size(), nullptr);
  if (table != nullptr) known = match(relation, *table);
  for (std::size_t i = 0; i < relation.columns.size(); ++i) {
    if (arrives_as_text(types, as_catalog_column(relation.columns[i], known[i]))) return relation.columns[i].name;
  }
  return {};
}

}  // namespace lockstep::postgres
