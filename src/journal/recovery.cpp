// What may lie on the disk when a journal is opened, and what each means.
//
// Within the last segment a write that was never synced may be there in part, in any order of its pages. It counts up
// to the first frame that is not whole; the rest is cut: nobody was told of it. But a frame says how much of its
// segment was durable when it was written. If one behind the bad place says that the bad place was durable, then the
// disk has lost what it had promised to keep: that is damage, and it is refused, because cutting there would lose
// commits that the source has been allowed to forget. Damage in the very last synced write looks like a torn one; that
// is found when the source's confirmed position is compared with `durable().through`.
//
// What survives must be made durable before anyone is told of it, and a sync alone does not do that: after a sync that
// failed, or that a kill interrupted, Linux may keep bytes in memory, marked as saved, that never reached the disk. So
// all that no later frame vouches for is written once more, in place and with the same bytes, and then synced.
//
// A segment is durable with its header, and its predecessor whole, before anything is written into it. So only
// the last segment can be torn, and a last one without a whole header never held anything: it is removed.
//
// Of the segments before the last only the frame headers are read, and the bodies with shapes: half a terabyte of
// unapplied changes opens in seconds. Their other bodies are checked when they are read.

#include "journal/recovery.hpp"

#include <algorithm>

#include "base/crc32c.hpp"

namespace lockstep::journal {
namespace {

// A file without a whole header, but larger than any header, is damage whatever it holds.
constexpr std::uint64_t header_bytes_max = 64u << 10;
constexpr std::size_t again_bytes_at_once = 1u << 20;

class Recovery {
 public:
  Recovery(Disk& disk, const std::string& folder, const Owner& owner) : disk_(disk), folder_(folder), owner_(owner) {}

  Result<Recovered> run();

 private:
  using FilePtr = std::unique_ptr<DiskFile>;

  Result<std::vector<std::uint32_t>> list();
  Result<FilePtr> open(std::uint32_t number) { return disk_.open(path(number), false); }
  std::string path(std::uint32_t number) const { return folder_ + "/" + segment_name(number); }

  Result<SegmentHeader> read_segment_header(const DiskFile& file, std::uint32_t number, std::uint32_t& end) const;
  Status check_owner(const Owner& found) const;
  Status enter_segment(const DiskFile& file, std::uint32_t number);
  Status drop_unborn(std::vector<std::uint32_t>& numbers);
  Status walk_sealed(const DiskFile& file, std::uint32_t number);
  Status walk_last(DiskFile& file, std::uint32_t number);
  Status take_frame(Place at, const FrameHeader& header);
  Status take_shapes(Bytes body, Place at);
  Status take_records(Bytes body, Place at);
  Status save_again(DiskFile& file) const;
  Status refuse_promised(const DiskFile& file, Place bad, const std::string& how) const;
  Status create_first();

  Disk& disk_;
  const std::string& folder_;
  const Owner& owner_;
  Recovered found_;
  std::uint32_t previous_end_ = 0;
  std::uint32_t vouched_for_ = 0;  // bytes of the last segment that are durable: a later frame says so
};

Result<std::vector<std::uint32_t>> Recovery::list() {
  TRY(names, disk_.list(folder_));
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names) {
    if (const auto number = segment_number(name)) numbers.push_back(*number);
  }
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    if (numbers[i] != numbers[i - 1] + 1) {
      return Error{ErrorKind::bad_data, "journal file " + path(numbers[i - 1] + 1) + " is missing",
                   "put the file back from a copy, or make the mirror anew"};
    }
  }
  return numbers;
}

Result<SegmentHeader> Recovery::read_segment_header(const DiskFile& file, std::uint32_t number,
                                                    std::uint32_t& end) const {
  const Place start{number, 0};
  const Place first{number, preamble_bytes};
  if (file.size() < preamble_bytes) return damaged(folder_, start, "the file ends too early");
  std::vector<std::byte> preamble(preamble_bytes);
  TRY_DO(file.read(0, preamble));
  const auto version = decode_preamble(preamble);
  if (!version.has_value()) return damaged(folder_, start, "it does not begin like a journal file");
  if (*version != format_version) {
    return Error{ErrorKind::unsupported,
                 "journal file " + path(number) + " has format version " + std::to_string(*version) +
                     ", this program knows " + std::to_string(format_version),
                 "use the newer program that wrote it"};
  }
  TRY(header, read_header(file, folder_, first));
  TRY(body, read_body(file, folder_, first, header));
  RecordReader records(body);
  Record record;
  if (!records.next(record) || record.kind != RecordKind::segment) return damaged(folder_, first, "no segment record");
  end = preamble_bytes + frame_header_bytes + header.length;
  return decode_segment(record.content);
}

