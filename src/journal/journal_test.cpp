#include "journal/journal.hpp"

#include "journal/fixture_test.hpp"

namespace lockstep::journal {
namespace {

using JournalWriting = JournalStory;
using JournalReading = JournalStory;
using JournalRetention = JournalStory;

TableShape shape_named(const std::string& table, std::size_t columns = 1) {
  TableShape shape;
  shape.table = TableId{7};
  shape.name = {"public", table};
  for (std::size_t i = 0; i < columns; ++i) {
    Column column;
    column.name = "c" + std::to_string(i);
    shape.columns.push_back(column);
  }
  return shape;
}

std::vector<std::byte> row_of(ShapeId shape) {
  std::vector<std::byte> bytes;
  Change change;
  change.kind = ChangeKind::insert;
  change.shape = shape;
  change.new_row = bytes_of("row");
  encode_change(change, bytes);
  return bytes;
}

TEST_F(JournalWriting, ANewJournalIsEmptyAndDurable) {
  open_again();
  EXPECT_EQ(journal_->durable(), Durable{});
  EXPECT_FALSE(journal_->dirty());
  EXPECT_EQ(journal_->first_held(), StateId{1});
  EXPECT_TRUE(all().empty());
}

TEST_F(JournalWriting, CommitsAreNumberedFromOneInTheOrderTheyCome) {
  open_again();
  part(11, 11, true, "a");
  part(12, 12, true, "b");
  EXPECT_EQ(commit(12, 100), 1u);
  EXPECT_EQ(commit(11, 200), 2u);
  const Durable durable = sync();
  EXPECT_EQ(durable.last, StateId{2});
  EXPECT_EQ(durable.through, at(200));
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 12, {"b"}}, {2, 11, {"a"}}}));
}

TEST_F(JournalWriting, NobodyReadsWhatIsNotDurable) {
  open_again();
  whole(11, 100, "a");
  EXPECT_TRUE(journal_->dirty());
  EXPECT_TRUE(all().empty());
  auto reader = journal_->reader(StateId{0});
  ASSERT_TRUE(reader.ok());
  EXPECT_FALSE(reader.value()->next().value().has_value());
  sync();
  EXPECT_FALSE(journal_->dirty());
  EXPECT_TRUE(reader.value()->next().value().has_value());
}

TEST_F(JournalWriting, ARepeatedCommitIsDroppedWithItsParts) {
  open_again();
  whole(11, 100, "a");
  part(11, 11, true, "a again");
  EXPECT_EQ(commit(11, 100), 0u);
  part(11, 11, true, "a under a number that was used before");
  EXPECT_EQ(commit(11, 101), 2u);
  sync();
  EXPECT_EQ(all().front().notes, (std::vector<std::string>{"a"}));
}

// After a reconnect the server streams a committed transaction again and ends it with an abort.
TEST_F(JournalWriting, AnAbortNeverTouchesACommittedTransaction) {
  open_again();
  whole(11, 100, "a");
  ASSERT_TRUE(journal_->begin_connection().ok());
  part(11, 11, true, "a once more");
  ASSERT_TRUE(journal_->abort(Xid{11}, Xid{12}).ok());
  ASSERT_TRUE(journal_->abort(Xid{11}, Xid{11}).ok());
  ASSERT_TRUE(journal_->abort(Xid{11}, Xid{11}).ok());
  sync();
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 11, {"a"}}}));
}

TEST_F(JournalWriting, WhatSavepointsTookBackIsNotShown) {
  open_again();
  part(11, 11, true, "kept");
  for (std::uint64_t sub = 12; sub < 20; ++sub) part(11, sub, false, "sub " + std::to_string(sub));
  for (const std::uint64_t sub : {13u, 12u, 14u, 17u, 19u}) ASSERT_TRUE(journal_->abort(Xid{11}, Xid{sub}).ok());
  part(11, 11, false, "end");
  commit(11, 100);
  sync();
  const std::vector<std::string> kept{"kept", "sub 15", "sub 16", "sub 18", "end"};
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 11, kept}}));
}

