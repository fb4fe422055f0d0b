#include "apply/key_index.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"

namespace lockstep::apply {
namespace {

constexpr std::size_t slots_min = 64;

// The finalizer of MurmurHash3 (public domain): every bit of the input moves every bit of the result.
std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdull;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ull;
  return value ^ (value >> 33);
}

}  // namespace

std::uint64_t hash_of(Bytes bytes) {
  std::uint64_t hash = bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = mix(hash ^ word) * 0x9e3779b97f4a7c15ull;
    bytes = bytes.subspan(8);
  }
  std::uint64_t tail = 0;
  if (!bytes.empty()) std::memcpy(&tail, bytes.data(), bytes.size());
  return mix(hash ^ tail);
}

std::uint32_t KeyIndex::find_or_add(Bytes key, std::uint32_t fresh) {
  CHECK(!key.empty());
  if ((size_ + 1) * 2 > slots_.size()) grow();
  const std::uint64_t hash = hash_of(key);
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].key != nullptr) {
    const Slot& slot = slots_[at];
    if (slot.hash == hash && equal({slot.key, slot.key_size}, key)) return slot.number;
    at = (at + 1) & mask;
  }
  slots_[at] = {key.data(), static_cast<std::uint32_t>(key.size()), fresh, hash};
  ++size_;
  return fresh;
}

void KeyIndex::grow() {
  std::vector<Slot> old(std::max(slots_.size() * 2, slots_min));
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.key == nullptr) continue;
    std::size_t at = static_cast<std::size_t>(slot.hash) & mask;
    while (slots_[at].key != nullptr) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

// A table that was large for one batch must not make every small one wipe it.
void KeyIndex::clear() {
  if (slots_.size() > 16 * slots_min && size_ * 8 < slots_.size()) slots_ = {};
  std::fill(slots_.begin(), slots_.end(), Slot{});
  size_ = 0;
}

}  // namespace lockstep::apply
