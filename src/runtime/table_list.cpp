#include "runtime/table_list.hpp"

#include <algorithm>

#include "destination/fence.hpp"

namespace lockstep::runtime {

using destination::TableState;

TableList::TableList(std::span<const source::Table> known, std::span<const TableId> wanted) {
  for (const TableId table : wanted) entry(table).status.state = TableState::waiting;
  for (const source::Table& table : known) {
    Entry& entry = this->entry(table.shape.table);
    TableStatus& status = entry.status;
    status.name = table.shape.name;
    status.rows_estimated = table.rows_estimated;
    status.bytes_estimated = table.bytes;
    if (status.state == TableState::left_out) {
      status.error = table.left_out.empty() ? "appeared after the mirror began" : table.left_out;
    }
  }
}

TableList::Entry& TableList::entry(TableId table) {
  const auto [found, added] = entries_.try_emplace(table);
  if (added) found->second.status.state = TableState::left_out;
  return found->second;
}

void TableList::see(const destination::Contents& contents) {
  std::set<TableId> here;
  for (const destination::CopyLedger& ledger : contents.copies) {
    const auto found = entries_.find(ledger.table);
    if (found == entries_.end()) continue;
    here.insert(ledger.table);
    TableStatus& status = found->second.status;
    status.name = ledger.shape.name;
    status.rows_copied = ledger.rows;
    status.state = destination::is_complete(ledger) ? TableState::joining : TableState::copying;
  }
  for (const destination::LiveTable& live : contents.live) {
    TableStatus& status = entry(live.shape.table).status;
    here.insert(live.shape.table);
    status.name = live.shape.name;
    status.state = TableState::live;
  }
  for (auto& [table, entry] : entries_) {
    if (!here.contains(table) && entry.status.state != TableState::left_out) entry.status.state = TableState::waiting;
  }
}

void TableList::see(const std::vector<copy::TableProgress>& progress) {
  for (const copy::TableProgress& table : progress) {
    const auto found = entries_.find(table.table);
    if (found == entries_.end()) continue;
    TableStatus& status = found->second.status;
    status.rows_copied = table.rows;
    if (status.state == TableState::live) continue;
    status.state = table.complete ? TableState::joining : TableState::copying;
  }
}

void TableList::see(const std::vector<apply::TableChanges>& changes) {
  for (const apply::TableChanges& table : changes) entry(table.table).status.changes += table.counts;
}

std::string TableList::leave_out(TableId table, const std::string& why) {
  TableStatus& status = entry(table).status;
  status.state = TableState::left_out;
  status.error = why;
  return to_text(status.name);
}

std::vector<TableStatus> TableList::list() const {
  std::vector<TableStatus> all;
  for (const auto& [table, entry] : entries_) all.push_back(entry.status);
  std::sort(all.begin(), all.end(), [](const TableStatus& a, const TableStatus& b) { return a.name < b.name; });
  return all;
}

std::vector<destination::TableNote> TableList::take_notes() {
  std::vector<destination::TableNote> notes;
  for (auto& [table, entry] : entries_) {
    if (entry.noted && entry.noted_state == entry.status.state) continue;
    entry.noted = true;
    entry.noted_state = entry.status.state;
    notes.push_back({entry.status.name, entry.status.state, entry.status.as_of, entry.status.error});
  }
  return notes;
}

MirrorState state_of(const std::vector<TableStatus>& tables, bool paused) {
  if (paused) return MirrorState::paused;
  MirrorState state = MirrorState::streaming;
  for (const TableStatus& table : tables) {
    if (table.state == TableState::waiting || table.state == TableState::copying) return MirrorState::copying;
    if (table.state == TableState::joining) state = MirrorState::joining;
  }
  return state;
}

}  // namespace lockstep::runtime
