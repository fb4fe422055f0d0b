#include "journal/recorder.hpp"

#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

constexpr TableId orders{7};

TableShape shape_with(std::size_t columns, TableId table = orders) {
  TableShape shape;
  shape.table = table;
  shape.name = {"public", "orders"};
  for (std::size_t i = 0; i < columns; ++i) {
    Column column;
    column.name = "c" + std::to_string(i);
    shape.columns.push_back(column);
  }
  return shape;
}

class RecorderStory : public JournalStory {
 protected:
  void SetUp() override {
    open_again();
    recorder_.emplace(*journal_);
    ASSERT_TRUE(recorder_->begin_connection().ok());
  }

  void take(const SourceMessage& message) {
    const Status taken = recorder_->take(message);
    ASSERT_TRUE(taken.ok()) << to_text(taken.error());
  }
  Error refused(const SourceMessage& message) {
    const Status taken = recorder_->take(message);
    EXPECT_FALSE(taken.ok());
    return taken.ok() ? Error{} : taken.error();
  }
  static RowChanged insert(std::uint64_t sub, std::string_view row, TableId table = orders) {
    Change change;
    change.kind = ChangeKind::insert;
    change.new_row = bytes_of(row);
    return {Xid{sub}, table, change};
  }
  static ShapeSeen seen(std::uint64_t sub, std::size_t columns) { return {Xid{sub}, shape_with(columns)}; }
  static TransactionCommitted committed(std::uint64_t xid, std::uint64_t lsn, bool was_open) {
    return {Xid{xid}, was_open, at(lsn), UnixMicros{1}};
  }

  /// "row/number of columns of its shape" of every transaction after `after`, transactions parted by "|".
  std::string rows(std::uint64_t after = 0) {
    EXPECT_TRUE(journal_->sync().ok());
    auto reader = journal_->reader(StateId{after}).value();
    std::string text;
    while (reader->next().value().has_value()) {
      while (true) {
        const std::optional<Block> part = reader->next_part().value();
        if (!part.has_value()) break;
        ChangeReader changes(**part);
        Change change;
        while (changes.next(change)) {
          const auto shape = journal_->shape(change.shape);
          text += std::string(text_of(change.new_row)) + "/" + std::to_string(shape ? shape->columns.size() : 0) + " ";
        }
      }
      text += "|";
    }
    return text;
  }

  std::optional<Recorder> recorder_;
};

TEST_F(RecorderStory, ACommittedTransactionIsOneBlock) {
  take(TransactionBegun{Xid{11}});
  take(seen(11, 2));
  take(insert(11, "a"));
  take(insert(12, "b"));  // a savepoint that was kept
  take(committed(11, 100, false));
  EXPECT_EQ(recorder_->acknowledgeable(), std::nullopt) << "not durable yet";
  EXPECT_EQ(rows(), "a/2 b/2 |");
  EXPECT_EQ(recorder_->acknowledgeable(), at(100));
  auto reader = journal_->reader(StateId{0}).value();
  ASSERT_TRUE(reader->next().ok());
  EXPECT_TRUE(reader->next_part().value().has_value());
  EXPECT_FALSE(reader->next_part().value().has_value());
}

TEST_F(RecorderStory, StreamedPartsOfSeveralTransactionsMix) {
  take(PartBegun{Xid{11}, true});
  take(seen(11, 1));
  take(insert(11, "a"));
  take(insert(12, "gone"));
  take(insert(11, "b"));
  take(PartEnded{});
  take(TransactionBegun{Xid{20}});
  take(seen(20, 1));
  take(insert(20, "x"));
  take(committed(20, 50, false));
  take(PartBegun{Xid{11}, false});
  take(insert(13, "c"));
  take(PartEnded{});
  take(PartAborted{Xid{11}, Xid{12}});
  take(committed(11, 100, true));
  EXPECT_EQ(rows(), "x/1 |a/1 b/1 c/1 |");
}

// PostgreSQL does not say a shape again after the commit of the streamed transaction that said it.
TEST_F(RecorderStory, AShapeSaidInAStreamedTransactionHoldsForAllAfterItsCommit) {
  take(TransactionBegun{Xid{10}});
  take(seen(10, 1));
  take(insert(10, "before"));
  take(committed(10, 10, false));
  take(PartBegun{Xid{11}, true});
  take(seen(11, 2));
  take(insert(11, "inside"));
  take(PartEnded{});
  take(TransactionBegun{Xid{12}});
  take(insert(12, "beside"));
  take(committed(12, 20, false));
  take(committed(11, 30, true));
  take(TransactionBegun{Xid{13}});
  take(insert(13, "after"));
  take(committed(13, 40, false));
  EXPECT_EQ(rows(), "before/1 |beside/1 |inside/2 |after/2 |");
}

TEST_F(RecorderStory, AShapeSaidInASavepointIsForgottenWithIt) {
  take(PartBegun{Xid{11}, true});
  take(seen(11, 1));
  take(seen(12, 5));
  take(insert(12, "gone"));
  take(PartEnded{});
  take(PartAborted{Xid{11}, Xid{12}});
  take(PartBegun{Xid{11}, false});
  take(insert(11, "kept"));
  take(PartEnded{});
  take(committed(11, 30, true));
  take(TransactionBegun{Xid{13}});
  take(insert(13, "after"));
  take(committed(13, 40, false));
  EXPECT_EQ(rows(), "kept/1 |after/1 |");
}

