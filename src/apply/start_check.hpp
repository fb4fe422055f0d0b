#pragma once

#include <optional>

#include "base/result.hpp"
#include "destination/destination.hpp"
#include "journal/journal.hpp"

namespace lockstep::apply {

/// Refuses to go on from a journal that does not continue what the destination holds: either has been restored, damaged
/// in the middle, or belongs to another history. `start` is the position of state 0. Never cuts and goes on.
/// Errors: conflict, lost_history; only a fresh copy helps.
Status compare_with_journal(const destination::Contents& contents, journal::Journal& journal, const Position& start);

/// After a step whose end we do not know, the destination shows what it did before (`before`) or what we tried to
/// commit (`attempted`). Error: conflict.
Status check_nobody_else_moved_it(const std::optional<destination::Shown>& found,
                                  const std::optional<destination::Shown>& before,
                                  const std::optional<destination::Shown>& attempted);

}  // namespace lockstep::apply