TEST_F(JournalWriting, FirstAndANewConnectionVoidWhatWasOpen) {
  open_again();
  part(11, 11, true, "old");
  part(11, 11, true, "new");
  part(12, 12, true, "of the old connection");
  commit(11, 100);
  ASSERT_TRUE(journal_->begin_connection().ok());
  EXPECT_FALSE(journal_->append_part(Xid{12}, Xid{12}, false, note("more")).ok());
  EXPECT_EQ(commit(12, 200), 2u);
  sync();
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 11, {"new"}}, {2, 12, {}}}));
}

TEST_F(JournalWriting, AnIdleSourceMovesThroughWithoutTransactions) {
  open_again();
  ASSERT_TRUE(journal_->received_through(at(500)).ok());
  EXPECT_TRUE(journal_->dirty());
  EXPECT_EQ(journal_->durable().through, std::nullopt);
  EXPECT_EQ(sync().through, at(500));
  ASSERT_TRUE(journal_->received_through(at(400)).ok());
  EXPECT_FALSE(journal_->dirty());
  open_again();
  EXPECT_EQ(journal_->durable().through, at(500));
  EXPECT_EQ(journal_->durable().last, StateId{0});
}

TEST_F(JournalWriting, ManySmallTransactionsShareOneWriteAndOneSync) {
  open_again();
  const std::uint64_t before = disk_.calls();
  for (std::uint64_t i = 1; i <= 500; ++i) whole(i, i, "x");
  sync();
  EXPECT_EQ(disk_.calls() - before, 2u) << "one append, one sync";
  EXPECT_EQ(all().size(), 500u);
}

TEST_F(JournalWriting, PartsAboveAnyBufferKeepTheirBytes) {
  open_again();
  const std::string huge(6u << 20, 'h');
  part(11, 11, true, "small");
  part(12, 12, true, huge);
  part(11, 11, false, "after");
  commit(12, 100);
  commit(11, 200);
  sync();
  open_again();
  EXPECT_EQ(all(), (std::vector<Seen>{{1, 12, {huge}}, {2, 11, {"small", "after"}}}));
}

TEST_F(JournalWriting, TheSameShapeHasTheSameNumberEvenAfterOpening) {
  open_again();
  const ShapeId a = journal_->add_shape(shape_named("a")).value();
  const ShapeId b = journal_->add_shape(shape_named("b")).value();
  EXPECT_NE(a, b);
  EXPECT_EQ(journal_->add_shape(shape_named("a")).value(), a);
  sync();
  open_again();
  ASSERT_NE(journal_->shape(b), nullptr);
  EXPECT_EQ(*journal_->shape(b), shape_named("b"));
  EXPECT_EQ(journal_->add_shape(shape_named("a")).value(), a);
  EXPECT_EQ(journal_->shape(ShapeId{99}), nullptr);
}

TEST_F(JournalWriting, AChangeWithAnUnknownShapeIsRefused) {
  open_again();
  const Status appended = journal_->append_part(Xid{11}, Xid{11}, true, row_of(ShapeId{5}));
  ASSERT_FALSE(appended.ok());
  EXPECT_EQ(appended.error().kind, ErrorKind::bad_data);
}

TEST_F(JournalReading, AReaderStartsAfterAnyTransactionThatIsHeld) {
  options_.segment_bytes_max = 4096;
  open_again();
  const std::uint64_t end = fill_segments(6, 1);
  open_again();
  for (std::uint64_t after = 0; after < end; ++after) {
    const auto seen = all(after);
    ASSERT_EQ(seen.size(), end - 1 - after);
    if (!seen.empty()) {
      EXPECT_EQ(seen.front().state, after + 1);
    }
  }
  const auto beyond = journal_->reader(StateId{end});
  ASSERT_FALSE(beyond.ok());
  EXPECT_EQ(beyond.error().kind, ErrorKind::lost_history);
}

