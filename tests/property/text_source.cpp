#include "text_source.hpp"

#include <algorithm>

namespace lockstep::test {

std::vector<TableShape> all_kinds_of_tables() {
  const std::vector<std::string> columns{"k", "v", "l", "big"};
  return {text_table(1, "one_key", columns, {0}), text_table(2, "two_keys", columns, {2, 0}),
          text_table(3, "whole_old_rows", columns, {0}, false), text_table(4, "keyless", columns, {}, false)};
}

bool TextSource::is_key(std::size_t column) const {
  return std::find(shape_.key.begin(), shape_.key.end(), column) != shape_.key.end();
}

std::string TextSource::key_text(const TextRow& row) const {
  std::string text;
  for (const std::uint16_t column : shape_.key) text += *row[column] + "|";
  return text;
}

bool TextSource::key_is_free(const TextRow& row) const {
  return !is_keyed() || std::none_of(rows_.begin(), rows_.end(),
                                     [&](const TextRow& other) { return key_text(other) == key_text(row); });
}

TextRow TextSource::random_row(Dice& dice) {
  TextRow row;
  for (std::size_t i = 0; i < shape_.columns.size(); ++i) {
    if (is_key(i)) {
      row.emplace_back(prefix_ + std::to_string(dice.below(shape_.key.size() == 1 ? 4 : 2)));
    } else if (!is_keyed()) {
      row.emplace_back(prefix_ + std::to_string(dice.below(2)));  // equal rows are wanted
    } else if (dice.one_in(6)) {
      row.emplace_back(std::nullopt);
    } else {
      row.emplace_back("v" + std::to_string(++made_));
    }
  }
  return row;
}

TextRow TextSource::old_row_of(const TextRow& row) const {
  if (!shape_.old_rows_are_keys) return row;
  TextRow key(row.size());
  for (const std::uint16_t column : shape_.key) key[column] = row[column];
  return key;
}

void TextSource::change(Dice& dice, ShapeId id, std::vector<std::byte>& out) {
  const std::size_t what = dice.below(10);
  if (what < 3 || rows_.empty()) return insert(dice, id, out);
  if (what < 8) return update(dice, id, out);
  erase(dice, id, out);
}

void TextSource::insert(Dice& dice, ShapeId id, std::vector<std::byte>& out) {
  const TextRow row = random_row(dice);
  if (!key_is_free(row)) return;
  rows_.push_back(row);
  say(ChangeKind::insert, id, {}, row, out);
}

void TextSource::update(Dice& dice, ShapeId id, std::vector<std::byte>& out) {
  TextRow& row = rows_[dice.below(rows_.size())];
  const TextRow old_row = row;
  TextRow changed = random_row(dice);
  for (std::size_t i = 0; i < changed.size(); ++i) {
    if (dice.one_in(2)) changed[i] = old_row[i];
  }
  const bool key_moves = is_keyed() && key_text(changed) != key_text(old_row);
  if (key_moves && !key_is_free(changed)) return;
  row = changed;
  TextRow said = changed;
  const bool names_old = key_moves || !shape_.old_rows_are_keys || dice.one_in(4);
  for (std::size_t i = 0; i < said.size(); ++i) {
    const bool may_leave_out = said[i] == old_row[i] && (!is_key(i) || names_old);
    if (may_leave_out && dice.one_in(2)) said[i] = std::string(unsaid);
  }
  say(ChangeKind::update, id, names_old ? old_row_of(old_row) : TextRow{}, said, out);
}

void TextSource::erase(Dice& dice, ShapeId id, std::vector<std::byte>& out) {
  const std::size_t at = dice.below(rows_.size());
  say(ChangeKind::erase, id, old_row_of(rows_[at]), {}, out);
  rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(at));
}

void TextSource::say(ChangeKind kind, ShapeId id, const TextRow& old_row, const TextRow& row,
                     std::vector<std::byte>& out) const {
  const std::vector<std::byte> old_bytes = old_row.empty() ? std::vector<std::byte>{} : encoded(old_row);
  const std::vector<std::byte> new_bytes = row.empty() ? std::vector<std::byte>{} : encoded(row);
  Change change;
  change.kind = kind;
  change.shape = id;
  change.old_row = old_bytes;
  change.new_row = new_bytes;
  encode_change(change, out);
}

std::vector<std::vector<std::string>> sorted_texts(const std::vector<TextRow>& rows) {
  std::vector<std::vector<std::string>> texts;
  for (const TextRow& row : rows) {
    std::vector<std::string>& text = texts.emplace_back();
    for (const auto& value : row) text.push_back(value ? *value : "NULL");
  }
  std::sort(texts.begin(), texts.end());
  return texts;
}

}  // namespace lockstep::test
