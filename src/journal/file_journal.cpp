// Records gather in one frame until it is large enough or a sync is asked for; then it is one write. So many small
// transactions share a write, a checksum and a sync. Of open transactions only the places of their parts are kept.
//
// Order that makes a crash harmless: frame written, file synced, `durable` raised, and only then may readers see its
// commits. A new segment: the old file synced, the new one synced with its header, the folder synced, then the first
// frame. A failed write or sync ends this object's life (`broken_`): nobody knows what the file holds now. After a
// failed sync the kernel may still show bytes that never reached the disk; they are cut at once, so that the next open
// cannot take them for good.

#include "journal/file_journal.hpp"

#include <algorithm>

#include "base/crc32c.hpp"
#include "base/failpoint.hpp"
#include "journal/reader.hpp"
#include "model/change.hpp"

namespace lockstep::journal {
namespace {

// A part above this gets a frame of its own.
constexpr std::size_t part_bytes_large = 4u << 20;
// Half of what a frame can hold: far above the largest row of any source.
constexpr std::size_t part_bytes_max = frame_bytes_max / 2;
// Offsets have 32 bits, and a segment may end with one oversized frame.
constexpr std::uint64_t segment_bytes_limit = 1u << 30;

void add_to_ranges(std::vector<XidRange>& ranges, Xid xid) {
  const auto after = std::upper_bound(ranges.begin(), ranges.end(), xid,
                                      [](Xid wanted, const XidRange& range) { return wanted < range.first; });
  if (after != ranges.begin()) {
    XidRange& before = *std::prev(after);
    if (xid <= before.last) return;
    if (before.last.value + 1 == xid.value) {
      before.last = xid;
      return;
    }
  }
  ranges.insert(after, {xid, xid});
}

Status fsync(DiskFile& file) {
  FAILPOINT("journal.before_fsync");
  TRY_DO(file.sync());
  FAILPOINT("journal.after_fsync");
  return Done{};
}

}  // namespace

FileJournal::FileJournal(Disk& disk, const std::string& folder, Owner owner, const Options& options, Recovered found)
    : shared_(std::make_shared<Shared>(disk, folder)),
      owner_(std::move(owner)),
      options_(options),
      file_(std::move(found.file)),
      number_(found.index.back().number),
      size_(found.index.back().end),
      synced_(size_),
      last_(found.last),
      through_(found.through),
      shapes_(std::move(found.shapes)) {
  shared_->index = std::move(found.index);
  shared_->durable = written();
  applied_.value = shared_->index.first_held().value - 1;
}

// ---- Frames --------------------------------------------------------------------------------------------------------

Status FileJournal::usable() const {
  if (!broken_.has_value()) return Done{};
  return with_context(*broken_, "the journal must be opened again after");
}

Status FileJournal::or_broken(Status status) {
  if (!status.ok() && !broken_.has_value()) broken_ = status.error();
  return status;
}

Status FileJournal::begin_frame() {
  if (has_pending()) return Done{};
  if (size_ >= std::min(options_.segment_bytes_max, segment_bytes_limit)) TRY_DO(or_broken(roll()));
  pending_.header = {};
  pending_.bytes.reserve(options_.write_bytes_wanted + options_.write_bytes_wanted / 4);
  pending_.bytes.resize(frame_header_bytes);
  return Done{};
}

Status FileJournal::end_record() {
  return pending_.bytes.size() >= options_.write_bytes_wanted ? flush() : Status(Done{});
}

Status FileJournal::flush() {
  if (through_unwritten_) {
    TRY_DO(begin_frame());
    encode_through(*through_, pending_.bytes);
    through_unwritten_ = false;
  }
  return has_pending() ? or_broken(write_pending()) : Status(Done{});
}

Status FileJournal::write_pending() {
  const Place at = pending_place();
  FrameHeader& header = pending_.header;
  const Bytes body = Bytes(pending_.bytes).subspan(frame_header_bytes);
  header.length = static_cast<std::uint32_t>(body.size());
  header.body_crc = crc32c(body);
  header.synced = synced_;
  encode_frame_header(header, at, pending_.bytes.data());
  FAILPOINT("journal.before_write");
  TRY_DO(file_->append(pending_.bytes));
  size_ += static_cast<std::uint32_t>(pending_.bytes.size());
  shared_->index.add_frame(at, header);
  auto frame = std::make_shared<Frame>(Frame{at, header, std::move(pending_.bytes)});
  frame->body = Bytes(frame->storage).subspan(frame_header_bytes);
  shared_->tail.add(std::move(frame));
  pending_.bytes.clear();
  return Done{};
}

/// Goes on in a new segment. With nothing pending: the current file holds all that was written.
Status FileJournal::roll() {
  TRY_DO(fsync(*file_));
  SegmentHeader header;
  header.owner = owner_;
  header.last = last_;
  header.through = through_;
  header.previous_end = size_;
  header.next_shape = shapes_.next();
  TRY(file, create_segment(shared_->disk, shared_->folder, number_ + 1, header));
  file_ = std::move(file);
  ++number_;
  size_ = static_cast<std::uint32_t>(file_->size());
  synced_ = size_;
  shared_->index.add_segment(number_, size_, last_);
  through_unwritten_ = false;  // the header says it
  publish({file_, number_, size_, written()});
  return Done{};
}

// ---- Durability ----------------------------------------------------------------------------------------------------

void FileJournal::publish(const Flushed& flushed) {
  if (flushed.segment == number_) synced_ = std::max(synced_, flushed.size);
  Durable& durable = shared_->durable;
  durable.last = std::max(durable.last, flushed.durable.last);
  durable.through = std::max(durable.through, flushed.durable.through);
}

Result<Durable> FileJournal::sync() {
  const std::scoped_lock one_at_a_time(sync_mutex_);
  Flushed flushed;
  {
    const std::scoped_lock lock(shared_->mutex);
    TRY_DO(usable());
    if (!is_dirty()) return shared_->durable;
    TRY_DO(flush());
    flushed = {file_, number_, size_, written()};
  }
  const Status synced = fsync(*flushed.file);  // without the lock: the receiver goes on writing
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(or_broken(synced));
  TRY_DO(usable());
  publish(flushed);
  return shared_->durable;
}

Durable FileJournal::durable() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->durable;
}

