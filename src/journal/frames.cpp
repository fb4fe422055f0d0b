#include "journal/frames.hpp"

#include <algorithm>
#include <array>

#include "base/crc32c.hpp"
#include "base/failpoint.hpp"

namespace lockstep::journal {

void Tail::add(FramePtr frame) {
  bytes_ += frame->storage.size();
  frames_.push_back(std::move(frame));
  while (bytes_ > bytes_max && frames_.size() > 1) {
    bytes_ -= frames_.front()->storage.size();
    frames_.pop_front();
  }
}

FramePtr Tail::find(Place at) const {
  const auto found = std::lower_bound(frames_.begin(), frames_.end(), at,
                                      [](const FramePtr& frame, Place wanted) { return frame->at < wanted; });
  return found != frames_.end() && (*found)->at == at ? *found : nullptr;
}

Result<FrameHeader> read_header(const DiskFile& file, const std::string& folder, Place at) {
  std::array<std::byte, frame_header_bytes> bytes{};
  const Status read = file.read(at.offset, bytes);
  if (!read.ok() && read.error().kind == ErrorKind::bad_data) return damaged(folder, at, "the file ends too early");
  TRY_DO(read);
  const auto header = decode_frame_header(bytes, at);
  if (!header.has_value()) return damaged(folder, at, "wrong checksum of a frame header");
  return *header;
}

Result<std::vector<std::byte>> read_body(const DiskFile& file, const std::string& folder, Place at,
                                         const FrameHeader& header) {
  const std::uint64_t begin = std::uint64_t{at.offset} + frame_header_bytes;
  if (begin + header.length > file.size()) return damaged(folder, at, "the file ends too early");
  std::vector<std::byte> body(header.length);
  TRY_DO(file.read(begin, body));
  if (crc32c(body) != header.body_crc) return damaged(folder, at, "wrong checksum of a frame");
  return body;
}

FramePtr FrameLoader::from_tail(Place at) {
  if (last_ != nullptr && last_->at == at) return last_;
  const std::scoped_lock lock(shared_->mutex);
  return shared_->tail.find(at);
}

Status FrameLoader::open(std::uint32_t segment) {
  if (file_number_ == segment) return Done{};
  auto file = shared_->disk.open(shared_->folder + "/" + segment_name(segment), false);
  if (!file.ok()) {
    const std::scoped_lock lock(shared_->mutex);
    if (segment >= shared_->index.front().number) return file.error();
    return Error{ErrorKind::lost_history, "the journal no longer holds the transaction that is being read"};
  }
  file_ = std::move(file).value();
  file_number_ = segment;
  return Done{};
}

Result<FrameHeader> FrameLoader::header(Place at) {
  if (const FramePtr kept = from_tail(at)) return kept->header;
  TRY_DO(open(at.segment));
  return read_header(*file_, shared_->folder, at);
}

Result<FramePtr> FrameLoader::load(Place at) {
  if (FramePtr kept = from_tail(at)) {
    last_ = kept;
    return kept;
  }
  TRY_DO(open(at.segment));
  TRY(header, read_header(*file_, shared_->folder, at));
  TRY(body, read_body(*file_, shared_->folder, at, header));
  auto frame = std::make_shared<Frame>(Frame{at, header, std::move(body)});
  frame->body = frame->storage;
  last_ = frame;
  return last_;
}

Result<std::shared_ptr<DiskFile>> create_segment(Disk& disk, const std::string& folder, std::uint32_t number,
                                                 const SegmentHeader& header) {
  std::vector<std::byte> bytes;
  encode_preamble(bytes);
  bytes.resize(preamble_bytes + frame_header_bytes);
  encode_segment(header, bytes);
  const Bytes body = Bytes(bytes).subspan(preamble_bytes + frame_header_bytes);
  FrameHeader frame;
  frame.length = static_cast<std::uint32_t>(body.size());
  frame.body_crc = crc32c(body);
  encode_frame_header(frame, {number, preamble_bytes}, bytes.data() + preamble_bytes);

  TRY(file, disk.open(folder + "/" + segment_name(number), true));
  TRY_DO(file->append(bytes));
  FAILPOINT("journal.segment_created");
  TRY_DO(file->sync());
  TRY_DO(disk.sync_folder(folder));
  return std::shared_ptr<DiskFile>(std::move(file));
}

}  // namespace lockstep::journal
