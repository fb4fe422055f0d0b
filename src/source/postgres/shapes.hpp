#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/shape.hpp"
#include "source/postgres/connection.hpp"
#include "source/postgres/type_map.hpp"

namespace lockstep::postgres {

/// One row of pg_attribute, dropped ones too: their numbers tell columns apart that were renamed.
struct CatalogColumn {
  std::uint16_t number = 0;
  std::string name;
  std::uint32_t type = 0;
  std::int32_t modifier = -1;
  std::int32_t dimensions = 0;
  bool dropped = false;
  bool generated = false;    ///< never sent, so not mirrored
  bool virtual_one = false;  ///< generated, and stored nowhere (18 and later)

  bool sent() const { return !dropped && !generated; }
};

/// A table as the catalog has it, under whatever snapshot it was read.
struct CatalogTable {
  TableId id;
  TableName name;
  char kind = 'r';                         ///< relkind: r(elation), p(artitioned)
  char identity = 'd';                     ///< relreplident
  std::vector<CatalogColumn> columns;      ///< by number
  std::vector<std::uint16_t> key_numbers;  ///< of the usable key's columns; empty: it has none
};

struct Catalog {
  std::map<TableId, CatalogTable> tables;
  TypeRows types;
};

/// Reads `tables` with the transaction's snapshot; tables that are gone are left out. The connection's transaction, if
/// any, goes on.
Result<Catalog> read_catalog(Connection& connection, const std::vector<TableId>& tables);

Column column_of(const TypeRows& types, const CatalogColumn& column);

/// The rows' shape: what a snapshot is read as and what the stream sends. A key holds when the table has a usable one and
/// sends all its columns.
TableShape shape_of(const TypeRows& types, const CatalogTable& table);

/// How the column is selected so that its decoder can read it: as it is, in binary, or as the server's text of it.
bool arrives_as_text(const TypeRows& types, const CatalogColumn& column);

}  // namespace lockstep::postgres
