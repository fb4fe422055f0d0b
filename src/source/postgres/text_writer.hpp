#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "model/vector.hpp"

namespace lockstep::postgres {

/// Builds one text. Short ones stay on the stack until they are finished, long ones grow in the arena.
class TextWriter {
 public:
  explicit TextWriter(Arena& arena) : arena_(arena) {}
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  void put(char c) {
    *room(1) = c;
    ++size_;
  }
  void append(std::string_view text) {
    if (text.empty()) return;
    std::memcpy(room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  void append_number(std::integral auto value) {
    char* const begin = room(number_chars_max);
    wrote(std::to_chars(begin, begin + number_chars_max, value).ptr);
  }

  /// At least `count` bytes to write at the end; `wrote` then says up to where.
  char* room(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return begin_ + size_;
  }
  void wrote(const char* end) { size_ = static_cast<std::size_t>(end - begin_); }

  std::size_t size() const { return size_; }
  char* at(std::size_t position) { return begin_ + position; }
  std::string_view from(std::size_t position) const { return {begin_ + position, size_ - position}; }

  /// The finished text; stands as long as the arena's bytes do.
  StringValue finish() {
    const bool on_stack = begin_ == first_;
    const std::string_view text = from(0);
    return StringValue::of(on_stack && size_ > 12 ? arena_.keep(text) : text);
  }

 private:
  static constexpr std::size_t number_chars_max = 24;  // of 64 bits

  void grow(std::size_t count) {
    const std::size_t capacity = 2 * capacity_ > size_ + count ? 2 * capacity_ : size_ + count;
    char* place = arena_.allocate(capacity);
    std::memcpy(place, begin_, size_);
    begin_ = place;
    capacity_ = capacity;
  }

  Arena& arena_;
  char first_[256];  // enough for all but long numbers, bytes, bits and arrays
  char* begin_ = first_;
  std::size_t capacity_ = sizeof first_;
  std::size_t size_ = 0;
};

}  // namespace lockstep::postgres
