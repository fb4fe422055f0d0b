#include "apply/lane.hpp"

#include <utility>

#include "apply/ledger.hpp"
#include "apply/shape_check.hpp"
#include "base/check.hpp"

namespace lockstep::apply {

Lane::Lane(journal::Journal& journal, const DecoderFactory& decoders) : journal_(journal), decoders_(decoders) {}

Status Lane::add_live(const destination::LiveTable& table) {
  return add_target(table.shape, table.types, std::nullopt);
}

Status Lane::add_hidden(const destination::CopyLedger& ledger) {
  return add_target(ledger.shape, ledger.types, ledger);
}

void Lane::ignore(TableId table) { targets_.emplace(table, nullptr); }

Status Lane::add_target(const TableShape& shape, const std::vector<LogicalType>& types,
                        std::optional<destination::CopyLedger> ledger) {
  CHECK(types.size() == shape.columns.size());
  auto target = std::make_unique<Target>();
  target->shape = shape;
  target->ledger = std::move(ledger);
  for (std::size_t i = 0; i < types.size(); ++i) {
    TRY(decoder, decoders_.decoder(shape.columns[i], types[i]));
    target->decoders.push_back(decoder);
  }
  target->fold = std::make_unique<Fold>(target->shape, target->decoders);
  targets_.insert_or_assign(shape.table, std::move(target));
  routes_.clear();
  return Done{};
}

Status Lane::start_after(StateId state) {
  for (auto& [table, target] : targets_) {
    if (target != nullptr) target->fold->clear();
  }
  block_bytes_ = 0;
  changes_ = 0;
  inside_ = false;
  at_ = Commit{};
  at_.state = state;
  TRY(reader, journal_.reader(state));
  reader_ = std::move(reader);
  return Done{};
}

Result<Lane::Took> Lane::take() {
  CHECK(reader_ != nullptr);
  if (!inside_) return begin_transaction();
  TRY(part, reader_->next_part());
  if (!part) {
    inside_ = false;
    return Took::end_of_transaction;
  }
  TRY_DO(fold_part(*part));
  return Took::part;
}

Result<Lane::Took> Lane::begin_transaction() {
  TRY(commit, reader_->next());
  if (!commit) return Took::nothing;
  CHECK(commit->state.value == at_.state.value + 1);  // the order has no gaps
  at_ = *commit;
  inside_ = true;
  for (auto& [table, target] : targets_) {
    if (target == nullptr || !target->ledger) continue;
    target->takes_this = lacks(target->ledger->visible, target->ledger->applied, at_.state, at_.xid);
  }
  return Took::part;
}

Status Lane::fold_part(const Block& part) {
  const std::uint64_t before = changes_;
  ChangeReader in(*part);
  Change change;
  while (in.next(change)) TRY_DO(fold_change(change, part));
  if (!in.ok()) return Error{ErrorKind::bad_data, "a transaction in the journal does not parse"};
  if (changes_ > before) block_bytes_ += part->size();
  return Done{};
}

Status Lane::fold_change(const Change& change, const Block& part) {
  if (change.kind == ChangeKind::message) return Done{};
  if (change.kind == ChangeKind::truncate) return truncate(change);
  TRY(to, route(change.shape));
  if (to->target == nullptr || !to->target->takes_this) return Done{};
  if (!to->difference.empty()) {
    return Error{ErrorKind::unsupported, "a schema change of a table cannot be followed yet: " + to->difference,
                 "everything before it has been applied; to go on, drop the mirror and copy again",
                 to_text(to->target->shape.name)};
  }
  ++changes_;
  return to->target->fold->add(change, to->old_rows_are_keys, part);
}

Status Lane::truncate(const Change& change) {
  for (const TableId table : change.tables) {
    TRY(target, find(table, "number " + std::to_string(table.value)));
    if (target == nullptr || !target->takes_this) continue;
    ++changes_;
    target->fold->truncate();
  }
  return Done{};
}

Result<const Lane::Route*> Lane::route(ShapeId id) {
  if (const auto known = routes_.find(id.value); known != routes_.end()) return &known->second;
  const std::shared_ptr<const TableShape> shape = journal_.shape(id);
  if (shape == nullptr) return Error{ErrorKind::bad_data, "the journal does not know the shape of a row"};
  TRY(target, find(shape->table, to_text(shape->name)));
  Route found{target, shape->old_rows_are_keys, target == nullptr ? "" : difference(target->shape, *shape)};
  return &routes_.emplace(id.value, std::move(found)).first->second;
}

Result<Lane::Target*> Lane::find(TableId table, const std::string& name) {
  const auto found = targets_.find(table);
  if (found != targets_.end()) return found->second.get();
  return Error{ErrorKind::unexpected, "a change of a table that is not part of the mirror",
               "see whether the publication was altered", name};
}

std::uint64_t Lane::bytes() const {
  std::uint64_t bytes = block_bytes_;
  for (const auto& [table, target] : targets_) {
    if (target != nullptr) bytes += target->fold->bytes();
  }
  return bytes;
}

Status Lane::write(destination::Step& step) {
  for (auto& [table, target] : targets_) {
    if (target == nullptr || target->fold->empty()) continue;
    target->written += target->fold->counts();
    const destination::TableBatch batch = target->fold->take();
    if (!batch.truncate && batch.erases.empty() && batch.rows.empty()) continue;
    TRY_DO(target->ledger ? step.write_hidden(batch) : step.write(batch));
  }
  block_bytes_ = 0;
  changes_ = 0;
  return Done{};
}

std::vector<TableChanges> Lane::take_counts() {
  std::vector<TableChanges> all;
  for (auto& [table, target] : targets_) {
    if (target == nullptr || target->written.changes() == 0) continue;
    all.push_back({table, std::exchange(target->written, {})});
  }
  return all;
}

}  // namespace lockstep::apply
