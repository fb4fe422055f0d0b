#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/change.hpp"
#include "model/shape.hpp"
#include "support/text_rows.hpp"

namespace lockstep::test {

/// The only chance in a run.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::uint64_t seed() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

/// As the memory destination shows them, sorted.
std::vector<std::vector<std::string>> sorted_texts(const std::vector<TextRow>& rows);

/// A table of the source, as dumb as can be: rows in a list, each change done one by one. It also says each change as a
/// source would, leaving values unsaid now and then.
class TextSource {
 public:
  /// `prefix` stands before all keys (keyless: all values): two sources of one table never meet.
  explicit TextSource(TableShape shape, std::string prefix = "")
      : shape_(std::move(shape)), prefix_(std::move(prefix)) {}

  /// Makes one change and appends it, encoded. Few keys, so that they meet.
  void change(Dice& dice, ShapeId id, std::vector<std::byte>& out);
  void truncate() { rows_.clear(); }
  const TableShape& shape() const { return shape_; }
  const std::vector<TextRow>& rows() const { return rows_; }

  /// As the memory destination shows them.
  std::vector<std::vector<std::string>> sorted_texts() const { return test::sorted_texts(rows_); }

 private:
  bool is_keyed() const { return !shape_.key.empty(); }
  bool is_key(std::size_t column) const;
  std::string key_text(const TextRow& row) const;
  bool key_is_free(const TextRow& row) const;
  TextRow random_row(Dice& dice);
  TextRow old_row_of(const TextRow& row) const;
  void insert(Dice& dice, ShapeId id, std::vector<std::byte>& out);
  void update(Dice& dice, ShapeId id, std::vector<std::byte>& out);
  void erase(Dice& dice, ShapeId id, std::vector<std::byte>& out);
  void say(ChangeKind kind, ShapeId id, const TextRow& old_row, const TextRow& row, std::vector<std::byte>& out) const;

  TableShape shape_;
  std::string prefix_;
  std::vector<TextRow> rows_;
  std::uint64_t made_ = 0;
};

/// Keyed by one column, by two that do not stand side by side, keyed with whole old rows, keyless.
std::vector<TableShape> all_kinds_of_tables();

}  // namespace lockstep::test