TEST_F(JournalReading, AReaderFollowsTheWriterThroughSegmentsAndMaySkipParts) {
  options_.segment_bytes_max = 2048;
  open_again();
  auto reader = journal_->reader(StateId{0}).value();
  for (std::uint64_t i = 1; i < 100; ++i) {
    part(i, i, true, std::string(200, 'a'));
    part(i, i, false, "end");
    commit(i, i * 10);
    sync();
    const auto commit = reader->next();
    ASSERT_TRUE(commit.ok()) << to_text(commit.error());
    ASSERT_EQ(commit.value()->state.value, i);
    EXPECT_EQ(commit.value()->end, at(i * 10));
    if (i % 3 == 0) {
      ASSERT_TRUE(reader->next_part().ok());
    }
    EXPECT_FALSE(i % 7 == 0 && reader->next().value().has_value());
  }
}

TEST_F(JournalReading, CommitAtTellsTheCommitOfAStateThatIsHeld) {
  open_again();
  for (std::uint64_t i = 1; i < 50; ++i) whole(i, i * 10, "x");
  sync();
  EXPECT_EQ(journal_->commit_at(StateId{17}).value().end, at(170));
  EXPECT_EQ(journal_->commit_at(StateId{49}).value().xid, Xid{49});
  EXPECT_EQ(journal_->commit_at(StateId{0}).error().kind, ErrorKind::lost_history);
  EXPECT_EQ(journal_->commit_at(StateId{50}).error().kind, ErrorKind::lost_history);
}

TEST_F(JournalRetention, ReleaseFreesWholeSegmentsAndKeepsTheLastTrimmedCommit) {
  options_.segment_bytes_max = 4096;
  open_again();
  const std::uint64_t end = fill_segments(5, 1);
  const std::uint64_t bytes = journal_->bytes();
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  EXPECT_LT(journal_->bytes(), bytes);
  EXPECT_EQ(disk_.paths().size(), 1u);
  const StateId first = journal_->first_held();
  ASSERT_GT(first.value, 1u);
  open_again();
  EXPECT_EQ(journal_->first_held(), first);
  EXPECT_EQ(journal_->commit_at(StateId{first.value - 1}).value().end, at((first.value - 1) * 10));
  EXPECT_EQ(journal_->reader(StateId{first.value - 2}).error().kind, ErrorKind::lost_history);
  EXPECT_EQ(journal_->durable().last.value, end - 1);
  whole(end, end * 10, "goes on");
  sync();
  EXPECT_EQ(all(end - 1), (std::vector<Seen>{{end, end, {"goes on"}}}));
}

TEST_F(JournalRetention, WhatIsNotAppliedStays) {
  options_.segment_bytes_max = 2048;
  open_again();
  const std::uint64_t end = fill_segments(6, 1);
  for (std::uint64_t applied = 0; applied < end; ++applied) {
    ASSERT_TRUE(journal_->release(StateId{applied}).ok());
    ASSERT_LE(journal_->first_held().value, applied + 1);
    const auto seen = all(applied);
    ASSERT_EQ(seen.size(), end - 1 - applied);
  }
}

