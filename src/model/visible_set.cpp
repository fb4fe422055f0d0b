#include "model/visible_set.hpp"

#include <algorithm>
#include <charconv>

namespace lockstep {
namespace {

bool read_xid(std::string_view digits, Xid& xid) {
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, xid.value);
  return !digits.empty() && parsed.ec == std::errc{} && parsed.ptr == end;
}

}  // namespace

bool VisibleSet::contains(Xid xid) const {
  if (xid < xmin) return true;
  if (xid >= xmax) return false;
  return !std::binary_search(open.begin(), open.end(), xid);
}

// An xid that `inner` shows but `outer` does not is either open in `outer` or at or above its xmax.
bool is_subset(const VisibleSet& inner, const VisibleSet& outer) {
  const bool open_ones_hidden =
      std::none_of(outer.open.begin(), outer.open.end(), [&](Xid xid) { return inner.contains(xid); });
  if (!open_ones_hidden) return false;
  for (Xid xid = outer.xmax; xid < inner.xmax; ++xid.value) {
    if (inner.contains(xid)) return false;
  }
  return true;
}

std::string to_text(const VisibleSet& set) {
  std::string text = std::to_string(set.xmin.value) + ":" + std::to_string(set.xmax.value) + ":";
  for (std::size_t i = 0; i < set.open.size(); ++i) {
    if (i > 0) text += ',';
    text += std::to_string(set.open[i].value);
  }
  return text;
}

Result<VisibleSet> parse_visible_set(std::string_view text) {
  const Error bad{ErrorKind::bad_data, "'" + std::string(text) + "' is no snapshot"};
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos) return bad;
  VisibleSet set;
  if (!read_xid(text.substr(0, first), set.xmin)) return bad;
  if (!read_xid(text.substr(first + 1, second - first - 1), set.xmax)) return bad;
  std::string_view rest = text.substr(second + 1);
  while (!rest.empty()) {
    const std::size_t comma = rest.find(',');
    Xid xid;
    if (!read_xid(rest.substr(0, comma), xid)) return bad;
    set.open.push_back(xid);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  std::sort(set.open.begin(), set.open.end());
  // A new slot's snapshot may have its xmin above its xmax: commits move the one, rolled back transactions the other
  // (snapbuild.c). What lies between them has ended, and the server looks at xmin first, too.
  if (set.xmin > set.xmax && !set.open.empty()) return bad;
  set.xmax = std::max(set.xmin, set.xmax);
  return set;
}

}  // namespace lockstep
