#include "apply/fold.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

#include "base/check.hpp"
#include "support/text_rows.hpp"

namespace lockstep::apply {
namespace {

using test::TextRow;
using test::unsaid;

/// Folds changes of one table, as a source would say them.
class FoldTest : public testing::Test {
 protected:
  explicit FoldTest(TableShape shape = test::text_table(1, "t", {"id", "small", "large"}, {0}))
      : shape_(std::move(shape)) {
    for (const Column& column : shape_.columns) {
      decoders_.push_back(test::TextDecoders().decoder(column, column.type).value());
    }
    fold_.emplace(shape_, decoders_);
  }

  Status say(ChangeKind kind, const TextRow& old_row, const TextRow& row) {
    std::vector<std::byte> bytes = old_row.empty() ? std::vector<std::byte>{} : test::encoded(old_row);
    const std::size_t old_size = bytes.size();
    if (!row.empty()) {
      const std::vector<std::byte> more = test::encoded(row);
      bytes.insert(bytes.end(), more.begin(), more.end());
    }
    block_ = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    const Bytes old_bytes = Bytes(*block_).first(old_size);
    const Bytes new_bytes = Bytes(*block_).subspan(old_size);
    Change change;
    change.kind = kind;
    change.old_row = old_bytes;
    change.new_row = new_bytes;
    return fold_->add(change, shape_.old_rows_are_keys, block_);
  }
  Status insert(const TextRow& row) { return say(ChangeKind::insert, {}, row); }
  Status update(const TextRow& row) { return say(ChangeKind::update, {}, row); }
  Status update(const TextRow& old_row, const TextRow& row) { return say(ChangeKind::update, old_row, row); }
  Status erase(const TextRow& row) { return say(ChangeKind::erase, row, {}); }

  static TextRow text(Bytes row) {
    std::vector<Cell> cells;
    CHECK(split_row(row, cells));
    TextRow texts;
    for (const Cell& cell : cells) {
      if (cell.state == Cell::State::null) {
        texts.emplace_back(std::nullopt);
      } else if (cell.state == Cell::State::unchanged) {
        texts.emplace_back(unsaid);
      } else {
        texts.emplace_back(text_of(cell.bytes));
      }
    }
    return texts;
  }

