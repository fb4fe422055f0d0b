#include "source/postgres/array_wire.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace lockstep::postgres {
namespace {

bool read_number(std::string_view& text, std::int32_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc{}) return false;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return true;
}

bool skip(std::string_view& text, char c) {
  if (!text.starts_with(c)) return false;
  text.remove_prefix(1);
  return true;
}

}  // namespace

std::uint64_t ArrayShape::count() const {
  if (dimensions == 0) return 0;
  std::uint64_t product = 1;
  for (std::size_t i = 0; i < dimensions; ++i) product *= lengths[i];
  return product;
}

bool ArrayShape::starts_at_one() const {
  return std::all_of(lower_bounds.begin(), lower_bounds.begin() + static_cast<std::ptrdiff_t>(dimensions),
                     [](std::int32_t bound) { return bound == 1; });
}

std::optional<ArrayWire> ArrayWire::read(Bytes value) {
  WireReader in(value);
  ArrayShape shape;
  const std::uint32_t dimensions = in.u32();
  const std::uint32_t flags = in.u32();
  in.u32();  // the elements' type: known from the column
  if (!in.ok() || dimensions > ArrayShape::dimensions_max || flags > 1) return std::nullopt;
  // Every element has a length of four bytes, so the size of the value bounds their number.
  const std::uint64_t count_max = value.size() / 4;
  std::uint64_t count = 1;
  for (std::size_t i = 0; i < dimensions; ++i) {
    shape.lengths[i] = in.u32();
    shape.lower_bounds[i] = in.i32();
    count *= shape.lengths[i];
    if (!in.ok() || count > count_max) return std::nullopt;
  }
  shape.dimensions = count == 0 ? 0 : dimensions;
  return ArrayWire(shape, in.rest());
}

bool ArrayWire::next(Cell& element) {
  const std::uint32_t length = elements_.u32();
  if (length == std::numeric_limits<std::uint32_t>::max()) {
    element = Cell{};
    return elements_.ok();
  }
  element = Cell{Cell::State::binary, elements_.bytes(length)};
  return elements_.ok();
}

// ---- Text ----------------------------------------------------------------------------------------------------------

std::optional<ArrayText> ArrayText::read(Bytes text) {
  ArrayText array(text_of(text));
  ArrayShape declared;
  if (!array.read_bounds(declared)) return std::nullopt;
  const std::string_view body = array.rest_;
  if (!array.measure(array.shape_)) return std::nullopt;
  array.rest_ = body;
  if (declared.dimensions == 0) return array;
  if (declared.dimensions != array.shape_.dimensions || declared.lengths != array.shape_.lengths) return std::nullopt;
  array.shape_.lower_bounds = declared.lower_bounds;
  return array;
}

void ArrayText::next(Cell& element, bool& escaped) {
  for (;;) {
    const Token token = next_token();
    if (token == Token::open || token == Token::close || token == Token::comma) continue;
    escaped = token == Token::element && escaped_;
    element = token == Token::element ? Cell{Cell::State::text, bytes_of(element_)} : Cell{};
    return;
  }
}

/// "[lower:upper]" for each dimension, then "="; or nothing.
bool ArrayText::read_bounds(ArrayShape& shape) {
  if (!rest_.starts_with('[')) return true;
  while (skip(rest_, '[')) {
    std::int32_t lower = 0;
    std::int32_t upper = 0;
    if (shape.dimensions == ArrayShape::dimensions_max) return false;
    if (!read_number(rest_, lower) || !skip(rest_, ':')) return false;
    if (!read_number(rest_, upper) || !skip(rest_, ']') || upper < lower) return false;
    shape.lower_bounds[shape.dimensions] = lower;
    shape.lengths[shape.dimensions] = static_cast<std::uint32_t>(std::int64_t{upper} - lower + 1);
    ++shape.dimensions;
  }
  return skip(rest_, '=');
}

ArrayText::Token ArrayText::next_token() {
  if (rest_.empty()) return Token::end;
  switch (rest_.front()) {
    case '{': rest_.remove_prefix(1); return Token::open;
    case '}': rest_.remove_prefix(1); return Token::close;
    case ',': rest_.remove_prefix(1); return Token::comma;
    case '"': return quoted_element();
    default: return bare_element();
  }
}

ArrayText::Token ArrayText::quoted_element() {
  escaped_ = false;
  for (std::size_t i = 1; i < rest_.size(); ++i) {
    if (rest_[i] == '\\') {
      escaped_ = true;
      ++i;
    } else if (rest_[i] == '"') {
      element_ = rest_.substr(1, i - 1);
      rest_.remove_prefix(i + 1);
      return Token::element;
    }
  }
  return Token::bad;
}

ArrayText::Token ArrayText::bare_element() {
  escaped_ = false;
  const std::size_t end = rest_.find_first_of(",{}\"\\");
  if (end == std::string_view::npos) return Token::bad;
  element_ = rest_.substr(0, end);
  rest_.remove_prefix(end);
  return element_ == "NULL" ? Token::null : Token::element;
}

/// Where `measure` is: how deep, and how many items each open level has so far.
struct ArrayText::Levels {
  ArrayShape& shape;
  std::size_t depth = 0;
  std::array<std::uint32_t, ArrayShape::dimensions_max> seen{};
  bool ended = false;         // the outermost brace is closed
  bool item_expected = true;  // else a comma or a closing brace
  bool after_open = false;

  bool open() {
    if (!item_expected || ended || depth == ArrayShape::dimensions_max) return false;
    // Elements have been seen further up: they all lie at one depth.
    if (shape.dimensions != 0 && depth == shape.dimensions) return false;
    seen[depth++] = 0;
    after_open = true;
    return true;
  }
  bool item() {
    if (!item_expected || depth == 0) return false;
    if (shape.dimensions == 0) shape.dimensions = depth;
    if (depth != shape.dimensions) return false;
    ++seen[depth - 1];
    item_expected = after_open = false;
    return true;
  }
  bool close() {
    if (depth == 0) return false;
    const bool empty = after_open;
    if (item_expected && !empty) return false;
    if (empty && depth > 1) return false;  // array_out writes every empty array as {}
    --depth;
    std::uint32_t& length = shape.lengths[depth];
    if (length != 0 && length != seen[depth]) return false;  // ragged
    length = seen[depth];
    ended = depth == 0;
    if (!ended) ++seen[depth - 1];
    item_expected = after_open = false;
    return true;
  }
  bool comma() {
    if (item_expected || depth == 0) return false;
    item_expected = true;
    return true;
  }
};

bool ArrayText::measure(ArrayShape& shape) {
  Levels levels{shape};
  shape.lower_bounds.fill(1);
  for (;;) {
    bool fine = false;
    switch (next_token()) {
      case Token::open: fine = levels.open(); break;
      case Token::close: fine = levels.close(); break;
      case Token::comma: fine = levels.comma(); break;
      case Token::element:
      case Token::null: fine = levels.item(); break;
      case Token::end: return levels.ended;
      case Token::bad: return false;
    }
    if (!fine) return false;
  }
}

}  // namespace lockstep::postgres
