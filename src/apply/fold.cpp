#include "apply/fold.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

// Problem: a batch may change one row many times, move rows from key to key (also in rings), and leave large values
// unsaid ("unchanged"). The destination wants each key at most once, and reads all it needs before it writes.
// Idea: one entry a key says two independent things: whether the destination had a row there before the batch (`erase`),
// and which row is there now (`newest`). A row that moves takes its bytes along, and with them the name of the
// destination's row that it once was (`base`), so that a value nobody has said since can be read from there.
// In memory only; a crash loses nothing, the journal is folded again.

namespace lockstep::apply {
namespace {

bool holds_a_value(const Cell& cell) { return cell.state == Cell::State::text || cell.state == Cell::State::binary; }

}  // namespace

ChangeCounts& ChangeCounts::operator+=(const ChangeCounts& more) {
  inserts += more.inserts;
  updates += more.updates;
  deletes += more.deletes;
  truncates += more.truncates;
  return *this;
}

Fold::Fold(const TableShape& shape, const std::vector<ColumnDecoder>& decoders)
    : shape_(&shape), decoders_(&decoders), is_key_(shape.columns.size(), false) {
  for (const std::uint16_t column : shape.key) {
    CHECK(column < is_key_.size());
    is_key_[column] = true;
  }
  if (shape.key.empty()) return;
  const auto [first, last] = std::minmax_element(shape.key.begin(), shape.key.end());
  key_first_ = *first;
  key_last_ = *last;
  key_is_one_piece_ =
      std::find(is_key_.begin() + key_first_, is_key_.begin() + key_last_, false) == is_key_.begin() + key_last_;
}

Status Fold::add(const Change& change, bool old_rows_are_keys, const Block& block) {
  if (blocks_.empty() || blocks_.back() != block) blocks_.push_back(block);
  switch (change.kind) {
    case ChangeKind::insert: ++counts_.inserts; return insert_row(change);
    case ChangeKind::update:
      ++counts_.updates;
      return shape_->key.empty() ? update_keyless(change) : update_row(change, old_rows_are_keys);
    case ChangeKind::erase: ++counts_.deletes; return erase_row(change);
    case ChangeKind::truncate:
    case ChangeKind::message: break;
  }
  CHECK(false);
}

// Whatever was folded is gone with the table's rows; later rows can only be inserts.
void Fold::truncate() {
  ++counts_.truncates;
  truncated_ = true;
  index_.clear();
  entries_.clear();
  layers_.clear();
  blocks_.clear();
  keys_.clear();
  made_bytes_ = 0;
}

Status Fold::insert_row(const Change& change) {
  TRY(facts, scan(change.new_row));
  if (facts.has_unchanged) return bad("an insert leaves a value unsaid");
  if (shape_->key.empty()) return count_row(change.new_row, 1);
  TRY(key, key_of(change.new_row, facts));
  Entry& entry = entries_[number_of(key)];
  if (entry.present) return bad("an insert under a key that is there already");
  entry.present = true;
  entry.newest = change.new_row;
  entry.layers = none;
  return Done{};
}

Status Fold::update_row(const Change& change, bool old_rows_are_keys) {
  TRY(facts, scan(change.new_row));
  TRY(key, key_of_new(change, facts));
  Key old_key = key;
  if (!change.old_row.empty()) {
    TRY(old_facts, scan(change.old_row));
    TRY(named, key_of(change.old_row, old_facts));
    old_key = named;
  }
  TRY(replaced, take_away(old_key));
  const std::uint32_t number = number_of(key);
  if (entries_[number].present) return bad("an update moves a row to a key that is there already");
  return put(number, change, old_rows_are_keys, facts.has_unchanged, replaced);
}

Status Fold::erase_row(const Change& change) {
  TRY(facts, scan(change.old_row));
  if (shape_->key.empty()) {
    if (facts.has_unchanged) return bad("a delete leaves a value of its row unsaid");
    return count_row(change.old_row, -1);
  }
  TRY(key, key_of(change.old_row, facts));
  TRY_DO(take_away(key));
  return Done{};
}

// An unchanged cell of a keyless row is written out: rows are told apart by all of their bytes.
Status Fold::update_keyless(const Change& change) {
  TRY(facts, scan(change.new_row));
  TRY(old_facts, scan(change.old_row));
  if (old_facts.has_unchanged) return bad("an update leaves a value of its old row unsaid");
  TRY_DO(count_row(change.old_row, -1));
  if (!facts.has_unchanged) return count_row(change.new_row, 1);
  CHECK(split_row(change.new_row, cells_) && split_row(change.old_row, old_cells_));
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].state == Cell::State::unchanged) cells_[i] = old_cells_[i];
  }
  std::vector<std::byte> whole;
  encode_row(cells_, whole);
  return count_row(keep(std::move(whole)), 1);
}

