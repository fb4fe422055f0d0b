#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep {

/// A view of foreign bytes. Whoever keeps one also keeps the Block that it points into.
using Bytes = std::span<const std::byte>;

/// Bytes that several holders share; the last one to let go frees them. Never changed once shared.
using Block = std::shared_ptr<const std::vector<std::byte>>;

inline Bytes bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};  // NOLINT: char may alias
}

inline bool equal(Bytes a, Bytes b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0);
}

}  // namespace lockstep