  TableShape shape_;
  std::vector<ColumnDecoder> decoders_;
  std::optional<Fold> fold_;
  Block block_;
};

class KeylessFoldTest : public FoldTest {
 protected:
  KeylessFoldTest() : FoldTest(test::text_table(1, "t", {"a", "b"}, {}, false)) {}
};

class WholeOldRowsFoldTest : public FoldTest {
 protected:
  WholeOldRowsFoldTest() : FoldTest(test::text_table(1, "t", {"id", "small", "large"}, {0}, false)) {}
};

TEST_F(FoldTest, ANewRowNeedsNoErase) {
  ASSERT_TRUE(insert({"1", "a", "A"}).ok());
  ASSERT_TRUE(update({"1", "b", std::string(unsaid)}).ok());
  const auto batch = fold_->take();
  EXPECT_TRUE(batch.erases.empty());
  ASSERT_EQ(batch.rows.size(), 1U);
  EXPECT_EQ(text(batch.rows[0].newest), (TextRow{"1", "b", std::string(unsaid)}));
  const destination::Layers& layers = batch.layers[batch.rows[0].layers];
  ASSERT_EQ(layers.older.size(), 1U);
  EXPECT_EQ(text(layers.older[0]), (TextRow{"1", "a", "A"}));
  EXPECT_TRUE(layers.base.empty());
}

TEST_F(FoldTest, ARowThatCameAndWentLeavesNothing) {
  ASSERT_TRUE(insert({"1", "a", "A"}).ok());
  ASSERT_TRUE(update({"1", std::nullopt, std::nullopt}, {"2", "a", std::string(unsaid)}).ok());
  ASSERT_TRUE(erase({"2", std::nullopt, std::nullopt}).ok());
  const auto batch = fold_->take();
  EXPECT_TRUE(batch.erases.empty());
  EXPECT_TRUE(batch.rows.empty());
}

TEST_F(FoldTest, DeletedAndInsertedAgainIsReplaced) {
  ASSERT_TRUE(erase({"1", std::nullopt, std::nullopt}).ok());
  ASSERT_TRUE(insert({"1", "b", "B"}).ok());
  const auto batch = fold_->take();
  EXPECT_EQ(batch.erases.size(), 1U);
  ASSERT_EQ(batch.rows.size(), 1U);
  EXPECT_EQ(batch.rows[0].layers, destination::FoldedRow::complete);
}

TEST_F(FoldTest, RowsThatSwapTheirKeysKeepTheirLargeValues) {
  const std::string u(unsaid);
  ASSERT_TRUE(update({"1", std::nullopt, std::nullopt}, {"9", "a", u}).ok());
  ASSERT_TRUE(update({"2", std::nullopt, std::nullopt}, {"1", "b", u}).ok());
  ASSERT_TRUE(update({"9", std::nullopt, std::nullopt}, {"2", "a", u}).ok());
  const auto batch = fold_->take();
  EXPECT_EQ(batch.erases.size(), 2U);  // 1 and 2; 9 was never there
  ASSERT_EQ(batch.rows.size(), 2U);
  for (const destination::FoldedRow& row : batch.rows) {
    const TextRow now = text(row.newest);
    EXPECT_EQ(text(batch.layers[row.layers].base)[0], now[0] == "1" ? "2" : "1");
  }
}

TEST_F(FoldTest, ARowThatIsUpdatedAThousandTimesKeepsAFewLayers) {
  for (int i = 0; i < 1000; ++i) {
    const bool large_is_said = i % 2 == 0;
    ASSERT_TRUE(update({"1", large_is_said ? std::string(unsaid) : "s" + std::to_string(i),
                        large_is_said ? "l" + std::to_string(i) : std::string(unsaid)})
                    .ok());
  }
  const auto batch = fold_->take();
  ASSERT_EQ(batch.layers.size(), 1U);
  ASSERT_EQ(batch.layers[0].older.size(), 1U);
  EXPECT_EQ(text(batch.layers[0].older[0])[2], "l998");
  EXPECT_TRUE(batch.layers[0].base.empty());
}

TEST_F(FoldTest, ATruncateForgetsWhatCameBefore) {
  ASSERT_TRUE(insert({"1", "a", "A"}).ok());
  ASSERT_TRUE(erase({"2", std::nullopt, std::nullopt}).ok());
  fold_->truncate();
  ASSERT_TRUE(insert({"2", "b", "B"}).ok());
  const auto batch = fold_->take();
  EXPECT_TRUE(batch.truncate);
  EXPECT_TRUE(batch.erases.empty());
  EXPECT_EQ(batch.rows.size(), 1U);
}

TEST_F(FoldTest, TheNextChunkBuildsOnTheDestinationAgain) {
  ASSERT_TRUE(insert({"1", "a", "A"}).ok());
  fold_->take();
  ASSERT_TRUE(update({"1", "b", std::string(unsaid)}).ok());
  const auto batch = fold_->take();
  EXPECT_EQ(batch.erases.size(), 1U);
  EXPECT_EQ(text(batch.layers[batch.rows[0].layers].base)[0], "1");
}

TEST_F(FoldTest, ALargeKeyThatTheNewRowLeavesUnsaidComesFromTheOldOne) {
  ASSERT_TRUE(update({"1", std::nullopt, std::nullopt}, {std::string(unsaid), "b", "B"}).ok());
  const auto batch = fold_->take();
  ASSERT_EQ(batch.erases.size(), 1U);
  EXPECT_EQ(text(batch.erases[0].row)[0], "1");
  EXPECT_EQ(text(batch.layers[batch.rows[0].layers].base)[0], "1");
}

TEST_F(WholeOldRowsFoldTest, AnUnsaidValueIsTakenFromTheOldRow) {
  ASSERT_TRUE(update({"1", "a", "A"}, {"1", "b", std::string(unsaid)}).ok());
  const auto batch = fold_->take();
  const destination::Layers& layers = batch.layers[batch.rows[0].layers];
  EXPECT_EQ(text(layers.older[0])[2], "A");
  EXPECT_TRUE(layers.base.empty());
}

TEST_F(FoldTest, WhatCannotBeIsAnErrorThatNamesTheTable) {
  const std::vector<std::pair<const char*, std::function<Status()>>> impossible{
      {"a cell too few",
       [&] {
         return insert({"1", "a"});
       }},
      {"an insert with an unsaid value",
       [&] {
         return insert({"1", "a", std::string(unsaid)});
       }},
      {"a key without a value",
       [&] {
         return insert({std::nullopt, "a", "A"});
       }},
      {"an unsaid key that nobody says",
       [&] {
         return update({std::string(unsaid), "a", "A"});
       }},
      {"a second insert",
       [&] {
         insert({"1", "a", "A"}).ok();
         return insert({"1", "b", "B"});
       }},
      {"an update of a deleted row",
       [&] {
         erase({"1", std::nullopt, std::nullopt}).ok();
         return update({"1", "a", "A"});
       }},
      {"a delete after a truncate",
       [&] {
         fold_->truncate();
         return erase({"1", std::nullopt, std::nullopt});
       }},
      {"a move onto another row",
       [&] {
         insert({"2", "a", "A"}).ok();
         return update({"1", std::nullopt, std::nullopt}, {"2", "b", "B"});
       }},
  };
  for (const auto& [name, attempt] : impossible) {
    fold_->clear();
    const Status status = attempt();
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().kind, ErrorKind::bad_data) << name;
    EXPECT_EQ(status.error().table, "public.t") << name;
  }
}

TEST_F(FoldTest, BytesThatAreNoRowAreAnError) {
  block_ = std::make_shared<const std::vector<std::byte>>(5, std::byte{0});
  Change change;
  change.kind = ChangeKind::insert;
  change.new_row = *block_;
  EXPECT_FALSE(fold_->add(change, true, block_).ok());
}

TEST_F(KeylessFoldTest, EqualRowsAreCounted) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(insert({"1", "a"}).ok());
  ASSERT_TRUE(erase({"1", "a"}).ok());
  ASSERT_TRUE(erase({"2", "b"}).ok());
  ASSERT_TRUE(erase({"2", "b"}).ok());
  ASSERT_TRUE(update({"3", "c"}, {"3", std::string(unsaid)}).ok());
  const auto batch = fold_->take();
  EXPECT_EQ(batch.rows.size(), 2U);
  ASSERT_EQ(batch.erases.size(), 1U);
  EXPECT_EQ(batch.erases[0].count, 2U);
}

TEST_F(FoldTest, HoldsTheBlocksOfItsRowsAndNoLonger) {
  ASSERT_TRUE(insert({"1", "a", "A"}).ok());
  const std::weak_ptr<const std::vector<std::byte>> row = block_;
  block_.reset();
  EXPECT_GT(fold_->bytes(), 0U);
  {
    const auto batch = fold_->take();
    EXPECT_FALSE(row.expired());
  }
  EXPECT_TRUE(row.expired());
  EXPECT_EQ(fold_->bytes(), 0U);
}

}  // namespace
}  // namespace lockstep::apply