Status Fold::count_row(Bytes row, std::int64_t by) {
  Entry& entry = entries_[number_of({row, row})];
  entry.net += by;
  if (truncated_ && entry.net < 0) return bad("a row is taken away that a truncate has taken before");
  return Done{};
}

/// The row under `key` leaves its place; the destination's row is to be erased if it was the one that stood there.
Result<Fold::Replaced> Fold::take_away(const Key& key) {
  const auto before = static_cast<std::uint32_t>(entries_.size());
  const std::uint32_t number = number_of(key);
  Entry& entry = entries_[number];
  if (number == before && !truncated_) {
    entry.erase = true;
    return Replaced{{}, none, key.row};
  }
  if (!entry.present) return bad("an update or delete of a row that is not there");
  Replaced replaced{entry.newest, entry.layers, {}};
  if (entry.layers != none) replaced.base = layers_[entry.layers].base;
  entry.present = false;
  entry.newest = {};
  entry.layers = none;
  return replaced;
}

Status Fold::put(std::uint32_t number, const Change& change, bool old_rows_are_keys, bool has_unchanged,
                 const Replaced& replaced) {
  Entry& entry = entries_[number];
  entry.present = true;
  entry.newest = change.new_row;
  entry.layers = none;
  if (!has_unchanged) return Done{};
  TRY(layers, layers_of(change, old_rows_are_keys, replaced));
  if (replaced.layers != none) {  // the row's own, which nobody else refers to
    entry.layers = replaced.layers;
    layers_[replaced.layers] = std::move(layers);
  } else {
    entry.layers = static_cast<std::uint32_t>(layers_.size());
    layers_.push_back(std::move(layers));
  }
  return Done{};
}

/// Where the values come from that the new row leaves unsaid. A row is kept only if it gives one that no newer row
/// gives, so a row that is updated a million times has no more layers than columns.
Result<destination::Layers> Fold::layers_of(const Change& change, bool old_rows_are_keys, const Replaced& replaced) {
  CHECK(split_row(change.new_row, cells_));
  unresolved_.clear();
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].state == Cell::State::unchanged) unresolved_.push_back(static_cast<std::uint16_t>(i));
  }
  destination::Layers layers;
  bool done = !old_rows_are_keys && !change.old_row.empty() && keep_if_it_helps(change.old_row, layers);
  if (!done && !replaced.newest.empty()) done = keep_if_it_helps(replaced.newest, layers);
  if (!done && replaced.layers != none) {
    for (const Bytes older : layers_[replaced.layers].older) {
      if (done) break;
      done = keep_if_it_helps(older, layers);
    }
  }
  if (done) return layers;
  if (replaced.base.empty()) return bad("an update leaves a value unsaid that was never said");
  layers.base = replaced.base;
  return layers;
}

/// True when nothing is unresolved any more.
bool Fold::keep_if_it_helps(Bytes row, destination::Layers& layers) {
  CHECK(split_row(row, old_cells_));
  const std::size_t before = unresolved_.size();
  std::erase_if(unresolved_, [&](std::uint16_t i) { return old_cells_[i].state != Cell::State::unchanged; });
  if (unresolved_.size() < before) layers.older.push_back(row);
  return unresolved_.empty();
}

Result<Fold::Scan> Fold::scan(Bytes row) const {
  RowReader in(row);
  if (in.count() != shape_->columns.size()) return bad("a row does not have the table's columns");
  Scan facts;
  const std::byte* key_begin = nullptr;
  for (std::uint16_t i = 0; i < in.count(); ++i) {
    if (i == key_first_) key_begin = in.rest().data();
    const Cell cell = in.next();
    if (cell.state == Cell::State::unchanged) facts.has_unchanged = true;
    if (is_key_[i] && !holds_a_value(cell)) facts.key_is_whole = false;
    if (i == key_last_ && in.ok()) facts.key = {key_begin, static_cast<std::size_t>(in.rest().data() - key_begin)};
  }
  if (!in.complete()) return bad("a row does not parse");
  return facts;
}

