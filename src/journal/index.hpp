#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "journal/format.hpp"

namespace lockstep::journal {

/// What is kept in memory of the frames on the disk: one line a segment, and one entry in 256 KB. Follows from the
/// frame headers alone, so that opening a large journal need not read it. Not thread-safe.
class Index {
 public:
  struct Segment {
    std::uint32_t number = 0;
    std::uint32_t end = 0;              ///< bytes written
    std::optional<Commit> last_before;  ///< the last commit before it
    StateId needed_by;                  ///< the last transaction with parts here or in an older segment
  };

  void add_segment(std::uint32_t number, std::uint32_t end, std::optional<Commit> last_before);
  /// A frame at the end of the last segment.
  void add_frame(Place at, const FrameHeader& header);
  void drop_front();

  const Segment& front() const { return segments_.front(); }
  const Segment& back() const { return segments_.back(); }
  const Segment* find(std::uint32_t number) const;
  std::size_t segments() const { return segments_.size(); }

  StateId last() const { return last_; }
  /// The first transaction whose parts are all here.
  StateId first_held() const;
  /// The frame from which on to look for this commit.
  Place place_before(StateId state) const;

  std::uint64_t bytes() const { return bytes_; }
  /// Of transactions after `applied`; up to one entry too many.
  std::uint64_t committed_bytes_after(StateId applied) const;

 private:
  struct Entry {
    StateId first;
    Place at;
    std::uint64_t committed_before = 0;  // bytes of all transactions before `first`
  };

  std::deque<Segment> segments_;
  std::deque<Entry> entries_;
  StateId last_;
  StateId unreadable_through_;  // commits up to here have lost parts
  std::uint64_t bytes_ = 0;
  std::uint64_t committed_ = 0;
};

}  // namespace lockstep::journal
