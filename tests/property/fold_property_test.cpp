// Whatever is done to a table, in whatever pieces it is folded: writing the folded pieces gives what doing the changes
// one by one gives. Few keys, so that they rotate, vanish and come again; values left unsaid; truncates in between.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "apply/fold.hpp"
#include "destination/memory/memory_destination.hpp"
#include "model/change.hpp"
#include "must.hpp"
#include "text_source.hpp"

namespace lockstep::test {
namespace {

using destination::MemoryDestination;

constexpr std::uint64_t seeds = 120'000;

std::vector<std::vector<std::string>> sorted_rows(const MemoryDestination& destination, const TableName& name) {
  auto rows = destination.rows(name).value_or(std::vector<destination::MemoryRow>{});
  std::sort(rows.begin(), rows.end());
  return rows;
}

class FoldRun {
 public:
  explicit FoldRun(std::uint64_t seed)
      : dice_(seed), kinds_(all_kinds_of_tables()), source_(kinds_[dice_.below(kinds_.size())]) {
    for (const Column& column : source_.shape().columns) {
      decoders_.push_back(TextDecoders().decoder(column, column.type).value());
    }
  }

  void run() {
    MUST(destination_.open({"m", "s"}));
    create_table();
    apply::Fold fold(source_.shape(), decoders_);
    for (std::uint64_t state = 1; state <= 3; ++state) batch(fold, state);
  }

 private:
  void create_table() {
    destination::CopyLedger ledger;
    ledger.table = source_.shape().table;
    ledger.shape = source_.shape();
    ledger.types = types_of(source_.shape());
    MUST(destination_.create_hidden(ledger));
    auto step = destination_.begin(std::nullopt);
    MUST(step.value()->publish(ledger.table));
    shown_ = {StateId{0}, PgPosition{}, {}};
    MUST(step.value()->commit(shown_));
  }

  void batch(apply::Fold& fold, std::uint64_t state) {
    auto step = destination_.begin(shown_);
    ASSERT_TRUE(step.ok());
    const std::size_t parts = 1 + dice_.below(4);
    for (std::size_t part = 0; part < parts; ++part) {
      fold_part(fold);
      if (dice_.one_in(3)) MUST(step.value()->write(fold.take()));
    }
    MUST(step.value()->write(fold.take()));
    shown_.state = StateId{state};
    MUST(step.value()->commit(shown_));
    ASSERT_EQ(sorted_rows(destination_, source_.shape().name), source_.sorted_texts());
  }

  void fold_part(apply::Fold& fold) {
    if (dice_.one_in(12)) {
      source_.truncate();
      fold.truncate();
    }
    std::vector<std::byte> bytes;
    const std::size_t changes = dice_.below(6);
    for (std::size_t i = 0; i < changes; ++i) source_.change(dice_, ShapeId{1}, bytes);
    const Block block = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
    ChangeReader in(*block);
    Change change;
    while (in.next(change)) MUST(fold.add(change, source_.shape().old_rows_are_keys, block));
    ASSERT_TRUE(in.ok());
  }

  Dice dice_;
  std::vector<TableShape> kinds_;
  TextSource source_;
  std::vector<ColumnDecoder> decoders_;
  MemoryDestination destination_;
  destination::Shown shown_{};
};

TEST(Fold, GivesWhatDoingTheChangesOneByOneGives) {
  const auto [first, end] = seed_range(seeds);
  for (std::uint64_t seed = first; seed < end; ++seed) {
    FoldRun(seed).run();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lockstep::test