TEST_F(JournalRetention, PartsOfOpenAndUnappliedTransactionsHoldTheirSegments) {
  options_.segment_bytes_max = 2048;
  open_again();
  part(1000, 1000, true, "early");
  std::uint64_t end = fill_segments(4, 1);
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  EXPECT_EQ(disk_.paths().size(), 4u) << "open";
  part(1000, 1000, false, "late");
  const std::uint64_t state = commit(1000, 100'000);
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  EXPECT_EQ(disk_.paths().size(), 4u) << "committed, not durable";
  sync();
  open_again();
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  EXPECT_EQ(all(state - 1).front().notes, (std::vector<std::string>{"early", "late"}));
  ASSERT_TRUE(journal_->release(StateId{state}).ok());
  EXPECT_EQ(disk_.paths().size(), 1u);
  open_again();
  EXPECT_EQ(journal_->first_held().value, state + 1) << "its commit is still there, its early part is not";
  EXPECT_EQ(journal_->commit_at(StateId{state}).value().end, at(100'000));
}

TEST_F(JournalRetention, AReaderThatIsOvertakenByReleaseSaysSo) {
  options_.segment_bytes_max = 1024;
  open_again();
  const std::uint64_t end = fill_segments(8, 1);
  open_again();  // so that nothing comes from memory
  auto reader = journal_->reader(StateId{0}).value();
  ASSERT_TRUE(reader->next().ok());
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  Result<std::optional<Commit>> next = reader->next();
  while (next.ok() && next.value().has_value()) next = reader->next();
  ASSERT_FALSE(next.ok());
  EXPECT_EQ(next.error().kind, ErrorKind::lost_history);
}

// Found by the simulation: apply had read all there was, and the segment that it stood in was released.
TEST_F(JournalRetention, AReaderThatWaitsAtTheEndSurvivesTheReleaseOfItsSegment) {
  options_.segment_bytes_max = 1024;
  open_again();
  std::uint64_t end = fill_segments(2, 1);
  auto reader = journal_->reader(StateId{0}).value();
  for (std::uint64_t state = 1; state < end; ++state) ASSERT_TRUE(reader->next().value().has_value());
  ASSERT_FALSE(reader->next().value().has_value());
  part(1000, 1000, true, std::string(2000, 'x'));
  ASSERT_TRUE(journal_->abort(Xid{1000}, Xid{1000}).ok());
  while (journal_->first_held().value < end) {  // new segments without a commit
    ASSERT_TRUE(journal_->received_through(at(end * 10)).ok());
    part(1001, 1001, true, std::string(900, 'y'));
    sync();
    ASSERT_TRUE(journal_->begin_connection().ok());
    ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  }
  whole(end, end * 10, "goes on");
  sync();
  const auto next = reader->next();
  ASSERT_TRUE(next.ok()) << to_text(next.error());
  ASSERT_TRUE(next.value().has_value());
  EXPECT_EQ(next.value()->state, StateId{end});
}

TEST_F(JournalRetention, EachSegmentHoldsTheShapesThatItsPartsUse) {
  options_.segment_bytes_max = 2048;
  open_again();
  const ShapeId used = journal_->add_shape(shape_named("used")).value();
  const ShapeId unused = journal_->add_shape(shape_named("unused")).value();
  std::uint64_t end = fill_segments(4, 1);
  ASSERT_TRUE(journal_->append_part(Xid{end}, Xid{end}, true, row_of(used)).ok());
  commit(end, end * 10);
  sync();
  ASSERT_TRUE(journal_->release(StateId{end - 1}).ok());
  EXPECT_NE(journal_->shape(unused), nullptr) << "the connection may still use it";
  open_again();
  ASSERT_NE(journal_->shape(used), nullptr);
  EXPECT_EQ(journal_->shape(used)->name.table, "used");
  EXPECT_EQ(journal_->shape(unused), nullptr);
  EXPECT_GT(journal_->add_shape(shape_named("unused")).value(), unused) << "numbers never come again";
}

TEST_F(JournalRetention, TheLimitCountsCommittedUnappliedBytesOnly) {
  options_.bytes_max = 10'000;
  open_again();
  part(1, 1, true, std::string(50'000, 'o'));
  std::string why;
  EXPECT_TRUE(journal_->has_room(&why)) << "open transactions do not count: their commits must come in";
  commit(1, 10);
  sync();
  EXPECT_FALSE(journal_->has_room(&why));
  EXPECT_NE(why.find("10000"), std::string::npos) << why;
  open_again();
  EXPECT_FALSE(journal_->has_room(nullptr)) << "also after opening";
  ASSERT_TRUE(journal_->release(StateId{1}).ok());
  EXPECT_TRUE(journal_->has_room(&why));
}

TEST_F(JournalRetention, BelowTheFreeShareOfTheDiskThereIsNoRoom) {
  open_again();
  std::string why;
  disk_.set_space(DiskSpace{11, 100});
  EXPECT_TRUE(journal_->has_room(&why));
  disk_.set_space(DiskSpace{9, 100});
  EXPECT_FALSE(journal_->has_room(&why));
  EXPECT_NE(why.find("10 %"), std::string::npos) << why;
}

}  // namespace
}  // namespace lockstep::journal
