#pragma once

#include <memory>
#include <optional>

#include "journal/frames.hpp"

namespace lockstep::journal {

/// Reads commits in order: skims the frame headers for frames with commits, and fetches the parts that each names.
class FileReader final : public Reader {
 public:
  /// Begins with the commit `first`, which must be held or still to come.
  FileReader(std::shared_ptr<Shared> shared, StateId first);

  Result<std::optional<Commit>> next() override;
  Result<std::optional<Block>> next_part() override;

 private:
  Result<bool> take_next_commit();
  Status advance();
  Status enter_segment_of(Place& at);
  Result<bool> enter_next_frame();
  bool is_aborted(Xid sub) const;

  std::shared_ptr<Shared> shared_;
  StateId next_;
  Place at_;  // the frame to look at next
  FrameLoader commits_;
  FramePtr frame_;                       // of the commits in hand
  std::optional<RecordReader> records_;  // of `frame_`
  CommitRecord commit_;                  // the transaction in hand

  FrameLoader parts_;
  std::size_t next_frame_ = 0;  // in commit_.frames
  FramePtr part_frame_;
  std::optional<RecordReader> part_records_;
  std::uint32_t parts_left_ = 0;  // in part_frame_
};

}  // namespace lockstep::journal
