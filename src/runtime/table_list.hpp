#pragma once

#include <map>
#include <set>
#include <span>
#include <vector>

#include "apply/lane.hpp"
#include "copy/group.hpp"
#include "destination/destination.hpp"
#include "runtime/status.hpp"
#include "source/source.hpp"

namespace lockstep::runtime {

/// Keeps the status of every table of a mirror, from what the source listed, the destination holds and a copy reports.
/// One thread.
class TableList {
 public:
  /// `wanted`: the mirror's tables. Others are listed as left out, with the source's reason.
  TableList(std::span<const source::Table> known, std::span<const TableId> wanted);

  /// What the destination holds now.
  void see(const destination::Contents& contents);
  void see(const std::vector<copy::TableProgress>& progress);
  void see(const std::vector<apply::TableChanges>& changes);

  /// The mirror does without this table from now on. Gives its name.
  std::string leave_out(TableId table, const std::string& why);

  std::vector<TableStatus> list() const;
  /// The rows of `lockstep.tables`, for those that differ from the last call's.
  std::vector<destination::TableNote> take_notes();

 private:
  struct Entry {
    TableStatus status;
    bool noted = false;
    destination::TableState noted_state{};
  };
  Entry& entry(TableId table);

  std::map<TableId, Entry> entries_;
};

/// The state of the whole, from that of its tables.
MirrorState state_of(const std::vector<TableStatus>& tables, bool paused);

}  // namespace lockstep::runtime
