#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "model/type.hpp"

namespace lockstep {

/// A string of a column vector: up to 12 bytes stand inside, longer ones are pointed at (their first 4 stand inside
/// too). The layout is DuckDB's duckdb_string_t, so that its vectors take it as it is.
struct StringValue {
  std::uint32_t size = 0;
  char inlined[4] = {};
  union {
    char more[8] = {};
    const char* pointer;
  };

  static StringValue of(std::string_view text) {
    StringValue value;
    value.size = static_cast<std::uint32_t>(text.size());
    if (text.empty()) return value;  // its pointer may be null, which memcpy must not see
    if (text.size() <= 12) {
      std::memcpy(value.inlined, text.data(), text.size() < 4 ? text.size() : 4);
      if (text.size() > 4) std::memcpy(value.more, text.data() + 4, text.size() - 4);
    } else {
      std::memcpy(value.inlined, text.data(), 4);
      value.pointer = text.data();
    }
    return value;
  }
  std::string_view view() const {
    // The inlined bytes of `inlined` and `more` are contiguous.
    return {size <= 12 ? reinterpret_cast<const char*>(this) + offsetof(StringValue, inlined) : pointer, size};
  }
};
static_assert(sizeof(StringValue) == 16);

struct IntervalValue {
  std::int32_t months = 0;
  std::int32_t days = 0;
  std::int64_t micros = 0;
};
struct ListValue {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};
static_assert(sizeof(IntervalValue) == 16 && sizeof(ListValue) == 16);

/// Infinities of date, timestamp and timestamp_tz; their negatives are the negative infinities (DuckDB's values).
inline constexpr std::int32_t date_infinity = 2147483647;
inline constexpr std::int64_t timestamp_infinity = 9223372036854775807;

/// time_tz: microseconds of the day in the upper 40 bits, 57,599 minus the seconds east of UTC in the lower 24, so that
/// the order of the numbers is the order in time (DuckDB's packing).
std::uint64_t pack_time_tz(std::int64_t micros_of_day, std::int32_t seconds_east);

/// Bytes that decoding made (a number's text, …); they stand still until `clear`.
class Arena {
 public:
  /// Room for `size` bytes.
  char* allocate(std::size_t size);
  std::string_view keep(std::string_view text);
  void clear();

 private:
  static constexpr std::size_t chunk_bytes = std::size_t{64} * 1024;  // a vector of short texts fits in a few
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::vector<std::unique_ptr<char[]>> large_;
  std::size_t chunk_ = 0;
  std::size_t used_ = 0;
};

/// Memory for some values of one column, lent by a destination (or a ColumnBatch) to be decoded into.
/// `values` by kind: boolean u8 · int16 i16 · int32, date (days since 1970-01-01) i32 · uint32 u32 · int64, time
/// (microseconds of the day), timestamp, timestamp_tz (microseconds since 1970-01-01) i64 · float32, float64 ·
/// decimal: unscaled i16 up to precision 4, i32 up to 9, i64 up to 18, else i128 (low half first) · time_tz: pack_time_tz ·
/// interval: IntervalValue · uuid: i128 (low half first) with the top bit flipped, so that its order is the bytes' ·
/// text, bytes, json: StringValue · any list: ListValue into `child`.
/// `validity`: bit r of word r / 64 is 1 for a value, 0 for NULL; all ones when lent.
struct VectorView {
  LogicalType type;  ///< of the column; a list's child has one `list_depth` less
  void* values = nullptr;
  std::uint64_t* validity = nullptr;
  Arena* arena = nullptr;        ///< for strings that decoding makes
  VectorView* child = nullptr;   ///< of a list: the elements of all its rows, one after another
  std::uint64_t child_size = 0;  ///< elements used so far
  /// Of a list: makes room for `child_capacity` elements, keeping those there are; may move the child's memory.
  void (*reserve_child)(VectorView& list, std::uint64_t child_capacity) = nullptr;
  void* owner = nullptr;  ///< for reserve_child

  template <class T>
  void set(std::size_t row, const T& value) {
    static_cast<T*>(values)[row] = value;
  }
  template <class T>
  const T& get(std::size_t row) const {
    return static_cast<const T*>(values)[row];
  }
  void set_null(std::size_t row) { validity[row / 64] &= ~(std::uint64_t{1} << (row % 64)); }
  bool is_null(std::size_t row) const { return (validity[row / 64] >> (row % 64) & 1) == 0; }
};

/// Bytes of one value of `type` in a vector.
std::size_t width_of(const LogicalType& type);

/// Owned column vectors: what a destination without its own lends, and what tests read back.
class ColumnBatch {
 public:
  ColumnBatch(const std::vector<LogicalType>& types, std::size_t capacity);
  ~ColumnBatch();
  ColumnBatch(const ColumnBatch&) = delete;
  ColumnBatch& operator=(const ColumnBatch&) = delete;

  std::vector<VectorView>& columns() { return views_; }
  std::size_t capacity() const { return capacity_; }
  /// Ready for other rows: all valid, lists and arena empty.
  void clear();

 private:
  struct Storage;
  std::vector<std::unique_ptr<Storage>> storage_;
  std::vector<VectorView> views_;
  Arena arena_;
  std::size_t capacity_;
};

/// One value as text that tells every two different values apart: "NULL", decimal digits, ISO dates, hex for bytes,
/// shortest round-trip floats, [a, b] for lists. For the memory destination, tests and messages; never for speed.
std::string value_text(const VectorView& column, std::size_t row);

}  // namespace lockstep
