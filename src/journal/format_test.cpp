#include "journal/format.hpp"

#include <fstream>
#include <sstream>

#include "journal/fixture_test.hpp"
#include "model/row.hpp"

namespace lockstep::journal {
namespace {

/// As `xxd -g1` prints it: offset, sixteen bytes, what of them is text.
std::string hex_dump(Bytes bytes) {
  std::string text;
  for (std::size_t line = 0; line < bytes.size(); line += 16) {
    const Bytes part = bytes.subspan(line, std::min<std::size_t>(16, bytes.size() - line));
    char word[32];
    std::snprintf(word, sizeof word, "%04zx: ", line);
    text += word;
    std::string readable;
    for (std::size_t i = 0; i < 16; ++i) {
      const unsigned value = i < part.size() ? std::to_integer<unsigned>(part[i]) : 0;
      std::snprintf(word, sizeof word, "%02x ", value);
      text += i < part.size() ? word : "   ";
      if (i < part.size()) readable += value > 0x20 && value < 0x7f ? static_cast<char>(value) : '.';
    }
    text += " " + readable + "\n";
  }
  return text;
}

/// What stands in the document between "```hex" and "```".
std::string documented_dump() {
  std::ifstream file(LOCKSTEP_DOCS "/format/journal.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string all = text.str();
  const std::string fence = "```hex\n";
  const std::size_t begin = all.find(fence);
  if (begin == std::string::npos) return "";
  return all.substr(begin + fence.size(), all.find("```", begin + fence.size()) - begin - fence.size());
}

using JournalFormat = JournalStory;

TEST_F(JournalFormat, IsWhatItsDocumentShows) {
  open_again();
  TableShape shape;
  shape.table = TableId{16384};
  shape.name = {"public", "t"};
  Column id;
  id.name = "id";
  id.type = {TypeKind::int32, 0, 0, 0};
  id.source_type = 23;
  id.number = 1;
  shape.columns = {id};
  shape.key = {0};
  const ShapeId number = journal_->add_shape(shape).value();

  const std::vector<std::byte> five{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{5}};
  const std::vector<Cell> cells{{Cell::State::binary, five}};
  std::vector<std::byte> row;
  encode_row(cells, row);
  Change insert;
  insert.kind = ChangeKind::insert;
  insert.shape = number;
  insert.new_row = row;
  std::vector<std::byte> changes;
  encode_change(insert, changes);
  ASSERT_TRUE(journal_->append_part(Xid{741}, Xid{741}, true, changes).ok());
  ASSERT_TRUE(journal_->append_part(Xid{741}, Xid{742}, false, changes).ok());
  ASSERT_TRUE(journal_->abort(Xid{741}, Xid{742}).ok());
  ASSERT_TRUE(journal_->commit(Xid{741}, at(0x16B3748), UnixMicros{1'700'000'000'000'000}).ok());
  sync();
  ASSERT_TRUE(journal_->received_through(at(0x16B3800)).ok());
  sync();

  EXPECT_EQ(hex_dump(disk_.content("state/journal/0000000001.journal")), documented_dump())
      << "the document and the code must change together, and an older file must stay readable";
}

TEST(JournalFormatParts, AFrameHeaderIsOnlyValidWhereItStands) {
  FrameHeader header;
  header.length = 100;
  header.synced = 7;
  header.commits = 2;
  header.first_state = StateId{40};
  header.commit_bytes = 900;
  header.reach = 3;
  header.has_shapes = true;
  std::vector<std::byte> bytes(frame_header_bytes);
  encode_frame_header(header, {4, 1000}, bytes.data());
  EXPECT_EQ(decode_frame_header(bytes, {4, 1000}), header);
  EXPECT_EQ(decode_frame_header(bytes, {4, 1001}), std::nullopt);
  EXPECT_EQ(decode_frame_header(bytes, {5, 1000}), std::nullopt);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{1};
    EXPECT_EQ(decode_frame_header(bytes, {4, 1000}), std::nullopt) << i;
    bytes[i] ^= std::byte{1};
  }
}

TEST(JournalFormatParts, RecordsThatAreCutShortAreNoRecords) {
  CommitRecord commit;
  commit.commit = {StateId{9}, Xid{1ull << 40}, at(77), UnixMicros{-5}};
  commit.frames = {{{1, 16}, 0, 2}, {{2, 300}, 40, 1}};
  commit.aborted = {{Xid{5}, Xid{9}}};
  std::vector<std::byte> bytes;
  encode_commit(commit, bytes);
  RecordReader records(bytes);
  Record record;
  ASSERT_TRUE(records.next(record));
  const auto read = decode_commit(record.content);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read.value().commit.xid, commit.commit.xid);
  EXPECT_EQ(read.value().commit.time, commit.commit.time);
  EXPECT_EQ(read.value().frames, commit.frames);
  for (std::size_t size = 0; size < record.content.size(); ++size) {
    ASSERT_FALSE(decode_commit(record.content.first(size)).ok()) << size;
  }
}

TEST(JournalFormatParts, OnlyExactNamesAreSegments) {
  EXPECT_EQ(segment_name(12), "0000000012.journal");
  EXPECT_EQ(segment_number("0000000012.journal"), 12u);
  for (const char* name : {"12.journal", "0000000000.journal", "0000000012.journal.bak", "lock", ""}) {
    EXPECT_EQ(segment_number(name), std::nullopt) << name;
  }
}

}  // namespace
}  // namespace lockstep::journal
