#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "apply/fold.hpp"
#include "destination/destination.hpp"
#include "journal/journal.hpp"
#include "model/decoder.hpp"

namespace lockstep::apply {

/// What one table got in a batch.
struct TableChanges {
  TableId table;
  ChangeCounts counts;
};

/// Reads the journal from one state on and folds what it finds into some tables: live ones, or hidden ones that lack
/// only some of the transactions. The main lane has all live tables; publishing, and later catching up, have lanes of
/// hidden tables.
class Lane {
 public:
  Lane(journal::Journal& journal, const DecoderFactory& decoders);

  Status add_live(const destination::LiveTable& table);
  /// Only transactions that the ledger says it lacks reach the table.
  Status add_hidden(const destination::CopyLedger& ledger);
  /// Changes of this table are none of this lane's business. Those of a table that was never named are an error.
  void ignore(TableId table);
  bool has(TableId table) const { return targets_.contains(table); }

  /// Forgets what is folded and reads from the transaction after `state`.
  Status start_after(StateId state);
  /// The last transaction that is folded, whole or in part.
  StateId at() const { return at_.state; }
  const Commit& commit() const { return at_; }
  bool inside_transaction() const { return inside_; }

  enum class Took : std::uint8_t { nothing, part, end_of_transaction };
  /// Folds the next part of a transaction, if one is durable. Errors: unsupported (a table's shape is another now), bad_data.
  Result<Took> take();

  std::uint64_t bytes() const;  ///< memory held
  std::uint64_t changes() const { return changes_; }
  /// Writes what is folded and forgets it.
  Status write(destination::Step& step);
  /// Counts of everything written since the last call.
  std::vector<TableChanges> take_counts();

 private:
  struct Target {
    TableShape shape;
    std::vector<ColumnDecoder> decoders;
    std::unique_ptr<Fold> fold;                     ///< refers to the two above
    std::optional<destination::CopyLedger> ledger;  ///< of a hidden table
    bool takes_this = true;                         ///< the transaction at hand
    ChangeCounts written;
  };
  /// Where changes of one journalled shape go.
  struct Route {
    Target* target = nullptr;  ///< nothing: ignored
    bool old_rows_are_keys = true;
    std::string difference;  ///< from the target's shape; empty: none that matters
  };

  Status add_target(const TableShape& shape, const std::vector<LogicalType>& types,
                    std::optional<destination::CopyLedger> ledger);
  Result<Took> begin_transaction();
  Status fold_part(const Block& part);
  Status fold_change(const Change& change, const Block& part);
  Status truncate(const Change& change);
  Result<const Route*> route(ShapeId id);
  Result<Target*> find(TableId table, const std::string& name);

  journal::Journal& journal_;
  const DecoderFactory& decoders_;
  std::unique_ptr<journal::Reader> reader_;
  std::map<TableId, std::unique_ptr<Target>> targets_;  ///< nothing: to be ignored
  std::unordered_map<std::uint32_t, Route> routes_;     ///< by shape
  Commit at_{};
  bool inside_ = false;
  std::uint64_t block_bytes_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace lockstep::apply