bool FileJournal::dirty() const {
  const std::scoped_lock lock(shared_->mutex);
  return is_dirty();
}

// ---- Writing -------------------------------------------------------------------------------------------------------

Status FileJournal::begin_connection() {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  spools_.clear();
  shapes_.begin_connection();
  return Done{};
}

Result<ShapeId> FileJournal::add_shape(const TableShape& shape) {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  TRY_DO(begin_frame());
  ShapeBook::Known& known = shapes_.add(shape);
  TRY_DO(write_shape(known));
  TRY_DO(end_record());
  return known.id;
}

/// Into the pending frame, unless its segment has it.
Status FileJournal::write_shape(ShapeBook::Known& known) {
  if (known.segment == number_) return Done{};
  encode_shape_record({known.id, bytes_of(known.encoded)}, pending_.bytes);
  pending_.header.has_shapes = true;
  known.segment = number_;
  return Done{};
}

/// Steps over the changes (model/change.hpp) for the shapes alone.
Status FileJournal::write_used_shapes(Bytes changes) {
  WireReader in(changes);
  ShapeId seen;
  while (!in.rest().empty()) {
    const auto kind = static_cast<ChangeKind>(in.u8());
    const Bytes body = in.bytes(in.u32());
    if (!in.ok()) return Error{ErrorKind::bad_data, "changes that do not parse were given to the journal"};
    if (kind == ChangeKind::truncate || kind == ChangeKind::message) continue;
    const ShapeId id{WireReader(body).u32()};
    if (id == seen) continue;
    ShapeBook::Known* known = shapes_.find(id);
    if (known == nullptr) return Error{ErrorKind::bad_data, "a change has a shape that the journal was not given"};
    TRY_DO(write_shape(*known));
    seen = id;
  }
  return Done{};
}

