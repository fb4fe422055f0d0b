#include "apply/start_check.hpp"

#include <string>

#include "destination/fence.hpp"

namespace lockstep::apply {
namespace {

constexpr const char* copy_again = "drop the mirror and copy again";

std::string text_of(StateId state) { return std::to_string(state.value); }

Error another_history(StateId state) {
  return {ErrorKind::conflict, "the destination's state " + text_of(state) + " is another one than the journal's",
          std::string("the destination or the state directory was restored from elsewhere; ") + copy_again};
}

Status check_held(StateId state, const journal::Journal& journal, const std::string& table) {
  if (state > journal.durable().last) {
    return Error{
        ErrorKind::conflict,
        "the destination is at state " + text_of(state) + ", the journal ends at " + text_of(journal.durable().last),
        std::string("the state directory was lost or restored; ") + copy_again, table};
  }
  if (state.value + 1 < journal.first_held().value) {
    return Error{
        ErrorKind::lost_history,
        "the destination is at state " + text_of(state) + ", the journal begins after " + text_of(journal.first_held()),
        std::string("the destination was restored from an older copy; ") + copy_again, table};
  }
  return Done{};
}

/// The position lies between the state's commit and the next one; a commit's time is the same on both sides.
Status check_same_history(const destination::Shown& shown, journal::Journal& journal, const Position& start) {
  Position lowest = start;
  if (shown.state.value > 0) {
    TRY(commit, journal.commit_at(shown.state));
    if (commit.time != shown.commit_time) return another_history(shown.state);
    lowest = commit.end;
  }
  if (shown.position < lowest) return another_history(shown.state);
  if (shown.state < journal.durable().last) {
    TRY(next, journal.commit_at(StateId{shown.state.value + 1}));
    if (shown.position >= next.end) return another_history(shown.state);
  }
  return Done{};
}

}  // namespace

Status compare_with_journal(const destination::Contents& contents, journal::Journal& journal, const Position& start) {
  for (const destination::CopyLedger& copy : contents.copies) {
    TRY_DO(check_held(copy.applied, journal, to_text(copy.shape.name)));
  }
  if (!contents.shown) return Done{};
  TRY_DO(check_held(contents.shown->state, journal, ""));
  return check_same_history(*contents.shown, journal, start);
}

Status check_nobody_else_moved_it(const std::optional<destination::Shown>& found,
                                  const std::optional<destination::Shown>& before,
                                  const std::optional<destination::Shown>& attempted) {
  if (attempted && destination::check_shown(found, attempted).ok()) return Done{};
  return destination::check_shown(found, before);
}

}  // namespace lockstep::apply
