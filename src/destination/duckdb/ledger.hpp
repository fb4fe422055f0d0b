#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "destination/destination.hpp"
#include "destination/duckdb/connection.hpp"
#include "destination/duckdb/names.hpp"

namespace lockstep::destination::duck {

/// A live table and where it stands.
struct LiveEntry {
  LiveTable about;
  Place place;
};

/// A hidden table and where it will stand. It lies in the same schema under hidden_name().
struct HiddenEntry {
  CopyLedger ledger;
  Place place;
};

/// lockstep's own tables in the file (docs/format/ledger.md). Every function works in the connection's open transaction.
class Ledger {
 public:
  /// `catalog` is DuckDB's name of the file.
  explicit Ledger(std::string catalog) : catalog_(std::move(catalog)) {}

  /// Nothing when the file has no tables of ours. Errors: unsupported (of a newer lockstep), bad_data.
  Result<std::optional<MirrorIdentity>> read_owner(Connection& connection) const;
  Status create(Connection& connection, const MirrorIdentity& identity) const;
  Status drop(Connection& connection) const;

  Result<std::optional<Shown>> read_shown(Connection& connection) const;
  Result<std::vector<LiveEntry>> read_live(Connection& connection) const;
  Result<std::vector<HiddenEntry>> read_hidden(Connection& connection) const;
  /// Error: unexpected when there is none.
  Result<HiddenEntry> read_hidden(Connection& connection, TableId table) const;

  Status insert_hidden(Connection& connection, const HiddenEntry& entry) const;
  Status remove_hidden(Connection& connection, std::span<const TableId> tables) const;
  Status add_copied(Connection& connection, TableId table, std::span<const std::uint32_t> done,
                    std::uint64_t rows) const;
  Status set_applied(Connection& connection, TableId table, StateId applied) const;

  Status insert_live(Connection& connection, std::span<const LiveEntry> entries) const;
  Status remove_live(Connection& connection, std::span<const TableId> tables) const;

  /// Moves lockstep.mirrors from `before` to `now`. Error: conflict when it does not stand at `before`.
  Status set_shown(Connection& connection, const std::string& mirror, const std::optional<Shown>& before,
                   const Shown& now) const;
  /// A note, and the destination's name of the table, where it has one.
  /// Marks a copied table as left behind by `forget`: a new copy of the same mirror may take its place.
  Status mark_left_behind(Connection& connection, const std::string& mirror, const Place& place) const;
  /// The tables that were marked so for this mirror.
  Result<std::vector<Place>> left_behind(Connection& connection, const std::string& mirror) const;

  struct PlacedNote {
    TableNote note;
    std::optional<Place> place;
  };
  /// Puts these in the place of the rows of their tables.
  Status set_notes(Connection& connection, const std::string& mirror, std::span<const PlacedNote> notes) const;
  Status remove_notes(Connection& connection, const std::string& mirror, std::span<const TableName> tables) const;
  Status add_schema_change(Connection& connection, const std::string& mirror, const Shown& at, const TableName& table,
                           const std::string& change) const;

  /// "catalog"."schema"."table"
  std::string qualified(const std::string& schema, const std::string& table) const;
  std::string qualified(const Place& place) const { return qualified(place.schema, place.table); }
  std::string hidden_table(const HiddenEntry& entry) const {
    return qualified(entry.place.schema, hidden_name(entry.ledger.table));
  }
  std::string qualified_schema(const std::string& schema) const {
    return quote_name(catalog_) + "." + quote_name(schema);
  }

 private:
  Result<std::vector<HiddenEntry>> read_hidden_where(Connection& connection, const std::string& where) const;
  Status read_copied(Connection& connection, const std::string& where, std::vector<HiddenEntry>& entries) const;
  std::string own(const char* table) const { return qualified("lockstep_internal", table); }
  std::string shown_to_readers(const char* table) const { return qualified("lockstep", table); }
  std::string catalog_;
};

}  // namespace lockstep::destination::duck