Result<Fold::Key> Fold::key_of(Bytes row, const Scan& facts) {
  if (!facts.key_is_whole) return bad("a row's key has a cell without a value");
  if (key_is_one_piece_) return Key{facts.key, row};
  return made_key(row);
}

/// The source may leave a large key value unsaid in the new row; it then names the old row, which has it.
Result<Fold::Key> Fold::key_of_new(const Change& change, const Scan& facts) {
  if (facts.key_is_whole || change.old_row.empty()) return key_of(change.new_row, facts);
  TRY(old_facts, scan(change.old_row));
  if (!old_facts.key_is_whole) return bad("a row's key has a cell without a value");
  CHECK(split_row(change.new_row, cells_) && split_row(change.old_row, old_cells_));
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (!is_key_[i]) cells_[i] = Cell{};
    if (cells_[i].state == Cell::State::unchanged) cells_[i] = old_cells_[i];
  }
  std::vector<std::byte> made;
  encode_row(cells_, made);
  const Bytes row = keep(std::move(made));
  TRY(made_facts, scan(row));
  return key_of(row, made_facts);
}

/// Key cells that do not stand side by side are put together, each with its state and length.
Fold::Key Fold::made_key(Bytes row) {
  CHECK(split_row(row, old_cells_));
  std::vector<std::byte> bytes;
  WireWriter out(bytes);
  for (std::size_t i = key_first_; i <= key_last_; ++i) {
    if (!is_key_[i]) continue;
    out.u8(static_cast<std::uint8_t>(old_cells_[i].state));
    out.sized(old_cells_[i].bytes);
  }
  made_bytes_ += bytes.size();
  return {bytes_of(keys_.keep(text_of(bytes))), row};
}

std::uint32_t Fold::number_of(const Key& key) {
  const auto fresh = static_cast<std::uint32_t>(entries_.size());
  const std::uint32_t number = index_.find_or_add(key.bytes, fresh);
  if (number == fresh) {
    entries_.emplace_back();
    entries_.back().key_row = key.row;
  }
  return number;
}

Bytes Fold::keep(std::vector<std::byte> bytes) {
  made_bytes_ += bytes.size() + sizeof(std::vector<std::byte>);
  blocks_.push_back(std::make_shared<const std::vector<std::byte>>(std::move(bytes)));
  return *blocks_.back();
}

std::uint64_t Fold::bytes() const {
  constexpr std::uint64_t layer_bytes = sizeof(destination::Layers) + 2 * sizeof(Bytes);
  return index_.bytes() + entries_.size() * sizeof(Entry) + layers_.size() * layer_bytes + made_bytes_;
}

destination::TableBatch Fold::take() {
  destination::TableBatch batch;
  batch.shape = shape_;
  batch.decoders = decoders_;
  batch.truncate = truncated_;
  take_rows(batch);
  batch.layers = std::move(layers_);
  batch.blocks = std::move(blocks_);
  clear();
  return batch;
}

void Fold::take_rows(destination::TableBatch& batch) {
  for (const Entry& entry : entries_) {
    if (entry.erase) batch.erases.push_back({entry.key_row, 1});
    if (entry.present) batch.rows.push_back({entry.newest, entry.layers});
    if (entry.net < 0) batch.erases.push_back({entry.key_row, static_cast<std::uint32_t>(-entry.net)});
    for (std::int64_t i = 0; i < entry.net; ++i) batch.rows.push_back({entry.key_row, none});
  }
}

void Fold::clear() {
  index_.clear();
  entries_.clear();
  layers_.clear();
  blocks_.clear();
  keys_.clear();
  truncated_ = false;
  made_bytes_ = 0;
  counts_ = {};
}

Error Fold::bad(const char* what) const {
  return {ErrorKind::bad_data, what, "report this: what was received does not fit together", to_text(shape_->name)};
}

}  // namespace lockstep::apply
