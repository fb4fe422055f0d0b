#include "journal/index.hpp"

#include <algorithm>

namespace lockstep::journal {
namespace {

// A reader that starts anywhere skims at most this much; 2 million entries (64 MB) stand for half a terabyte.
constexpr std::uint32_t entry_every_bytes = 256u << 10;

}  // namespace

void Index::add_segment(std::uint32_t number, std::uint32_t end, std::optional<Commit> last_before) {
  if (segments_.empty() && last_before.has_value()) last_ = last_before->state;
  CHECK(!last_before.has_value() || last_before->state == last_);
  segments_.push_back({number, end, std::move(last_before), {}});
  bytes_ += end;
}

void Index::add_frame(Place at, const FrameHeader& header) {
  Segment& segment = segments_.back();
  CHECK(at.segment == segment.number && at.offset == segment.end);
  const std::uint32_t size = frame_header_bytes + header.length;
  segment.end += size;
  bytes_ += size;
  if (header.commits == 0) return;
  const bool far = entries_.empty() || entries_.back().at.segment != at.segment ||
                   at.offset - entries_.back().at.offset >= entry_every_bytes;
  if (far) entries_.push_back({header.first_state, at, committed_});
  last_ = header.last_state();
  committed_ += header.commit_bytes;
  if (header.reach < front().number) unreadable_through_ = std::max(unreadable_through_, last_);
  for (auto held = segments_.rbegin(); held != segments_.rend() && held->number >= header.reach; ++held) {
    held->needed_by = last_;
  }
}

void Index::drop_front() {
  CHECK(segments_.size() > 1);
  unreadable_through_ = std::max(unreadable_through_, front().needed_by);
  bytes_ -= front().end;
  while (!entries_.empty() && entries_.front().at.segment == front().number) entries_.pop_front();
  segments_.pop_front();
}

const Index::Segment* Index::find(std::uint32_t number) const {
  if (segments_.empty() || number < front().number || number > back().number) return nullptr;
  return &segments_[number - front().number];
}

StateId Index::first_held() const {
  const StateId before = front().last_before.has_value() ? front().last_before->state : StateId{};
  return {std::max(before, unreadable_through_).value + 1};
}

Place Index::place_before(StateId state) const {
  if (state > last_) return {back().number, back().end};
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), state,
                                      [](StateId wanted, const Entry& entry) { return wanted < entry.first; });
  return after == entries_.begin() ? Place{front().number, preamble_bytes} : std::prev(after)->at;
}

std::uint64_t Index::committed_bytes_after(StateId applied) const {
  if (applied >= last_ || entries_.empty()) return 0;
  const StateId next{applied.value + 1};
  const auto after = std::upper_bound(entries_.begin(), entries_.end(), next,
                                      [](StateId wanted, const Entry& entry) { return wanted < entry.first; });
  const Entry& entry = after == entries_.begin() ? *after : *std::prev(after);
  return committed_ - entry.committed_before;
}

}  // namespace lockstep::journal