Spool& FileJournal::spool_of_first(Xid xid) {
  Spool& spool = spools_[xid];
  spool = {};
  spool.number = next_spool_++;
  return spool;
}

Status FileJournal::append_part(Xid xid, Xid sub, bool first, Bytes changes) {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  const auto found = spools_.find(xid);
  if (!first && found == spools_.end()) {
    return Error{ErrorKind::bad_data, "the source goes on with a transaction that it never began"};
  }
  if (changes.size() > part_bytes_max) return Error{ErrorKind::unsupported, "one change is larger than 1 GB"};
  Spool& spool = first ? spool_of_first(xid) : found->second;
  if (changes.empty()) return Done{};
  if (changes.size() >= part_bytes_large) TRY_DO(flush());
  TRY_DO(begin_frame());
  TRY_DO(write_used_shapes(changes));
  const std::size_t record_at = pending_.bytes.size() - frame_header_bytes;
  encode_part({spool.number, sub, changes}, pending_.bytes);
  note_part(spool, record_at, changes.size());
  return end_record();
}

void FileJournal::note_part(Spool& spool, std::size_t record_at, std::size_t bytes) {
  const Place at = pending_place();
  if (spool.frames.empty() || spool.frames.back().frame != at) {
    spool.frames.push_back({at, static_cast<std::uint32_t>(record_at), 0});
  }
  ++spool.frames.back().parts;
  spool.bytes += bytes;
}

Status FileJournal::abort(Xid xid, Xid sub) {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  // An unknown one: the source streams a transaction again that is journalled already, and drops it.
  const auto found = spools_.find(xid);
  if (found == spools_.end()) return Done{};
  if (xid == sub) {
    spools_.erase(found);
  } else {
    add_to_ranges(found->second.aborted, sub);
  }
  return Done{};
}

Result<std::optional<StateId>> FileJournal::commit(Xid xid, const Position& end, UnixMicros time) {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  auto spool = spools_.extract(xid);
  if (last_.has_value() && end <= last_->end) return std::optional<StateId>{};
  TRY_DO(begin_frame());
  CommitRecord record;
  record.commit = {{written().last.value + 1}, xid, end, time};
  if (!spool.empty()) {
    record.spool = spool.mapped().number;
    record.bytes = spool.mapped().bytes;
    record.frames = std::move(spool.mapped().frames);
    record.aborted = std::move(spool.mapped().aborted);
  }
  encode_commit(record, pending_.bytes);
  note_commit(record);
  TRY_DO(end_record());
  return std::optional(record.commit.state);
}

void FileJournal::note_commit(const CommitRecord& record) {
  FrameHeader& header = pending_.header;
  const std::uint32_t reach = record.frames.empty() ? number_ : record.frames.front().frame.segment;
  if (header.commits == 0) {
    header.first_state = record.commit.state;
    header.reach = reach;
  }
  header.reach = std::min(header.reach, reach);
  ++header.commits;
  header.commit_bytes += record.bytes;
  last_ = record.commit;
  if (!through_.has_value() || *through_ <= record.commit.end) {
    through_ = record.commit.end;
    through_unwritten_ = false;  // the commit says it
  }
}

Status FileJournal::received_through(const Position& through) {
  const std::scoped_lock lock(shared_->mutex);
  TRY_DO(usable());
  if (through_.has_value() && through <= *through_) return Done{};
  through_ = through;
  through_unwritten_ = true;
  return Done{};
}

// ---- Reading -------------------------------------------------------------------------------------------------------

Result<std::unique_ptr<Reader>> FileJournal::reader(StateId after) {
  {
    const std::scoped_lock lock(shared_->mutex);
    const StateId first = shared_->index.first_held();
    const StateId last = shared_->durable.last;
    if (after.value + 1 < first.value || after > last) {
      return Error{ErrorKind::lost_history, "the journal holds the transactions " + std::to_string(first.value) +
                                                " to " + std::to_string(last.value) + ", not the one after " +
                                                std::to_string(after.value)};
    }
  }
  return std::unique_ptr<Reader>(std::make_unique<FileReader>(shared_, StateId{after.value + 1}));
}

