#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/bytes.hpp"

namespace lockstep {

/// Reads foreign bytes, big-endian. Never throws and never reads past the end: a read that would do so gives zero
/// and makes `ok()` false for good, so that one question at the end gives the verdict.
class WireReader {
 public:
  explicit WireReader(Bytes bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(big_endian<1>()); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(big_endian<2>()); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(big_endian<4>()); }
  std::uint64_t u64() { return big_endian<8>(); }
  std::int16_t i16() { return static_cast<std::int16_t>(u16()); }
  std::int32_t i32() { return static_cast<std::int32_t>(u32()); }
  std::int64_t i64() { return static_cast<std::int64_t>(u64()); }

  Bytes bytes(std::size_t count) {
    if (rest_.size() < count) return fail();
    const Bytes taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

  /// The bytes up to the next zero byte, which is skipped.
  std::string_view c_string() {
    const void* end = rest_.empty() ? nullptr : std::memchr(rest_.data(), 0, rest_.size());
    if (end == nullptr) return text_of(fail());
    const auto length = static_cast<std::size_t>(static_cast<const std::byte*>(end) - rest_.data());
    const std::string_view text = text_of(rest_.first(length));
    rest_ = rest_.subspan(length + 1);
    return text;
  }

  Bytes rest() const { return rest_; }
  bool ok() const { return !overrun_; }
  bool complete() const { return !overrun_ && rest_.empty(); }  ///< nothing missing, nothing left

 private:
  template <std::size_t width>
  std::uint64_t big_endian() {
    if (rest_.size() < width) {
      fail();
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < width; ++i) value = (value << 8) | std::to_integer<std::uint64_t>(rest_[i]);
    rest_ = rest_.subspan(width);
    return value;
  }
  Bytes fail() {
    overrun_ = true;
    rest_ = {};
    return {};
  }

  Bytes rest_;
  bool overrun_ = false;
};

/// Appends big-endian numbers and bytes to a buffer that it does not own.
class WireWriter {
 public:
  explicit WireWriter(std::vector<std::byte>& out) : out_(out) {}

  void u8(std::uint8_t value) { out_.push_back(std::byte{value}); }
  void u16(std::uint16_t value) { big_endian<2>(value); }
  void u32(std::uint32_t value) { big_endian<4>(value); }
  void u64(std::uint64_t value) { big_endian<8>(value); }
  void bytes(Bytes bytes) { out_.insert(out_.end(), bytes.begin(), bytes.end()); }
  /// u32 length, then the bytes.
  void sized(Bytes content) {
    u32(static_cast<std::uint32_t>(content.size()));
    bytes(content);
  }
  void sized(std::string_view text) { sized(bytes_of(text)); }

 private:
  template <std::size_t width>
  void big_endian(std::uint64_t value) {
    for (std::size_t i = width; i-- > 0;) out_.push_back(static_cast<std::byte>((value >> (8 * i)) & 0xff));
  }

  std::vector<std::byte>& out_;
};

}  // namespace lockstep
