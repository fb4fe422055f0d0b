#include "journal/format.hpp"

#include <array>
#include <charconv>
#include <cstdio>

#include "base/crc32c.hpp"

namespace lockstep::journal {
namespace {

constexpr std::uint8_t has_shapes_flag = 1;
constexpr std::uint8_t pg_position = 1;

void put_position(WireWriter& out, const Position& position) {
  out.u8(pg_position);
  out.u64(std::get<PgPosition>(position).end.value);
}

/// False when it is of a kind that this version does not know.
bool get_position(WireReader& in, Position& position) {
  if (in.u8() != pg_position) return false;
  position = PgPosition{Lsn{in.u64()}};
  return in.ok();
}

void put_commit(WireWriter& out, const Commit& commit) {
  out.u64(commit.state.value);
  out.u64(commit.xid.value);
  put_position(out, commit.end);
  out.u64(static_cast<std::uint64_t>(commit.time.value));
}

bool get_commit(WireReader& in, Commit& commit) {
  commit.state = StateId{in.u64()};
  commit.xid = Xid{in.u64()};
  if (!get_position(in, commit.end)) return false;
  commit.time = UnixMicros{in.i64()};
  return in.ok();
}

/// Writes a record whose length is only known when it is complete.
template <class Fill>
void put_record(RecordKind kind, std::vector<std::byte>& bytes, Fill fill) {
  WireWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(kind));
  const std::size_t length_at = bytes.size();
  out.u32(0);
  fill(out);
  const auto length = static_cast<std::uint32_t>(bytes.size() - length_at - 4);
  for (std::size_t i = 0; i < 4; ++i) bytes[length_at + i] = static_cast<std::byte>((length >> (24 - 8 * i)) & 0xff);
}

Error bad_record(const char* which) {
  return {ErrorKind::bad_data, std::string("a ") + which + " record does not parse"};
}

std::uint32_t header_crc(Bytes fields, Place at) {
  std::vector<std::byte> place;
  place.reserve(8);
  WireWriter out(place);
  out.u32(at.segment);
  out.u32(at.offset);
  return crc32c(fields, crc32c(place));
}

}  // namespace

void encode_preamble(std::vector<std::byte>& bytes) {
  WireWriter out(bytes);
  const std::size_t start = bytes.size();
  out.bytes(bytes_of(segment_magic));
  out.u32(format_version);
  out.u32(crc32c(Bytes(bytes).subspan(start)));
}

std::optional<std::uint32_t> decode_preamble(Bytes bytes) {
  if (bytes.size() < preamble_bytes || text_of(bytes.first(segment_magic.size())) != segment_magic) return std::nullopt;
  WireReader in(bytes.subspan(segment_magic.size()));
  const std::uint32_t version = in.u32();
  if (in.u32() != crc32c(bytes.first(segment_magic.size() + 4))) return std::nullopt;
  return version;
}

void encode_frame_header(const FrameHeader& header, Place at, std::byte* into) {
  std::vector<std::byte> fields;
  fields.reserve(frame_header_bytes);
  WireWriter out(fields);
  out.u32(header.length);
  out.u32(header.body_crc);
  out.u32(header.synced);
  out.u32(header.commits);
  out.u64(header.first_state.value);
  out.u64(header.commit_bytes);
  out.u32(header.reach);
  out.u8(header.has_shapes ? has_shapes_flag : 0);
  const std::uint32_t crc = header_crc(fields, at);
  for (std::size_t i = 0; i < 4; ++i) into[i] = static_cast<std::byte>((crc >> (24 - 8 * i)) & 0xff);
  std::memcpy(into + 4, fields.data(), fields.size());
}

std::optional<FrameHeader> decode_frame_header(Bytes bytes, Place at) {
  if (bytes.size() < frame_header_bytes) return std::nullopt;
  WireReader in(bytes.first(frame_header_bytes));
  const std::uint32_t crc = in.u32();
  FrameHeader header;
  header.length = in.u32();
  if (header.length > frame_bytes_max) return std::nullopt;
  if (crc != header_crc(bytes.subspan(4, frame_header_bytes - 4), at)) return std::nullopt;
  header.body_crc = in.u32();
  header.synced = in.u32();
  header.commits = in.u32();
  header.first_state = StateId{in.u64()};
  header.commit_bytes = in.u64();
  header.reach = in.u32();
  header.has_shapes = (in.u8() & has_shapes_flag) != 0;
  return header;
}

RecordReader::RecordReader(Bytes body, std::uint32_t from) : size_(static_cast<std::uint32_t>(body.size())), in_(body) {
  in_.bytes(from);
}

bool RecordReader::next(Record& record) {
  if (in_.rest().empty()) return false;
  record.offset = size_ - static_cast<std::uint32_t>(in_.rest().size());
  record.kind = static_cast<RecordKind>(in_.u8());
  record.content = in_.bytes(in_.u32());
  return in_.ok();
}

