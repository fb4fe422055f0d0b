#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/wire.hpp"
#include "model/row.hpp"

namespace lockstep::postgres {

/// How an array's elements are laid out. They follow one another, the last dimension fastest.
struct ArrayShape {
  static constexpr std::size_t dimensions_max = 6;  // PostgreSQL's MAXDIM

  std::size_t dimensions = 0;  ///< 0: an empty array
  std::array<std::uint32_t, dimensions_max> lengths{};
  std::array<std::int32_t, dimensions_max> lower_bounds{};

  std::uint64_t count() const;
  bool starts_at_one() const;
};

/// An array's binary form: i32 dimensions, i32 flags, u32 type of the elements, for each dimension i32 length and i32
/// lower bound; then for each element i32 length (-1: NULL) and its bytes.
/// Source: PostgreSQL, src/backend/utils/adt/arrayfuncs.c, array_send.
class ArrayWire {
 public:
  /// Nothing when the bytes are no array. An element's own bytes are not looked at.
  static std::optional<ArrayWire> read(Bytes value);

  const ArrayShape& shape() const { return shape_; }
  /// The next of `shape().count()` elements.
  bool next(Cell& element);
  bool complete() const { return elements_.complete(); }

 private:
  ArrayWire(const ArrayShape& shape, Bytes elements) : shape_(shape), elements_(elements) {}

  ArrayShape shape_;
  WireReader elements_;
};

/// An array's text form, as array_out writes it: [2:3][0:1]={{1,"x,y"},{3,NULL}}
class ArrayText {
 public:
  /// Nothing when the bytes are no array.
  static std::optional<ArrayText> read(Bytes text);

  const ArrayShape& shape() const { return shape_; }
  /// The next of `shape().count()` elements; of a quoted one what stands between the quotes. `escaped`: backslashes in
  /// it must still be resolved.
  void next(Cell& element, bool& escaped);

 private:
  enum class Token : std::uint8_t { open, close, comma, element, null, end, bad };
  struct Levels;

  explicit ArrayText(std::string_view text) : rest_(text) {}
  bool read_bounds(ArrayShape& shape);
  Token next_token();
  Token quoted_element();
  Token bare_element();
  bool measure(ArrayShape& shape);

  ArrayShape shape_;
  std::string_view rest_;
  std::string_view element_;
  bool escaped_ = false;
};

}  // namespace lockstep::postgres
