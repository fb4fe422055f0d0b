// Arrays as lists of lists. The elements lie flat in the innermost child; each level above has its offsets.
#include <array>

#include "source/postgres/array_wire.hpp"
#include "source/postgres/decode.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {
namespace {

/// The slots of one list value on all levels below its row. What goes wrong later is undone with `take_back`.
class ListSlots {
 public:
  /// `out` is as deep as the shape has dimensions. Writes the inner levels' offsets, but not the row's.
  ListSlots(VectorView& out, const ArrayShape& shape) : top_(out), depth_(shape.dimensions), length_(shape.lengths[0]) {
    std::uint64_t count = 1;
    VectorView* list = &out;
    for (std::size_t level = 0; level < depth_; ++level) {
      const std::uint64_t length = shape.lengths[level];
      const std::uint64_t begin = list->child_size;
      begins_[level] = begin;
      // The lists of this level, which the level above has made room for, share out the new elements evenly.
      for (std::uint64_t i = 0; level > 0 && i < count; ++i) {
        list->set(begins_[level - 1] + i, ListValue{begin + i * length, length});
      }
      count *= length;
      list->reserve_child(*list, begin + count);
      list->child_size = begin + count;
      list = list->child;
    }
    elements_ = list;
    count_ = count;
  }

  VectorView& elements() { return *elements_; }
  std::uint64_t begin() const { return begins_[depth_ - 1]; }
  std::uint64_t count() const { return count_; }
  ListValue value() const { return {begins_[0], length_}; }

  void take_back() {
    // Slots are lent all valid, and the next value finds them so again.
    for (std::uint64_t i = begin(); i < begin() + count_; ++i) {
      elements_->validity[i / 64] |= std::uint64_t{1} << (i % 64);
    }
    VectorView* list = &top_;
    for (std::size_t level = 0; level < depth_; ++level, list = list->child) list->child_size = begins_[level];
  }

 private:
  VectorView& top_;
  std::size_t depth_;
  std::uint64_t length_;
  std::array<std::uint64_t, ArrayShape::dimensions_max> begins_{};
  VectorView* elements_ = nullptr;
  std::uint64_t count_ = 0;
};

ColumnDecoder element_decoder(const ColumnDecoder& list) {
  ColumnDecoder element = list;
  element.target.list_depth = 0;
  element.decode = value_decoder(element.target, element.source_type);
  return element;
}

/// An empty array has no dimensions and fits any depth.
Decoded read_empty(VectorView& out, std::size_t row) {
  out.set(row, ListValue{out.child_size, 0});
  return Decoded::ok;
}

/// Bounds other than 1 would be lost, and so would a dimension more or less.
bool fits(const ArrayShape& shape, const ColumnDecoder& self) {
  return shape.dimensions == self.target.list_depth && shape.starts_at_one();
}

Decoded read_elements(ArrayWire& array, const ColumnDecoder& element, ListSlots& slots) {
  Cell cell;
  for (std::uint64_t i = 0; i < slots.count(); ++i) {
    if (!array.next(cell)) return Decoded::malformed;
    const Decoded decoded = element.decode(element, cell, slots.elements(), slots.begin() + i);
    if (decoded != Decoded::ok) return decoded;
  }
  return array.complete() ? Decoded::ok : Decoded::malformed;
}

Decoded read_list(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  auto array = ArrayWire::read(value);
  if (!array) return Decoded::malformed;
  if (array->shape().dimensions == 0) return array->complete() ? read_empty(out, row) : Decoded::malformed;
  if (!fits(array->shape(), self)) return Decoded::does_not_fit;
  ListSlots slots(out, array->shape());
  const Decoded decoded = read_elements(*array, element_decoder(self), slots);
  if (decoded == Decoded::ok) {
    out.set(row, slots.value());
  } else {
    slots.take_back();
  }
  return decoded;
}

/// What a quoted element says, without its backslashes.
Bytes unescape(Bytes element, Arena& arena) {
  char* const begin = arena.allocate(element.size());
  char* at = begin;
  bool after_backslash = false;
  for (const char c : text_of(element)) {
    if (c == '\\' && !after_backslash) {
      after_backslash = true;
      continue;
    }
    *at++ = c;
    after_backslash = false;
  }
  return bytes_of({begin, static_cast<std::size_t>(at - begin)});
}

Decoded read_text_elements(ArrayText& array, const ColumnDecoder& element, ListSlots& slots) {
  Cell cell;
  bool escaped = false;
  for (std::uint64_t i = 0; i < slots.count(); ++i) {
    array.next(cell, escaped);
    if (escaped) cell.bytes = unescape(cell.bytes, *slots.elements().arena);
    const Decoded decoded = element.decode(element, cell, slots.elements(), slots.begin() + i);
    if (decoded != Decoded::ok) return decoded;
  }
  return Decoded::ok;
}

Decoded read_list_text(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  auto array = ArrayText::read(value);
  if (!array) return Decoded::malformed;
  if (array->shape().dimensions == 0) return read_empty(out, row);
  if (!fits(array->shape(), self)) return Decoded::does_not_fit;
  ListSlots slots(out, array->shape());
  const Decoded decoded = read_text_elements(*array, element_decoder(self), slots);
  if (decoded == Decoded::ok) {
    out.set(row, slots.value());
  } else {
    slots.take_back();
  }
  return decoded;
}

Decoded read_array_as_text(const ColumnDecoder& self, Bytes value, VectorView& out, std::size_t row) {
  const FormatFn element = formatter_of(self.source_type);
  if (element == nullptr) return Decoded::malformed;
  TextWriter text(*out.arena);
  if (!format_array(value, element, text)) return Decoded::malformed;
  out.set(row, text.finish());
  return Decoded::ok;
}

Decoded read_array_text(const ColumnDecoder&, Bytes value, VectorView& out, std::size_t row) {
  if (!is_text(value)) return Decoded::does_not_fit;
  out.set(row, StringValue::of(text_of(value)));
  return Decoded::ok;
}

}  // namespace

DecodeFn list_decoder() { return decode_cell<read_list, read_list_text>; }
DecodeFn array_text_decoder() { return decode_cell<read_array_as_text, read_array_text>; }

}  // namespace lockstep::postgres
