#include "journal/reader.hpp"

#include <algorithm>

namespace lockstep::journal {

FileReader::FileReader(std::shared_ptr<Shared> shared, StateId first)
    : shared_(std::move(shared)), next_(first), commits_(shared_), parts_(shared_) {
  const std::scoped_lock lock(shared_->mutex);
  at_ = shared_->index.place_before(first);
}

Result<std::optional<Commit>> FileReader::next() {
  {
    const std::scoped_lock lock(shared_->mutex);
    if (next_ > shared_->durable.last) return std::optional<Commit>{};
  }
  while (true) {
    TRY(found, take_next_commit());
    if (found) break;
    TRY_DO(advance());
  }
  ++next_.value;
  next_frame_ = 0;
  parts_left_ = 0;
  return std::optional<Commit>(commit_.commit);
}

/// From the frame in hand; false when it has no more.
Result<bool> FileReader::take_next_commit() {
  if (!records_.has_value()) return false;
  Record record;
  while (records_->next(record)) {
    if (record.kind != RecordKind::commit) continue;
    auto commit = decode_commit(record.content);
    if (!commit.ok()) return damaged(shared_->folder, frame_->at, commit.error().what);
    commit_ = std::move(commit).value();
    if (commit_.commit.state < next_) continue;
    if (commit_.commit.state == next_) return true;
    return damaged(shared_->folder, frame_->at, "a transaction has a wrong number");
  }
  if (!records_->ok()) return damaged(shared_->folder, frame_->at, "its records do not parse");
  records_.reset();
  return false;
}

/// To the next frame that holds the commit wanted, which is known to be written.
Status FileReader::advance() {
  while (true) {
    TRY_DO(enter_segment_of(at_));
    const Result<FrameHeader> read = commits_.header(at_);
    if (!read.ok() && read.error().kind == ErrorKind::lost_history) continue;  // released just now: look where to go on
    if (!read.ok()) return read.error();
    const FrameHeader& header = read.value();
    const Place here = at_;
    at_.offset += frame_header_bytes + header.length;
    if (header.commits == 0 || header.last_state() < next_) continue;
    TRY(frame, commits_.load(here));
    frame_ = frame;
    records_.emplace(frame_->body);
    return Done{};
  }
}

/// Moves `at` to the next segment when it stands at the end of one. A reader that has read everything may wait in a
/// segment that is released meanwhile: what it wants next is held, further on.
Status FileReader::enter_segment_of(Place& at) {
  const std::scoped_lock lock(shared_->mutex);
  const std::uint32_t front = shared_->index.front().number;
  if (at.segment < front && next_ >= shared_->index.first_held()) at = {front, preamble_bytes};
  while (true) {
    const Index::Segment* segment = shared_->index.find(at.segment);
    if (segment == nullptr) {
      return Error{ErrorKind::lost_history,
                   "the journal no longer holds the transaction after " + std::to_string(next_.value - 1)};
    }
    if (at.offset < segment->end) return Done{};
    if (at.segment == shared_->index.back().number) return damaged(shared_->folder, at, "a transaction is missing");
    at = {at.segment + 1, preamble_bytes};
  }
}

Result<std::optional<Block>> FileReader::next_part() {
  Record record;
  while (true) {
    if (parts_left_ == 0) {
      TRY(more, enter_next_frame());
      if (!more) return std::optional<Block>{};
    }
    if (!part_records_->next(record))
      return damaged(shared_->folder, part_frame_->at, "a part of a transaction is missing");
    if (record.kind != RecordKind::part) continue;
    auto part = decode_part(record.content);
    if (!part.ok()) return damaged(shared_->folder, part_frame_->at, part.error().what);
    if (part.value().spool != commit_.spool) continue;
    --parts_left_;
    if (is_aborted(part.value().sub)) continue;
    const Bytes changes = part.value().changes;
    return std::optional<Block>(std::make_shared<const std::vector<std::byte>>(changes.begin(), changes.end()));
  }
}

/// False at the end of the transaction.
Result<bool> FileReader::enter_next_frame() {
  if (next_frame_ == commit_.frames.size()) return false;
  const PartsIn& in = commit_.frames[next_frame_++];
  if (frame_ != nullptr && frame_->at == in.frame) {
    part_frame_ = frame_;
  } else {
    TRY(frame, parts_.load(in.frame));
    part_frame_ = frame;
  }
  part_records_.emplace(part_frame_->body, in.first);
  parts_left_ = in.parts;
  return true;
}

bool FileReader::is_aborted(Xid sub) const {
  const auto after = std::upper_bound(commit_.aborted.begin(), commit_.aborted.end(), sub,
                                      [](Xid wanted, const XidRange& range) { return wanted < range.first; });
  return after != commit_.aborted.begin() && sub <= std::prev(after)->last;
}

}  // namespace lockstep::journal
