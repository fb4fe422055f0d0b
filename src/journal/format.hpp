#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/wire.hpp"
#include "journal/journal.hpp"
#include "model/transaction.hpp"

// The bytes of docs/format/journal.md, big-endian throughout.

namespace lockstep::journal {

constexpr std::string_view segment_magic = "lockstpj";
constexpr std::uint32_t format_version = 1;
constexpr std::uint32_t preamble_bytes = 16;  // magic, version, their checksum
constexpr std::uint32_t frame_header_bytes = 41;
constexpr std::uint32_t frame_bytes_max = 0x7fff0000;  // a length beyond this is damage

/// The first bytes of a file, which no later version may move.
void encode_preamble(std::vector<std::byte>& out);
/// The version that wrote the file; nothing when the bytes are no preamble.
std::optional<std::uint32_t> decode_preamble(Bytes bytes);

/// Where a frame begins.
struct Place {
  std::uint32_t segment = 0;
  std::uint32_t offset = 0;
  auto operator<=>(const Place&) const = default;
};

/// Stands before the records of one write to the disk, and tells what a reader needs to know to skip them.
struct FrameHeader {
  std::uint32_t length = 0;  ///< of the records that follow
  std::uint32_t body_crc = 0;
  std::uint32_t synced = 0;  ///< bytes of this segment that were durable before this frame was written
  std::uint32_t commits = 0;
  StateId first_state;             ///< of the first commit; 0 without commits
  std::uint64_t commit_bytes = 0;  ///< of the transactions that are committed here, wherever their parts lie
  std::uint32_t reach = 0;         ///< the lowest segment with parts of these transactions
  bool has_shapes = false;

  StateId last_state() const { return {first_state.value + commits - 1}; }  ///< only with commits
  bool operator==(const FrameHeader&) const = default;
};

/// The header's checksum also covers where it stands, so that bytes of a journal inside somebody's row are no frame.
void encode_frame_header(const FrameHeader& header, Place at, std::byte* into);
std::optional<FrameHeader> decode_frame_header(Bytes bytes, Place at);

enum class RecordKind : std::uint8_t {
  segment = 'H',  ///< the first record of a segment
  shape = 'S',
  part = 'P',
  commit = 'C',
  through = 'R',
};

struct Record {
  RecordKind kind{};
  Bytes content{};
  std::uint32_t offset = 0;  ///< in the frame's body
};

/// record = u8 kind, u32 length, content
class RecordReader {
 public:
  explicit RecordReader(Bytes body, std::uint32_t from = 0);
  /// False at the end and on bytes that are no records; `ok()` tells which.
  bool next(Record& record);
  bool ok() const { return in_.ok(); }

 private:
  std::uint32_t size_;
  WireReader in_;
};

/// What a segment knows of the ones before it, which may be gone.
struct SegmentHeader {
  Owner owner;
  std::optional<Commit> last;       ///< the last commit before this segment
  std::optional<Position> through;  ///< as durable when the segment was made
  std::uint32_t previous_end = 0;   ///< size of the segment before; 0: there was none
  ShapeId next_shape;
};

/// Parts of a transaction that lie in one frame.
struct PartsIn {
  Place frame;
  std::uint32_t first = 0;  ///< offset of the first one in the frame's body
  std::uint32_t parts = 0;
  bool operator==(const PartsIn&) const = default;
};

/// Numbers of savepoints whose changes do not count, both ends included.
struct XidRange {
  Xid first, last;
};

struct CommitRecord {
  Commit commit;
  std::uint32_t spool = 0;        ///< which of the parts in those frames are this transaction's
  std::uint64_t bytes = 0;        ///< of its parts
  std::vector<PartsIn> frames;    ///< in order
  std::vector<XidRange> aborted;  ///< sorted
};

struct PartRecord {
  std::uint32_t spool = 0;
  Xid sub;
  Bytes changes;
};
struct ShapeRecord {
  ShapeId id;
  Bytes shape;
};

/// What a part record holds before its changes.
constexpr std::uint32_t part_head_bytes = 5 + 4 + 8;

// Encoders append a whole record.
void encode_segment(const SegmentHeader& header, std::vector<std::byte>& out);
void encode_shape_record(const ShapeRecord& shape, std::vector<std::byte>& out);
void encode_part(const PartRecord& part, std::vector<std::byte>& out);
void encode_commit(const CommitRecord& commit, std::vector<std::byte>& out);
void encode_through(const Position& through, std::vector<std::byte>& out);

// Decoders take a record's content. Error: bad_data, without a place; the caller knows it.
Result<SegmentHeader> decode_segment(Bytes content);
Result<ShapeRecord> decode_shape_record(Bytes content);
Result<PartRecord> decode_part(Bytes content);
Result<CommitRecord> decode_commit(Bytes content);
Result<Position> decode_through(Bytes content);

/// "0000000012.journal": sorted as text they are sorted by number.
std::string segment_name(std::uint32_t number);
std::optional<std::uint32_t> segment_number(std::string_view name);

/// bad_data, naming file and offset.
Error damaged(const std::string& folder, Place at, const std::string& how);

}  // namespace lockstep::journal
