#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/shape.hpp"
#include "source/source.hpp"

namespace lockstep::postgres_test {

/// The rows of all ranges of a plan, read by `streams` streams side by side, as sorted lines "1|text|NULL".
std::vector<std::string> copy_all(source::Source& source, const source::Snapshot& snapshot,
                                  const source::RangePlan& plan, int streams);

/// What the stream says, as one line a message, with rows decoded.
class Follower {
 public:
  explicit Follower(source::Source& source) : source_(source) {}

  /// Reads until everything committed so far has come; gives the lines.
  std::vector<std::string> until_caught_up();
  /// Reads until a line begins with `start`; gives the lines up to it.
  std::vector<std::string> until_line(const std::string& start);

  Position last_commit() const { return last_commit_; }
  std::vector<Xid> xids() const { return xids_; }
  const TableShape& shape(TableId table) { return shapes_[table]; }
  bool saw_binary() const { return saw_binary_; }
  /// Given by the last `until_…` when it could not go on.
  const Error& error() const { return error_; }

 private:
  /// An empty line for what is only for the machine.
  std::string line_of(SourceMessage& message);
  std::string row_text(TableId table, Bytes row);
  std::string change_text(const RowChanged& changed);

  source::Source& source_;
  std::map<TableId, TableShape> shapes_;
  Position last_commit_;
  Position through_;
  std::vector<Xid> xids_;
  bool saw_binary_ = false;
  Error error_;
};

}  // namespace lockstep::postgres_test
