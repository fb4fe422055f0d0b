#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

namespace lockstep::types_test {

using Dice = std::mt19937_64;

/// One column type, with values as SQL literals write them.
struct TypeCase {
  std::string sql_type;
  std::vector<std::string> values;
  /// How many of `values` the column's own type cannot hold.
  int misfits = 0;
  /// More values, from a seed. Each either fits or not; both forms must agree.
  std::function<std::string(Dice&)> random = nullptr;
  int random_count = 0;
};

/// What the cases need to exist first.
extern const char* const preparations[];
extern const std::size_t preparation_count;

std::vector<TypeCase> type_cases();

}  // namespace lockstep::types_test
