#pragma once

#include <deque>
#include <memory>
#include <mutex>  // tidy: allow threads (journal.hpp lets apply read while the receiver writes)
#include <string>

#include "journal/index.hpp"

namespace lockstep::journal {

/// One frame in memory.
struct Frame {
  Place at;
  FrameHeader header;
  std::vector<std::byte> storage;  ///< the body, or the whole frame
  Bytes body{};                    ///< points into storage
};
using FramePtr = std::shared_ptr<const Frame>;

/// The last frames that were written, so that an apply that keeps up reads nothing back. Not thread-safe.
class Tail {
 public:
  void add(FramePtr frame);
  FramePtr find(Place at) const;

 private:
  static constexpr std::size_t bytes_max = 8u << 20;  // a few syncs of a busy source

  std::deque<FramePtr> frames_;  // by place
  std::size_t bytes_ = 0;
};

/// What a journal shares with its readers.
struct Shared {
  Shared(Disk& where, std::string path) : disk(where), folder(std::move(path)) {}

  Disk& disk;
  const std::string folder;

  std::mutex mutex;  // guards all below, and what the writer says so of
  Durable durable;
  Index index;
  Tail tail;
};

/// Gets frames from the tail or the files, checked. One thread.
class FrameLoader {
 public:
  explicit FrameLoader(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}

  /// Errors: bad_data, lost_history (the segment was dropped), or the disk's own.
  Result<FrameHeader> header(Place at);
  Result<FramePtr> load(Place at);

 private:
  Status open(std::uint32_t segment);
  FramePtr from_tail(Place at);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<DiskFile> file_;
  std::uint32_t file_number_ = 0;
  FramePtr last_;
};

/// Reads the frame header at `at` from its file. Error: bad_data.
Result<FrameHeader> read_header(const DiskFile& file, const std::string& folder, Place at);
/// Reads and checks the body that belongs to it.
Result<std::vector<std::byte>> read_body(const DiskFile& file, const std::string& folder, Place at,
                                         const FrameHeader& header);

/// Makes a segment durable with nothing but its header in it, and gives its file.
Result<std::shared_ptr<DiskFile>> create_segment(Disk& disk, const std::string& folder, std::uint32_t number,
                                                 const SegmentHeader& header);

}  // namespace lockstep::journal