TEST_F(RecorderStory, AShapeOfAnAbortedTransactionIsForgotten) {
  take(PartBegun{Xid{11}, true});
  take(seen(11, 2));
  take(PartEnded{});
  take(PartAborted{Xid{11}, Xid{11}});
  take(TransactionBegun{Xid{12}});
  EXPECT_EQ(refused(insert(12, "a")).kind, ErrorKind::bad_data);
}

// After a reconnect the server streams an acknowledged transaction again and ends it with an abort.
TEST_F(RecorderStory, ACommittedTransactionSurvivesItsRepetitionAndAbort) {
  for (const std::size_t time : {1u, 2u}) {
    take(PartBegun{Xid{11}, true});
    take(seen(11, time));
    take(insert(11, "a"));
    take(PartEnded{});
    if (time == 2) break;
    take(committed(11, 100, true));
    ASSERT_TRUE(journal_->sync().ok());
    ASSERT_TRUE(recorder_->begin_connection().ok());
  }
  take(PartAborted{Xid{11}, Xid{12}});
  take(PartAborted{Xid{11}, Xid{11}});
  EXPECT_EQ(rows(), "a/1 |");
}

TEST_F(RecorderStory, AReconnectStartsOpenTransactionsFromTheirFirstChange) {
  take(PartBegun{Xid{11}, true});
  take(seen(11, 1));
  take(insert(11, "half"));
  ASSERT_TRUE(recorder_->begin_connection().ok());
  EXPECT_EQ(refused(PartEnded{}).kind, ErrorKind::bad_data);
  take(PartBegun{Xid{11}, true});
  take(seen(11, 1));
  take(insert(11, "whole"));
  take(PartEnded{});
  take(committed(11, 100, true));
  EXPECT_EQ(rows(), "whole/1 |");
}

TEST_F(RecorderStory, ShapesDieWithTheConnection) {
  take(TransactionBegun{Xid{11}});
  take(seen(11, 1));
  take(committed(11, 10, false));
  ASSERT_TRUE(recorder_->begin_connection().ok());
  take(TransactionBegun{Xid{12}});
  const Error error = refused(insert(12, "a"));
  EXPECT_EQ(error.kind, ErrorKind::bad_data);
  EXPECT_NE(error.what.find("table 7"), std::string::npos) << error.what;
}

TEST_F(RecorderStory, ALargeTransactionIsCutIntoBlocksAndKeepsItsOrder) {
  take(TransactionBegun{Xid{11}});
  take(seen(11, 1));
  std::string expected;
  for (int i = 0; i < 3000; ++i) {
    const std::string row = std::to_string(i) + std::string(1000, '.');
    take(insert(11, row));
    expected += row + "/1 ";
  }
  take(committed(11, 100, false));
  EXPECT_EQ(rows(), expected + "|");
  auto reader = journal_->reader(StateId{0}).value();
  ASSERT_TRUE(reader->next().ok());
  for (std::optional<Block> part; (part = reader->next_part().value()).has_value();)
    EXPECT_LE((*part)->size(), 1u << 20);
}

TEST_F(RecorderStory, MessagesOutOfPlaceAreRefused) {
  EXPECT_EQ(refused(insert(11, "a")).kind, ErrorKind::bad_data);
  EXPECT_EQ(refused(PartEnded{}).kind, ErrorKind::bad_data);
  EXPECT_EQ(refused(committed(11, 10, false)).kind, ErrorKind::bad_data);
  take(TransactionBegun{Xid{11}});
  EXPECT_EQ(refused(PartBegun{Xid{12}, true}).kind, ErrorKind::bad_data);
  EXPECT_EQ(refused(committed(12, 10, false)).kind, ErrorKind::bad_data);
  EXPECT_EQ(refused(committed(11, 10, true)).kind, ErrorKind::bad_data);
}

TEST_F(RecorderStory, ProgressWithoutTransactionsCanBeAcknowledgedOnceDurable) {
  take(NothingYet{});
  take(Progressed{at(70), true});
  EXPECT_EQ(recorder_->acknowledgeable(), std::nullopt);
  ASSERT_TRUE(journal_->sync().ok());
  EXPECT_EQ(recorder_->acknowledgeable(), at(70));
}

TEST_F(RecorderStory, TruncatesAndMessagesKeepTheirPlace) {
  Change truncate;
  truncate.kind = ChangeKind::truncate;
  truncate.tables = {orders, TableId{8}};
  take(TransactionBegun{Xid{11}});
  take(seen(11, 1));
  take(insert(11, "a"));
  take(StepTaken{Xid{11}, truncate});
  take(insert(11, "b"));
  take(committed(11, 100, false));
  ASSERT_TRUE(journal_->sync().ok());
  auto reader = journal_->reader(StateId{0}).value();
  ASSERT_TRUE(reader->next().ok());
  const Block part = *reader->next_part().value();
  ChangeReader changes(*part);
  Change change;
  std::string kinds;
  while (changes.next(change)) kinds += static_cast<char>(change.kind);
  EXPECT_EQ(kinds, "ITI");
}

}  // namespace
}  // namespace lockstep::journal
