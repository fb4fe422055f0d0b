#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"

namespace lockstep::apply {

/// A hash of short byte strings, for tables in memory only.
std::uint64_t hash_of(Bytes bytes);

/// Finds the number that was given to some key bytes. Open addressing with linear probing; never deletes. Keys are
/// views: their bytes must stand still.
class KeyIndex {
 public:
  /// The number of `key`; a new key gets `fresh`.
  std::uint32_t find_or_add(Bytes key, std::uint32_t fresh);
  std::size_t size() const { return size_; }
  std::uint64_t bytes() const { return size_ * 2 * sizeof(Slot); }  ///< at least half of the slots are free
  void clear();

 private:
  struct Slot {
    const std::byte* key = nullptr;  ///< nothing: free
    std::uint32_t key_size = 0;
    std::uint32_t number = 0;
    std::uint64_t hash = 0;
  };
  void grow();

  std::vector<Slot> slots_;  ///< a power of two
  std::size_t size_ = 0;
};

}  // namespace lockstep::apply
