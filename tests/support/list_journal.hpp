#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "journal/journal.hpp"
#include "model/change.hpp"
#include "support/text_rows.hpp"

namespace lockstep::test {

/// A journal that is a list in memory, for tests of those who read one. Everything is durable at once, unless `hold`
/// says.
class ListJournal final : public journal::Journal {
 public:
  struct Transaction {
    Commit commit;
    std::vector<Block> parts;
  };

  // ---- what tests write
  /// Adds a transaction of one part per element; gives its state id. Ends at 100 times its number.
  StateId add(Xid xid, const std::vector<std::vector<std::byte>>& parts) {
    const StateId state{first_ + transactions_.size()};
    const auto number = static_cast<std::int64_t>(state.value);
    Transaction added{{state, xid, PgPosition{Lsn{state.value * 100}}, UnixMicros{number * 1000}}, {}};
    for (const auto& part : parts) added.parts.push_back(std::make_shared<const std::vector<std::byte>>(part));
    transactions_.push_back(added);
    through_ = std::max<Position>(through_, added.commit.end);
    return state;
  }
  StateId add_mark(Xid xid, const std::string& text) {
    Change mark;
    mark.kind = ChangeKind::message;
    mark.prefix = mark_prefix;
    mark.content = bytes_of(text);
    std::vector<std::byte> part;
    encode_change(mark, part);
    return add(xid, {part});
  }
  ShapeId shape_id(const TableShape& shape) {
    for (std::size_t i = 0; i < shapes_.size(); ++i) {
      if (*shapes_[i] == shape) return ShapeId{static_cast<std::uint32_t>(i + 1)};
    }
    shapes_.push_back(std::make_shared<const TableShape>(shape));
    return ShapeId{static_cast<std::uint32_t>(shapes_.size())};
  }
  void set_through(Position position) { through_ = position; }
  /// Transactions after `state` are written but not durable yet.
  void hold(std::optional<StateId> state) { held_at_ = state; }
  void trim(StateId state) {
    while (first_ <= state.value) {
      trimmed_ = transactions_.front().commit;
      transactions_.erase(transactions_.begin());
      ++first_;
    }
  }

  // ---- what the rooms read
  journal::Durable durable() const override {
    StateId last{first_ + transactions_.size() - 1};
    if (held_at_ && *held_at_ < last) return {*held_at_, std::nullopt};
    return {last, through_};
  }
  Result<std::unique_ptr<journal::Reader>> reader(StateId after) override {
    if (after.value + 1 < first_) return Error{ErrorKind::lost_history, "trimmed"};
    return std::unique_ptr<journal::Reader>(std::make_unique<ListReader>(*this, after));
  }
  std::shared_ptr<const TableShape> shape(ShapeId id) const override {
    return id.value == 0 || id.value > shapes_.size() ? nullptr : shapes_[id.value - 1];
  }
  Result<Commit> commit_at(StateId state) override {
    if (trimmed_ && trimmed_->state == state) return *trimmed_;
    if (state.value < first_ || state > durable().last) return Error{ErrorKind::lost_history, "not held"};
    return transactions_[state.value - first_].commit;
  }
  StateId first_held() const override { return StateId{first_}; }

  // ---- nobody who only reads needs these
  Status begin_connection() override { return Done{}; }
  Result<ShapeId> add_shape(const TableShape& shape) override { return shape_id(shape); }
  Status append_part(Xid, Xid, bool, Bytes) override { return Done{}; }
  Status abort(Xid, Xid) override { return Done{}; }
  Result<std::optional<StateId>> commit(Xid, const Position&, UnixMicros) override { return std::optional<StateId>{}; }
  Status received_through(const Position&) override { return Done{}; }
  Result<journal::Durable> sync() override { return durable(); }
  bool dirty() const override { return false; }
  Status release(StateId) override { return Done{}; }
  std::uint64_t bytes() const override { return 0; }
  bool has_room(std::string*) const override { return true; }

 private:
  class ListReader final : public journal::Reader {
   public:
    ListReader(const ListJournal& journal, StateId after) : journal_(journal), at_(after) {}
    Result<std::optional<Commit>> next() override {
      if (at_ >= journal_.durable().last) return std::optional<Commit>{};
      ++at_.value;
      part_ = 0;
      return std::optional<Commit>(now().commit);
    }
    Result<std::optional<Block>> next_part() override {
      if (part_ == now().parts.size()) return std::optional<Block>{};
      return std::optional<Block>(now().parts[part_++]);
    }

   private:
    const Transaction& now() const { return journal_.transactions_[at_.value - journal_.first_]; }
    const ListJournal& journal_;
    StateId at_;
    std::size_t part_ = 0;
  };

  std::vector<Transaction> transactions_;
  std::uint64_t first_ = 1;
  std::optional<Commit> trimmed_;
  Position through_ = PgPosition{Lsn{0}};
  std::optional<StateId> held_at_;
  std::vector<std::shared_ptr<const TableShape>> shapes_;
};

/// Writes changes of text tables, part by part.
class ChangeWriter {
 public:
  explicit ChangeWriter(ListJournal& journal) : journal_(journal) {}

  ChangeWriter& insert(const TableShape& shape, const TextRow& row) {
    return write(ChangeKind::insert, shape, {}, row);
  }
  ChangeWriter& update(const TableShape& shape, const TextRow& row) {
    return write(ChangeKind::update, shape, {}, row);
  }
  ChangeWriter& update(const TableShape& shape, const TextRow& old_row, const TextRow& row) {
    return write(ChangeKind::update, shape, old_row, row);
  }
  ChangeWriter& erase(const TableShape& shape, const TextRow& row) { return write(ChangeKind::erase, shape, row, {}); }
  ChangeWriter& truncate(std::vector<TableId> tables) {
    Change change;
    change.kind = ChangeKind::truncate;
    change.tables = std::move(tables);
    encode_change(change, parts_.back());
    return *this;
  }
  ChangeWriter& next_part() {
    parts_.emplace_back();
    return *this;
  }
  StateId commit(Xid xid) {
    const StateId state = journal_.add(xid, parts_);
    parts_.assign(1, {});
    return state;
  }

 private:
  ChangeWriter& write(ChangeKind kind, const TableShape& shape, const TextRow& old_row, const TextRow& row) {
    const std::vector<std::byte> old_bytes = old_row.empty() ? std::vector<std::byte>{} : encoded(old_row);
    const std::vector<std::byte> new_bytes = row.empty() ? std::vector<std::byte>{} : encoded(row);
    Change change;
    change.kind = kind;
    change.shape = journal_.shape_id(shape);
    change.old_row = old_bytes;
    change.new_row = new_bytes;
    encode_change(change, parts_.back());
    return *this;
  }

  ListJournal& journal_;
  std::vector<std::vector<std::byte>> parts_{1};
};

}  // namespace lockstep::test
