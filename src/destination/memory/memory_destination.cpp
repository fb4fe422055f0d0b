#include "destination/memory/memory_destination.hpp"

#include "destination/fence.hpp"
#include "destination/memory/step.hpp"

namespace lockstep::destination {

Status MemoryDestination::ask(std::string_view call, Moment moment) {
  if (!hook_) return Done{};
  return hook_(call, moment);
}

Status MemoryDestination::must_be_open() const {
  if (open_) return Done{};
  return Error{ErrorKind::unexpected, "the destination is not open"};
}

Status MemoryDestination::open(const MirrorIdentity& identity) {
  return guarded("open", [&]() -> Status {
    const auto& owner = durable_.identity;
    if (owner && (owner->mirror != identity.mirror || owner->source != identity.source)) {
      return Error{ErrorKind::refused,
                   "the destination holds the copy of mirror '" + owner->mirror + "' of " + owner->source,
                   "choose another destination"};
    }
    durable_.identity = identity;
    open_ = true;
    return Done{};
  });
}

Result<Contents> MemoryDestination::contents() {
  return guarded("contents", [&]() -> Result<Contents> {
    TRY_DO(must_be_open());
    Contents found{durable_.shown, {}, {}};
    for (const auto& [id, hidden] : durable_.hidden) found.copies.push_back(hidden.ledger);
    for (const auto& [id, live] : durable_.live) found.live.push_back(live.about);
    return found;
  });
}

Status MemoryDestination::create_hidden(const CopyLedger& ledger) {
  return guarded("create_hidden", [&]() -> Status {
    TRY_DO(must_be_open());
    if (durable_.foreign.contains(ledger.shape.name)) {
      return Error{ErrorKind::refused, "a table of this name is there already and is not ours",
                   "rename or drop it, or leave the table out", to_text(ledger.shape.name)};
    }
    durable_.hidden.insert_or_assign(ledger.table,
                                     Hidden{ledger, std::make_shared<const MemoryTable>(ledger.shape, ledger.types)});
    return Done{};
  });
}

Result<CopyCounts> MemoryDestination::copy_into(TableId hidden, const std::string& snapshot,
                                                std::span<const std::uint32_t> done,
                                                std::span<const std::unique_ptr<RowStream>> streams) {
  return guarded("copy_into", [&]() -> Result<CopyCounts> {
    TRY_DO(must_be_open());
    const auto found = durable_.hidden.find(hidden);
    if (found == durable_.hidden.end() || found->second.ledger.snapshot != snapshot) {
      return Error{ErrorKind::conflict, "the hidden table is not being copied under this snapshot"};
    }
    MemoryTable table = *found->second.table;
    CopyCounts counts;
    for (const auto& stream : streams) {
      TRY(rows, table.append(*stream));
      counts.rows += rows;
    }
    CopyLedger& ledger = found->second.ledger;
    ledger.done.insert(ledger.done.end(), done.begin(), done.end());
    ledger.rows += counts.rows;
    found->second.table = std::make_shared<const MemoryTable>(std::move(table));
    return counts;
  });
}

Status MemoryDestination::drop_hidden(TableId hidden) {
  return guarded("drop_hidden", [&]() -> Status {
    TRY_DO(must_be_open());
    durable_.hidden.erase(hidden);
    return Done{};
  });
}

Result<std::unique_ptr<Step>> MemoryDestination::begin(const std::optional<Shown>& expected) {
  return guarded("begin", [&]() -> Result<std::unique_ptr<Step>> {
    TRY_DO(must_be_open());
    CHECK(step_ == nullptr);  // one step at a time
    TRY_DO(check_shown(durable_.shown, expected));
    return std::unique_ptr<Step>(std::make_unique<MemoryStep>(*this));
  });
}

Status MemoryDestination::drop_live(const TableName& table) {
  return guarded("drop_live", [&]() -> Status {
    TRY_DO(must_be_open());
    std::erase_if(durable_.live, [&](const auto& entry) { return entry.second.about.shape.name == table; });
    durable_.notes.erase(table);
    return Done{};
  });
}

Status MemoryDestination::tidy_up() {
  return guarded("tidy_up", [&]() -> Status { return must_be_open(); });
}

Status MemoryDestination::forget() {
  return guarded("forget", [&]() -> Status {
    TRY_DO(must_be_open());
    State left;
    left.foreign = durable_.foreign;
    for (const auto& [id, live] : durable_.live) left.foreign.insert_or_assign(live.about.shape.name, live.table);
    durable_ = std::move(left);
    open_ = false;
    return Done{};
  });
}

void MemoryDestination::close() { crash(); }

void MemoryDestination::crash() {
  open_ = false;
  ++life_;
  step_ = nullptr;
}

std::optional<std::vector<MemoryRow>> MemoryDestination::rows(const TableName& table) const {
  for (const auto& [id, live] : durable_.live) {
    if (live.about.shape.name == table) return live.table->rows();
  }
  const auto found = durable_.foreign.find(table);
  if (found == durable_.foreign.end()) return std::nullopt;
  return found->second->rows();
}

std::vector<TableName> MemoryDestination::table_names() const {
  std::vector<TableName> names;
  for (const auto& [id, live] : durable_.live) names.push_back(live.about.shape.name);
  for (const auto& [name, table] : durable_.foreign) names.push_back(name);
  return names;
}

std::optional<std::vector<MemoryRow>> MemoryDestination::hidden_rows(TableId table) const {
  const auto found = durable_.hidden.find(table);
  if (found == durable_.hidden.end()) return std::nullopt;
  return found->second.table->rows();
}

}  // namespace lockstep::destination
