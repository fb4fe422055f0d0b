#include "source/postgres/selection.hpp"

namespace lockstep::postgres {
namespace {

/// The length of the UTF-8 character that begins here, so that `?` takes a whole one.
std::size_t character_bytes(std::string_view text) {
  std::size_t count = 1;
  while (count < text.size() && (static_cast<unsigned char>(text[count]) & 0xC0u) == 0x80u) ++count;
  return count;
}

}  // namespace

Result<Pattern> Pattern::parse(const std::string& text) {
  Pattern pattern;
  pattern.text_ = text;
  const Error bad{ErrorKind::bad_input, "'" + text + "' is no table pattern",
                  "write table or schema.table, with * and ? as wildcards and \"…\" round names with capitals or dots"};
  bool quoted = false;
  std::vector<Sign> part;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"') {
      if (quoted && i + 1 < text.size() && text[i + 1] == '"') {
        part.push_back({'"', false});
        ++i;
      } else {
        quoted = !quoted;
      }
    } else if (c == '.' && !quoted) {
      if (!pattern.any_schema_ || part.empty()) return bad;
      pattern.schema_ = std::move(part);
      pattern.any_schema_ = false;
      part.clear();
    } else {
      const bool wild = !quoted && (c == '*' || c == '?');
      pattern.wild_ = pattern.wild_ || wild;
      part.push_back({!quoted && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c, wild});
    }
  }
  if (quoted || part.empty()) return bad;
  pattern.table_ = std::move(part);
  return pattern;
}

bool Pattern::matches(const TableName& name) const {
  return (any_schema_ || matches(schema_, name.schema)) && matches(table_, name.table);
}

// Greedy with one place to come back to, the last `*`: linear for all but hostile patterns.
bool Pattern::matches(const std::vector<Sign>& signs, std::string_view name) {
  std::size_t s = 0;
  std::size_t n = 0;
  std::size_t star = signs.size();
  std::size_t star_name = 0;
  while (n < name.size()) {
    if (s < signs.size() && signs[s].wild && signs[s].c == '*') {
      star = s++;
      star_name = n;
    } else if (s < signs.size() && signs[s].wild) {
      n += character_bytes(name.substr(n));
      ++s;
    } else if (s < signs.size() && signs[s].c == name[n]) {
      ++n;
      ++s;
    } else if (star < signs.size()) {
      s = star + 1;
      n = ++star_name;
    } else {
      return false;
    }
  }
  while (s < signs.size() && signs[s].wild && signs[s].c == '*') ++s;
  return s == signs.size();
}

}  // namespace lockstep::postgres
