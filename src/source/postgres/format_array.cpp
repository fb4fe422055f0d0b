// Arrays as array_out writes them: bounds where one is not 1, braces for each dimension, quotes where needed.
#include "base/wire.hpp"
#include "source/postgres/array_wire.hpp"
#include "source/postgres/format.hpp"

namespace lockstep::postgres {
namespace {

void put_bounds(const ArrayShape& shape, TextWriter& out) {
  for (std::size_t i = 0; i < shape.dimensions; ++i) {
    out.put('[');
    out.append_number(shape.lower_bounds[i]);
    out.put(':');
    out.append_number(std::int64_t{shape.lower_bounds[i]} + shape.lengths[i] - 1);
    out.put(']');
  }
  out.put('=');
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_null_word(std::string_view text) {
  return text.size() == 4 && (text[0] | 32) == 'n' && (text[1] | 32) == 'u' && (text[2] | 32) == 'l' &&
         (text[3] | 32) == 'l';
}

bool needs_escape(char c) { return c == '"' || c == '\\'; }

bool needs_quotes(std::string_view text) {
  if (text.empty() || is_null_word(text)) return true;
  for (const char c : text) {
    if (needs_escape(c) || c == '{' || c == '}' || c == ',' || is_space(c)) return true;
  }
  return false;
}

/// Puts quotes around what was written from `begin` on, where it needs them.
void quote(std::size_t begin, TextWriter& out) {
  const std::string_view text = out.from(begin);
  if (!needs_quotes(text)) return;
  std::size_t more = 2;
  for (const char c : text) more += needs_escape(c) ? 1u : 0u;
  std::size_t from = out.size();
  char* const end = out.room(more) + more;
  // From the end on, so that nothing is overwritten before it is moved.
  char* at = end;
  *--at = '"';
  while (from > begin) {
    const char c = *out.at(--from);
    *--at = c;
    if (needs_escape(c)) *--at = '\\';
  }
  *--at = '"';
  out.wrote(end);
}

/// How many dimensions begin (or end) at element `i`: those whose inner count divides it.
std::size_t borders_at(const ArrayShape& shape, std::uint64_t i) {
  std::size_t borders = 0;
  std::uint64_t inner = 1;
  for (std::size_t d = shape.dimensions; d-- > 0;) {
    inner *= shape.lengths[d];
    if (i % inner != 0) break;
    ++borders;
  }
  return borders;
}

void put_times(char c, std::size_t times, TextWriter& out) {
  for (std::size_t i = 0; i < times; ++i) out.put(c);
}

}  // namespace

bool format_array(Bytes value, FormatFn element, TextWriter& out) {
  auto array = ArrayWire::read(value);
  if (!array) return false;
  const ArrayShape& shape = array->shape();
  if (shape.dimensions == 0) return out.append("{}"), array->complete();
  if (!shape.starts_at_one()) put_bounds(shape, out);
  Cell cell;
  const std::uint64_t count = shape.count();
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) out.put(',');
    put_times('{', borders_at(shape, i), out);
    if (!array->next(cell)) return false;
    if (cell.state == Cell::State::null) {
      out.append("NULL");
    } else {
      const std::size_t begin = out.size();
      if (!element(cell.bytes, out)) return false;
      quote(begin, out);
    }
    put_times('}', borders_at(shape, i + 1), out);
  }
  return array->complete();
}

// In binary the two vectors are arrays of one dimension from 0 on; their text is the numbers with blanks between.
bool format_vector(Bytes value, TextWriter& out) {
  auto array = ArrayWire::read(value);
  if (!array || array->shape().dimensions > 1) return false;
  Cell cell;
  const std::uint64_t count = array->shape().count();
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i > 0) out.put(' ');
    if (!array->next(cell)) return false;
    if (!(cell.bytes.size() == 2 ? format_int2(cell.bytes, out) : format_oid(cell.bytes, out))) return false;
  }
  return array->complete();
}

}  // namespace lockstep::postgres