Status Recovery::check_owner(const Owner& found) const {
  if (found == owner_) return Done{};
  return Error{ErrorKind::bad_data,
               "the journal in " + folder_ + " belongs to mirror '" + found.mirror + "' of source '" + found.source +
                   "' with slot '" + found.slot + "'",
               "give this mirror a state folder of its own"};
}

Status Recovery::enter_segment(const DiskFile& file, std::uint32_t number) {
  std::uint32_t end = 0;
  TRY(header, read_segment_header(file, number, end));
  TRY_DO(check_owner(header.owner));
  const bool is_first = found_.index.segments() == 0;
  const StateId last = header.last.has_value() ? header.last->state : StateId{};
  if (!is_first && (header.previous_end != previous_end_ || last != found_.index.last())) {
    return damaged(folder_, {number, preamble_bytes}, "it does not follow the file before it");
  }
  found_.index.add_segment(number, end, header.last);
  found_.last = header.last;
  found_.through = header.through;
  if (found_.shapes.next() < header.next_shape) found_.shapes.set_next(header.next_shape);
  return Done{};
}

/// A last segment without a whole header was being made when the power went.
Status Recovery::drop_unborn(std::vector<std::uint32_t>& numbers) {
  if (numbers.empty()) return Done{};
  const std::uint32_t number = numbers.back();
  TRY(file, open(number));
  std::uint32_t end = 0;
  const auto header = read_segment_header(*file, number, end);
  if (header.ok() || header.error().kind != ErrorKind::bad_data) return Done{};
  const bool has_predecessor = numbers.size() > 1 || number == 1;
  if (!has_predecessor || file->size() > header_bytes_max) return header.error();
  TRY_DO(refuse_promised(*file, {number, 0}, header.error().what));
  TRY_DO(disk_.remove(path(number)));
  numbers.pop_back();
  return Done{};
}

Status Recovery::take_frame(Place at, const FrameHeader& header) {
  if (header.commits > 0 && header.first_state.value != found_.index.last().value + 1) {
    return damaged(folder_, at, "its first transaction has a wrong number");
  }
  found_.index.add_frame(at, header);
  return Done{};
}

Status Recovery::take_shapes(Bytes body, Place at) {
  RecordReader records(body);
  Record record;
  while (records.next(record)) {
    if (record.kind != RecordKind::shape) continue;
    TRY(shape, decode_shape_record(record.content));
    const Status restored = found_.shapes.restore(shape, at.segment);
    if (!restored.ok()) return damaged(folder_, at, restored.error().what);
  }
  return records.ok() ? Status(Done{}) : Status(damaged(folder_, at, "its records do not parse"));
}

Status Recovery::take_records(Bytes body, Place at) {
  RecordReader records(body);
  Record record;
  while (records.next(record)) {
    if (record.kind == RecordKind::commit) {
      TRY(commit, decode_commit(record.content));
      found_.last = commit.commit;
      if (!found_.through.has_value() || *found_.through < commit.commit.end) found_.through = commit.commit.end;
    }
    if (record.kind == RecordKind::through) {
      TRY(through, decode_through(record.content));
      if (!found_.through.has_value() || *found_.through < through) found_.through = through;
    }
  }
  return records.ok() ? Status(Done{}) : Status(damaged(folder_, at, "its records do not parse"));
}

Status Recovery::walk_sealed(const DiskFile& file, std::uint32_t number) {
  const std::uint64_t size = file.size();
  while (found_.index.back().end < size) {
    const Place at{number, found_.index.back().end};
    TRY(header, read_header(file, folder_, at));
    if (at.offset + std::uint64_t{frame_header_bytes} + header.length > size) {
      return damaged(folder_, at, "the file ends too early");
    }
    if (header.has_shapes) {
      TRY(body, read_body(file, folder_, at, header));
      TRY_DO(take_shapes(body, at));
    }
    TRY_DO(take_frame(at, header));
  }
  previous_end_ = found_.index.back().end;
  return Done{};
}