void encode_segment(const SegmentHeader& header, std::vector<std::byte>& bytes) {
  put_record(RecordKind::segment, bytes, [&](WireWriter& out) {
    out.sized(header.owner.mirror);
    out.sized(header.owner.source);
    out.sized(header.owner.slot);
    out.u8(header.last.has_value() ? 1 : 0);
    if (header.last.has_value()) put_commit(out, *header.last);
    out.u8(header.through.has_value() ? 1 : 0);
    if (header.through.has_value()) put_position(out, *header.through);
    out.u32(header.previous_end);
    out.u32(header.next_shape.value);
  });
}

Result<SegmentHeader> decode_segment(Bytes content) {
  WireReader in(content);
  SegmentHeader header;
  header.owner.mirror = text_of(in.bytes(in.u32()));
  header.owner.source = text_of(in.bytes(in.u32()));
  header.owner.slot = text_of(in.bytes(in.u32()));
  if (in.u8() != 0 && !get_commit(in, header.last.emplace())) return bad_record("segment");
  if (in.u8() != 0 && !get_position(in, header.through.emplace())) return bad_record("segment");
  header.previous_end = in.u32();
  header.next_shape = ShapeId{in.u32()};
  if (!in.complete()) return bad_record("segment");
  return header;
}

void encode_shape_record(const ShapeRecord& shape, std::vector<std::byte>& bytes) {
  put_record(RecordKind::shape, bytes, [&](WireWriter& out) {
    out.u32(shape.id.value);
    out.bytes(shape.shape);
  });
}

Result<ShapeRecord> decode_shape_record(Bytes content) {
  WireReader in(content);
  const ShapeId id{in.u32()};
  if (!in.ok() || id.value == 0) return bad_record("shape");
  return ShapeRecord{id, in.rest()};
}

void encode_part(const PartRecord& part, std::vector<std::byte>& bytes) {
  WireWriter out(bytes);
  out.u8(static_cast<std::uint8_t>(RecordKind::part));
  out.u32(static_cast<std::uint32_t>(part_head_bytes - 5 + part.changes.size()));
  out.u32(part.spool);
  out.u64(part.sub.value);
  out.bytes(part.changes);
}

Result<PartRecord> decode_part(Bytes content) {
  WireReader in(content);
  PartRecord part;
  part.spool = in.u32();
  part.sub = Xid{in.u64()};
  part.changes = in.rest();
  if (!in.ok()) return bad_record("part");
  return part;
}

void encode_commit(const CommitRecord& record, std::vector<std::byte>& bytes) {
  put_record(RecordKind::commit, bytes, [&](WireWriter& out) {
    put_commit(out, record.commit);
    out.u32(record.spool);
    out.u64(record.bytes);
    out.u32(static_cast<std::uint32_t>(record.frames.size()));
    for (const PartsIn& in : record.frames) {
      out.u32(in.frame.segment);
      out.u32(in.frame.offset);
      out.u32(in.first);
      out.u32(in.parts);
    }
    out.u32(static_cast<std::uint32_t>(record.aborted.size()));
    for (const XidRange& range : record.aborted) {
      out.u64(range.first.value);
      out.u64(range.last.value);
    }
  });
}

Result<CommitRecord> decode_commit(Bytes content) {
  WireReader in(content);
  CommitRecord record;
  if (!get_commit(in, record.commit)) return bad_record("commit");
  record.spool = in.u32();
  record.bytes = in.u64();
  const std::uint32_t frames = in.u32();
  if (frames > in.rest().size() / 16) return bad_record("commit");
  record.frames.reserve(frames);
  for (std::uint32_t i = 0; i < frames; ++i) {
    PartsIn& parts = record.frames.emplace_back();
    parts.frame.segment = in.u32();
    parts.frame.offset = in.u32();
    parts.first = in.u32();
    parts.parts = in.u32();
  }
  const std::uint32_t aborted = in.u32();
  if (aborted > in.rest().size() / 16) return bad_record("commit");
  record.aborted.reserve(aborted);
  for (std::uint32_t i = 0; i < aborted; ++i) {
    XidRange& range = record.aborted.emplace_back();
    range.first = Xid{in.u64()};
    range.last = Xid{in.u64()};
  }
  if (!in.complete()) return bad_record("commit");
  return record;
}

void encode_through(const Position& through, std::vector<std::byte>& bytes) {
  put_record(RecordKind::through, bytes, [&](WireWriter& out) { put_position(out, through); });
}

Result<Position> decode_through(Bytes content) {
  WireReader in(content);
  Position position;
  if (!get_position(in, position) || !in.complete()) return bad_record("received-through");
  return position;
}

std::string segment_name(std::uint32_t number) {
  std::array<char, 24> text{};
  std::snprintf(text.data(), text.size(), "%010u.journal", number);
  return text.data();
}

std::optional<std::uint32_t> segment_number(std::string_view name) {
  std::uint32_t number = 0;
  const auto parsed = std::from_chars(name.data(), name.data() + name.size(), number);
  if (parsed.ec != std::errc{} || number == 0 || name != segment_name(number)) return std::nullopt;
  return number;
}

Error damaged(const std::string& folder, Place at, const std::string& how) {
  return {ErrorKind::bad_data,
          "journal file " + folder + "/" + segment_name(at.segment) + " is damaged at offset " +
              std::to_string(at.offset) + ": " + how,
          "put the file back from a copy, or make the mirror anew"};
}

}  // namespace lockstep::journal
