#include "apply/join.hpp"

#include <algorithm>
#include <limits>

#include "model/change.hpp"

namespace lockstep::apply {

JoinPoint::JoinPoint(const destination::CopyLedger& ledger)
    : visible_(ledger.visible),
      mark_(ledger.mark),
      applied_(ledger.applied),
      earliest_(ledger.applied),
      catch_up_limit_{std::numeric_limits<std::uint64_t>::max()},
      received_(ledger.mark.empty()) {}

void JoinPoint::saw(const Commit& commit, std::string_view mark) {
  if (received_ || commit.state <= applied_) return;
  if (visible_.contains(commit.xid)) earliest_ = commit.state;
  if (mark != mark_) return;
  received_ = true;
  catch_up_limit_ = StateId{commit.state.value - 1};
}

JoinSearch::JoinSearch(journal::Journal& journal, const std::vector<destination::CopyLedger>& tables)
    : journal_(journal), from_{std::numeric_limits<std::uint64_t>::max()} {
  for (const destination::CopyLedger& ledger : tables) {
    points_.emplace(ledger.table, JoinPoint(ledger));
    from_ = std::min(from_, ledger.applied);
  }
}

Result<bool> JoinSearch::find() {
  while (!all_received()) {
    if (reader_ == nullptr) {
      TRY(reader, journal_.reader(from_));
      reader_ = std::move(reader);
    }
    TRY(commit, reader_->next());
    if (!commit) return false;
    TRY(mark, read_mark());
    for (auto& [table, point] : points_) point.saw(*commit, mark);
  }
  return true;
}

bool JoinSearch::all_received() const {
  return std::all_of(points_.begin(), points_.end(), [](const auto& entry) { return entry.second.received_mark(); });
}

/// The mark is written in a transaction of its own, so only the first change of all can be one.
Result<std::string> JoinSearch::read_mark() {
  TRY(part, reader_->next_part());
  if (!part) return std::string();
  Change change;
  ChangeReader in(**part);
  if (!in.next(change) || change.kind != ChangeKind::message || change.prefix != mark_prefix) return std::string();
  return std::string(text_of(change.content));
}

}  // namespace lockstep::apply
