// Messages as PostgreSQL 15 and 18 send them, byte by byte, and what must not get past the door.

#include "source/postgres/pgoutput.hpp"

#include <gtest/gtest.h>

#include "base/wire.hpp"

namespace lockstep::postgres::pgoutput {
namespace {

/// "42 0000 'abc'": hex digits, and text in quotes without its zero.
std::vector<std::byte> bytes(std::string_view text) {
  std::vector<std::byte> out;
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    if (text[i] == '\'') {
      for (++i; text[i] != '\''; ++i) out.push_back(static_cast<std::byte>(text[i]));
    } else {
      out.push_back(static_cast<std::byte>(digit(text[i]) * 16 + digit(text[i + 1])));
      ++i;
    }
  }
  return out;
}

/// Must be one message; the bytes live as long as the test.
template <class Wanted>
Wanted read(const std::vector<std::byte>& message, bool in_part = false) {
  auto parsed = parse(message, in_part);
  EXPECT_TRUE(parsed.ok());
  if (!parsed.ok() || !std::holds_alternative<Wanted>(parsed.value())) {
    ADD_FAILURE() << "another message";
    return {};
  }
  return std::get<Wanted>(std::move(parsed).value());
}

constexpr std::string_view begin = "'B' 00000000 0180abcd 00000000000f4240 000002e5";
constexpr std::string_view commit = "'C' 00 000000000180abcd 000000000180abfd 0002b5e3af1b0a00";
constexpr std::string_view relation =
    "'R' 00004001 'public' 00 'orders' 00 'd' 0002 01 'id' 00 00000017 ffffffff 00 'total' 00 000006a4 000a0006";
constexpr std::string_view insert = "'I' 00004001 'N' 0002 'b' 00000004 00000007 'n'";
constexpr std::string_view update_key = "'U' 00004001 'K' 0002 't' 00000001 '7' 'n' 'N' 0002 't' 00000001 '8' 'u'";
constexpr std::string_view erase = "'D' 00004001 'O' 0001 't' 00000002 'ab'";
constexpr std::string_view truncate = "'T' 00000002 03 00004001 00004007";
constexpr std::string_view transactional = "'M' 01 000000000180abcd 'lockstep.mark' 00 00000004 'uuid'";

TEST(Pgoutput, ATransactionHasABeginAndAnEnd) {
  const auto start = bytes(begin);
  const Begin begun = read<Begin>(start);
  EXPECT_EQ(begun.final_lsn, Lsn{0x180abcd});
  EXPECT_EQ(begun.xid, 741u);
  EXPECT_EQ(begun.time.value, 946'684'801'000'000);
  const auto end = bytes(commit);
  const Commit committed = read<Commit>(end);
  EXPECT_EQ(committed.end_lsn, Lsn{0x180abfd});
}

TEST(Pgoutput, ARelationNamesItsColumns) {
  const auto message = bytes(relation);
  const Relation said = read<Relation>(message);
  EXPECT_EQ(said.oid, 16385u);
  EXPECT_EQ(said.schema, "public");
  EXPECT_EQ(said.name, "orders");
  EXPECT_EQ(said.identity, 'd');
  ASSERT_EQ(said.columns.size(), 2u);
  EXPECT_TRUE(said.columns[0].key);
  EXPECT_EQ(said.columns[0].modifier, -1);
  EXPECT_FALSE(said.columns[1].key);
  EXPECT_EQ(said.columns[1].name, "total");
  EXPECT_EQ(said.columns[1].type, 1700u);
  EXPECT_EQ(said.columns[1].modifier, 0xa0006);
}

TEST(Pgoutput, RowsAreHandedOnAsTheyAre) {
  const auto message = bytes(insert);
  const Row row = read<Row>(message);
  EXPECT_EQ(row.relation, 16385u);
  EXPECT_EQ(row.change.kind, ChangeKind::insert);
  EXPECT_TRUE(equal(row.change.new_row, Bytes(message).subspan(6)));
  EXPECT_TRUE(row.change.old_row.empty());
}

TEST(Pgoutput, AnUpdateMayBringItsOldKey) {
  const auto message = bytes(update_key);
  const Row row = read<Row>(message);
  EXPECT_EQ(row.change.kind, ChangeKind::update);
  EXPECT_EQ(row.change.old_row.size(), 9u);
  EXPECT_EQ(row.change.new_row.size(), 9u);
  const auto plain = bytes("'U' 00004001 'N' 0001 'n'");
  EXPECT_TRUE(read<Row>(plain).change.old_row.empty());
}

TEST(Pgoutput, ADeleteAndATruncate) {
  const auto message = bytes(erase);
  EXPECT_EQ(read<Row>(message).change.old_row.size(), 9u);
  const auto emptied = bytes(truncate);
  const Step step = read<Step>(emptied);
  EXPECT_EQ(step.change.tables, (std::vector<TableId>{TableId{16385}, TableId{16391}}));
}

TEST(Pgoutput, OnlyMessagesOfATransactionCount) {
  const auto message = bytes(transactional);
  const Step step = read<Step>(message);
  EXPECT_EQ(step.change.prefix, "lockstep.mark");
  EXPECT_EQ(text_of(step.change.content), "uuid");
  const auto loose = bytes("'M' 00 000000000180abcd 'app' 00 00000000");
  static_cast<void>(read<LooseMessage>(loose));
}

TEST(Pgoutput, InsideAPartMessagesCarryTheirTransaction) {
  const auto start = bytes("'S' 000002e5 01");
  const StreamStart part = read<StreamStart>(start);
  EXPECT_EQ(part.xid, 741u);
  EXPECT_TRUE(part.first);
  const auto row = bytes("'I' 000002e6 00004001 'N' 0001 'n'");
  EXPECT_EQ(read<Row>(row, true).xid, 742u);
  const auto shape = bytes("'R' 000002e6 00004001 00 't' 00 'f' 0000");
  EXPECT_EQ(read<Relation>(shape, true).xid, 742u);
  EXPECT_EQ(read<Relation>(shape, true).schema, "pg_catalog");
  const auto type = bytes("'Y' 000002e6 00004005 'public' 00 'mood' 00");
  EXPECT_EQ(read<Type>(type, true).name, "mood");
  const auto origin = bytes("'O' 0000000000000000 'other' 00");
  static_cast<void>(read<Origin>(origin, true));
  const auto stop = bytes("'E'");
  static_cast<void>(read<StreamStop>(stop, true));
}

TEST(Pgoutput, AStreamedTransactionCommitsOrAborts) {
  const auto end = bytes("'c' 000002e5 00 000000000180abcd 000000000180abfd 0002b5e3af1b0a00");
  EXPECT_EQ(read<StreamCommit>(end).xid, 741u);
  EXPECT_EQ(read<StreamCommit>(end).end_lsn, Lsn{0x180abfd});
  const auto abort = bytes("'A' 000002e5 000002e8");
  EXPECT_EQ(read<StreamAbort>(abort).sub, 744u);
}

TEST(Pgoutput, EveryMessageThatIsCutShortIsRefused) {
  for (const std::string_view text : {begin, commit, relation, insert, update_key, erase, truncate, transactional}) {
    const auto whole = bytes(text);
    ASSERT_TRUE(parse(whole, false).ok()) << text;
    for (std::size_t size = 0; size < whole.size(); ++size) {
      const auto parsed = parse(Bytes(whole).first(size), false);
      ASSERT_FALSE(parsed.ok()) << text << " cut to " << size;
      EXPECT_EQ(parsed.error().kind, ErrorKind::bad_data);
    }
    auto longer = whole;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(parse(longer, false).ok()) << text;
  }
}

TEST(Pgoutput, HostileLengthsAreRefusedWithoutBeingBelieved) {
  for (const std::string_view text :
       {"'R' 00004001 00 't' 00 'd' ffff", "'T' ffffffff 00", "'I' 00004001 'N' ffff",
        "'I' 00004001 'N' 0001 't' ffffffff", "'M' 01 0000000000000000 'p' 00 ffffffff", "'I' 00004001 'N' 0001 'z'",
        "'D' 00004001 'X' 0000", "'U' 00004001 'X'", "'Q'", "'M' 07 0000000000000000 'p' 00 00000000"}) {
    EXPECT_FALSE(parse(bytes(text), false).ok()) << text;
    EXPECT_FALSE(parse(bytes(text), true).ok()) << text;
  }
}

TEST(Pgoutput, FramesAreDataOrKeepalives) {
  const auto data = bytes("'w' 0000000000000010 0000000000000020 0000000000000000 'B'");
  const auto frame = parse_frame(data);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(text_of(std::get<Envelope>(frame.value()).content), "B");
  const auto alive = bytes("'k' 0000000000000030 0000000000000000 01");
  const auto keep = parse_frame(alive);
  ASSERT_TRUE(keep.ok());
  EXPECT_EQ(std::get<KeepAlive>(keep.value()).end, Lsn{0x30});
  EXPECT_TRUE(std::get<KeepAlive>(keep.value()).reply_wanted);
  EXPECT_FALSE(parse_frame(bytes("'k' 00")).ok());
  EXPECT_FALSE(parse_frame(bytes("'x'")).ok());
  EXPECT_FALSE(parse_frame({}).ok());
}

TEST(Pgoutput, TheAnswerNamesOnePositionThreeTimes) {
  EXPECT_EQ(status_update(Lsn{0x30}, UnixMicros{946'684'800'000'001}),
            bytes("'r' 0000000000000030 0000000000000030 0000000000000030 0000000000000001 00"));
}

}  // namespace
}  // namespace lockstep::postgres::pgoutput
