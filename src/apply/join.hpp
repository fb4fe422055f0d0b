#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "destination/destination.hpp"
#include "journal/journal.hpp"
#include "model/ids.hpp"
#include "model/transaction.hpp"
#include "model/visible_set.hpp"

namespace lockstep::apply {

/// What must have come before one hidden table may be published, found by walking the journal's commits from the one
/// after `applied` on. The mark is the proof that everything the snapshot shows has been received.
class JoinPoint {
 public:
  explicit JoinPoint(const destination::CopyLedger& ledger);
  /// The next commit; `mark` is the text that it wrote, if it is a mark.
  void saw(const Commit& commit, std::string_view mark);
  bool received_mark() const { return received_; }
  /// The earliest state to publish at: nothing that the snapshot shows lies after it. Only with `received_mark`.
  StateId earliest() const { return earliest_; }
  /// The hidden table may catch up to here before it is published: short of the mark, so that it is found again after a
  /// restart. Only with `received_mark`.
  StateId catch_up_limit() const { return catch_up_limit_; }

 private:
  VisibleSet visible_;
  std::string mark_;
  StateId applied_;
  StateId earliest_;
  StateId catch_up_limit_;
  bool received_;
};

/// Walks the journal for the join points of some complete hidden tables; goes on where it stopped.
class JoinSearch {
 public:
  JoinSearch(journal::Journal& journal, const std::vector<destination::CopyLedger>& tables);
  /// Reads on. True when every mark has been received.
  Result<bool> find();
  const JoinPoint& point(TableId table) const { return points_.at(table); }

 private:
  bool all_received() const;
  Result<std::string> read_mark();

  journal::Journal& journal_;
  StateId from_;
  std::map<TableId, JoinPoint> points_;
  std::unique_ptr<journal::Reader> reader_;
};

}  // namespace lockstep::apply
