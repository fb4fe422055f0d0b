#include "source/postgres/names.hpp"

#include <algorithm>
#include <cstdint>

namespace lockstep::postgres {
namespace {

constexpr std::size_t name_bytes_max = 63;  // NAMEDATALEN - 1
constexpr std::size_t hash_digits = 8;

/// 64-bit FNV-1a: names must stay the same for ever, so std::hash will not do.
std::uint64_t stable_hash(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return hash;
}

std::string hex(std::uint64_t number) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < hash_digits; ++i) text += digits[(number >> (60 - 4 * i)) & 15];
  return text;
}

bool is_plain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string object_name(std::string_view mirror, std::string_view database) {
  bool changed = false;
  std::string name = "lockstep_";
  // An underscore is legal in a slot's name, but mirror "a_b" of "c" must not meet mirror "a" of "b_c".
  const auto append = [&](std::string_view part) {
    for (const char c : part) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      changed = changed || !is_plain(c);
      name += is_plain(lower) ? lower : '_';
    }
  };
  append(mirror);
  if (mirror != database) {
    name += '_';
    append(database);
  }
  if (!changed && name.size() <= name_bytes_max) return name;
  const std::string hash = hex(stable_hash(std::string(mirror) + '\0' + std::string(database)));
  name.resize(std::min(name.size(), name_bytes_max - hash_digits - 1));
  return name + "_" + hash;
}

std::string quoted(std::string_view text, char quote) {
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  out += quote;
  return out;
}

}  // namespace

std::string slot_name(std::string_view mirror, std::string_view database) { return object_name(mirror, database); }

std::string publication_name(std::string_view mirror, std::string_view database) {
  return object_name(mirror, database);
}

std::string quote_identifier(std::string_view name) { return quoted(name, '"'); }

std::string quote_table(std::string_view schema, std::string_view table) {
  return quote_identifier(schema) + "." + quote_identifier(table);
}

std::string quote_literal(std::string_view text) { return quoted(text, '\''); }

}  // namespace lockstep::postgres