std::shared_ptr<const TableShape> FileJournal::shape(ShapeId id) const {
  const std::scoped_lock lock(shared_->mutex);
  const ShapeBook::Known* known = shapes_.find(id);
  return known == nullptr ? nullptr : known->shape;
}

Result<Commit> FileJournal::commit_at(StateId state) {
  {
    const std::scoped_lock lock(shared_->mutex);
    const std::optional<Commit>& trimmed = shared_->index.front().last_before;
    if (trimmed.has_value() && trimmed->state == state) return *trimmed;
    const StateId before = trimmed.has_value() ? trimmed->state : StateId{};
    if (state <= before || state > shared_->durable.last) {
      return Error{ErrorKind::lost_history, "the journal does not hold transaction " + std::to_string(state.value)};
    }
  }
  FileReader reader(shared_, state);
  TRY(commit, reader.next());
  CHECK(commit.has_value());
  return *commit;
}

StateId FileJournal::first_held() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->index.first_held();
}

// ---- Retention -----------------------------------------------------------------------------------------------------

bool FileJournal::front_is_free() const {
  const Index& index = shared_->index;
  if (index.segments() < 2 || index.front().needed_by > applied_) return false;
  const std::uint32_t front = index.front().number;
  if (has_pending() && pending_.header.commits > 0 && pending_.header.reach <= front) return false;
  return std::none_of(spools_.begin(), spools_.end(), [&](const auto& entry) {
    return !entry.second.frames.empty() && entry.second.frames.front().frame.segment <= front;
  });
}

Status FileJournal::release(StateId applied) {
  const std::scoped_lock one_at_a_time(trim_mutex_);
  while (true) {
    std::uint32_t number = 0;
    {
      const std::scoped_lock lock(shared_->mutex);
      applied_ = std::max(applied_, std::min(applied, shared_->durable.last));
      if (!front_is_free()) break;
      number = shared_->index.front().number;
    }
    FAILPOINT("journal.before_trim");
    // One after the other: a crash may not leave a gap.
    if (folder_unsynced_) TRY_DO(shared_->disk.sync_folder(shared_->folder));
    TRY_DO(shared_->disk.remove(shared_->folder + "/" + segment_name(number)));
    folder_unsynced_ = true;
    const std::scoped_lock lock(shared_->mutex);
    shared_->index.drop_front();
    shapes_.forget_before(shared_->index.front().number);
  }
  if (folder_unsynced_) TRY_DO(shared_->disk.sync_folder(shared_->folder));
  folder_unsynced_ = false;
  return Done{};
}

std::uint64_t FileJournal::bytes() const {
  const std::scoped_lock lock(shared_->mutex);
  return shared_->index.bytes() + pending_.bytes.size();
}

bool FileJournal::has_room(std::string* why) const {
  const auto no = [&](std::string reason) {
    if (why != nullptr) *why = std::move(reason);
    return false;
  };
  if (options_.bytes_max > 0) {
    const std::scoped_lock lock(shared_->mutex);
    const std::uint64_t waiting = shared_->index.committed_bytes_after(applied_);
    if (waiting >= options_.bytes_max) {
      return no("the journal holds " + std::to_string(waiting) + " bytes of unapplied transactions, its limit is " +
                std::to_string(options_.bytes_max));
    }
  }
  const auto space = shared_->disk.space(shared_->folder);
  if (!space.ok()) return no(space.error().what);
  const auto percent = static_cast<double>(space.value().free_bytes) * 100.0;
  if (percent >= static_cast<double>(options_.free_disk_percent_min) * static_cast<double>(space.value().total_bytes))
    return true;
  return no("less than " + std::to_string(options_.free_disk_percent_min) + " % of the journal's disk is free");
}

Result<std::unique_ptr<Journal>> open(Disk& disk, const std::string& folder, const Owner& owner,
                                      const Options& options) {
  TRY(found, recover(disk, folder, owner));
  return std::unique_ptr<Journal>(std::make_unique<FileJournal>(disk, folder, owner, options, std::move(found)));
}

}  // namespace lockstep::journal
