#pragma once

#include <string>
#include <utility>

namespace lockstep {

/// A password or token. Printing it prints "***"; only `reveal` gives it, to the one call that needs it.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string value) : value_(std::move(value)) {}
  bool empty() const { return value_.empty(); }
  const std::string& reveal() const { return value_; }

 private:
  std::string value_;
};

inline std::string to_text(const Secret&) { return "***"; }

}  // namespace lockstep