Status Recovery::walk_last(DiskFile& file, std::uint32_t number) {
  const std::uint64_t size = file.size();
  while (found_.index.back().end < size) {
    const Place at{number, found_.index.back().end};
    const auto header = read_header(file, folder_, at);
    if (!header.ok() && header.error().kind != ErrorKind::bad_data) return header.error();
    const auto body =
        header.ok() ? read_body(file, folder_, at, header.value()) : Result<std::vector<std::byte>>(header.error());
    if (!body.ok() && body.error().kind != ErrorKind::bad_data) return body.error();
    if (!body.ok()) {
      TRY_DO(refuse_promised(file, at, body.error().what));
      TRY_DO(file.truncate(at.offset));
      break;
    }
    if (header.value().has_shapes) TRY_DO(take_shapes(body.value(), at));
    TRY_DO(take_records(body.value(), at));
    vouched_for_ = std::max(vouched_for_, header.value().synced);
    TRY_DO(take_frame(at, header.value()));
  }
  return save_again(file);
}

/// Also without a cut: what survived a kill may never have been synced.
Status Recovery::save_again(DiskFile& file) const {
  std::uint32_t from = vouched_for_;
  std::vector<std::byte> bytes(std::min<std::size_t>(found_.index.back().end - from, again_bytes_at_once));
  while (from < found_.index.back().end) {
    const auto piece = std::span(bytes).first(std::min<std::size_t>(bytes.size(), found_.index.back().end - from));
    TRY_DO(file.read(from, piece));
    TRY_DO(file.write_again(from, piece));
    from += static_cast<std::uint32_t>(piece.size());
  }
  return file.sync();
}

/// Error: bad_data if a whole frame behind `bad` says that the bytes there were durable.
Status Recovery::refuse_promised(const DiskFile& file, Place bad, const std::string& how) const {
  const std::uint64_t size = file.size();
  if (bad.offset >= size) return Done{};
  std::vector<std::byte> rest(static_cast<std::size_t>(size - bad.offset));
  TRY_DO(file.read(bad.offset, rest));
  for (std::size_t i = 1; i + frame_header_bytes <= rest.size(); ++i) {
    const Bytes here = Bytes(rest).subspan(i);
    WireReader glance(here);  // most places are ruled out without a checksum
    glance.u32();
    const std::uint64_t length = glance.u32();
    glance.u32();
    const std::uint32_t synced = glance.u32();
    if (length > here.size() - frame_header_bytes || synced <= bad.offset || synced > bad.offset + i) continue;
    const auto header = decode_frame_header(here, {bad.segment, static_cast<std::uint32_t>(bad.offset + i)});
    if (!header.has_value()) continue;
    if (crc32c(here.subspan(frame_header_bytes, header->length)) != header->body_crc) continue;
    return Error{ErrorKind::bad_data, how + " (it was durable: a later write says so)",
                 "put the file back from a copy, or make the mirror anew"};
  }
  return Done{};
}

Status Recovery::create_first() {
  const std::size_t slash = folder_.find_last_of('/');
  if (slash != std::string::npos && slash > 0) TRY_DO(disk_.sync_folder(folder_.substr(0, slash)));
  SegmentHeader header;
  header.owner = owner_;
  header.next_shape = found_.shapes.next();
  TRY(file, create_segment(disk_, folder_, 1, header));
  found_.index.add_segment(1, static_cast<std::uint32_t>(file->size()), std::nullopt);
  found_.file = std::move(file);
  return Done{};
}

Result<Recovered> Recovery::run() {
  TRY_DO(disk_.make_folder(folder_));
  TRY(numbers, list());
  TRY_DO(drop_unborn(numbers));
  TRY_DO(disk_.sync_folder(folder_));  // the newest file may be there by luck alone
  if (numbers.empty()) {
    TRY_DO(create_first());
    return std::move(found_);
  }
  for (const std::uint32_t number : numbers) {
    TRY(file, open(number));
    TRY_DO(enter_segment(*file, number));
    if (number != numbers.back()) {
      TRY_DO(walk_sealed(*file, number));
      continue;
    }
    TRY_DO(walk_last(*file, number));
    found_.file = std::move(file);
  }
  return std::move(found_);
}

}  // namespace

Result<Recovered> recover(Disk& disk, const std::string& folder, const Owner& owner) {
  return Recovery(disk, folder, owner).run();
}

}  // namespace lockstep::journal
