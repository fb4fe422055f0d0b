// A block of changes is what the journal takes at once, and what apply gets back at once. It never mixes savepoints of
// an open transaction, because each can still be taken back alone. A transaction that has committed needs no such care:
// its aborted savepoints are not sent.
//
// Shapes (protocol facts, PostgreSQL 15): what is said inside a streamed transaction is not said again after its
// commit, and must be forgotten after its abort. So it is kept apart until then.

#include "journal/recorder.hpp"

#include <algorithm>

namespace lockstep::journal {
namespace {

// A block is the unit in which apply reads a transaction, and two of them are in memory at a time.
constexpr std::size_t block_bytes_wanted = 512u << 10;
// One huge row shall not hold its memory for ever.
constexpr std::size_t block_capacity_kept = 8 * block_bytes_wanted;

Error out_of_place(const char* what) {
  return {ErrorKind::bad_data, std::string("the source sent ") + what + " out of place"};
}

}  // namespace

Status Recorder::begin_connection() {
  current_.reset();
  block_.clear();
  shapes_.clear();
  scoped_.clear();
  return journal_.begin_connection();
}

Status Recorder::take(const SourceMessage& message) {
  return std::visit([this](const auto& said) { return on(said); }, message);
}

Status Recorder::begin(Xid xid, bool is_part, bool begun) {
  if (current_.has_value()) return out_of_place("the begin of a transaction inside another");
  current_ = Current{xid, xid, is_part, begun};
  block_.clear();
  return Done{};
}

Status Recorder::on(const TransactionBegun& begun) { return begin(begun.xid, false, false); }

Status Recorder::on(const PartBegun& begun) {
  TRY_DO(begin(begun.xid, true, true));
  if (!begun.first) return Done{};
  scoped_.erase(begun.xid);
  return journal_.append_part(begun.xid, begun.xid, true, {});
}

Status Recorder::on(const PartEnded&) {
  if (!current_.has_value() || !current_->is_part) return out_of_place("the end of a part");
  TRY_DO(flush_block());
  current_.reset();
  return Done{};
}

Status Recorder::on(const PartAborted& aborted) {
  if (current_.has_value()) return out_of_place("an abort inside a transaction");
  if (aborted.xid == aborted.sub) {
    scoped_.erase(aborted.xid);
  } else if (const auto scope = scoped_.find(aborted.xid); scope != scoped_.end()) {
    std::erase_if(scope->second, [&](const ScopedShape& shape) { return shape.sub == aborted.sub; });
  }
  return journal_.abort(aborted.xid, aborted.sub);
}

Status Recorder::on(const TransactionCommitted& committed) {
  if (committed.was_open) {
    if (current_.has_value()) return out_of_place("the commit of a streamed transaction");
    TRY_DO(promote_shapes(committed.xid));
  } else {
    if (!current_.has_value() || current_->is_part || current_->xid != committed.xid) return out_of_place("a commit");
    TRY_DO(flush_block());
    // An empty one must not inherit what was streamed under its number and never ended.
    if (!current_->begun) TRY_DO(journal_.append_part(committed.xid, committed.xid, true, {}));
    current_.reset();
  }
  TRY(state, journal_.commit(committed.xid, committed.end, committed.time));
  static_cast<void>(state);  // nothing: it was journalled before
  return Done{};
}

Status Recorder::promote_shapes(Xid xid) {
  const auto scope = scoped_.find(xid);
  if (scope == scoped_.end()) return Done{};
  for (const ScopedShape& shape : scope->second) shapes_[shape.table] = shape.shape;
  scoped_.erase(scope);
  return Done{};
}

Status Recorder::on(const ShapeSeen& seen) {
  TRY(id, journal_.add_shape(seen.shape));
  if (current_.has_value() && current_->is_part) {
    scoped_[current_->xid].push_back({seen.sub, seen.shape.table, id});
  } else {
    shapes_[seen.shape.table] = id;
  }
  return Done{};
}

/// 0 when none was said.
ShapeId Recorder::shape_of(TableId table) const {
  if (current_->is_part) {
    if (const auto scope = scoped_.find(current_->xid); scope != scoped_.end()) {
      const auto& shapes = scope->second;
      const auto last =
          std::find_if(shapes.rbegin(), shapes.rend(), [&](const ScopedShape& s) { return s.table == table; });
      if (last != shapes.rend()) return last->shape;
    }
  }
  const auto found = shapes_.find(table);
  return found == shapes_.end() ? ShapeId{} : found->second;
}

Status Recorder::on(const RowChanged& changed) {
  if (!current_.has_value()) return out_of_place("a row outside any transaction");
  change_.kind = changed.change.kind;
  change_.shape = shape_of(changed.table);
  if (change_.shape.value == 0) {
    return Error{ErrorKind::bad_data, "the source sent a row of table " + std::to_string(changed.table.value) +
                                          " without saying what its rows look like"};
  }
  change_.old_row = changed.change.old_row;
  change_.new_row = changed.change.new_row;
  return add(changed.sub, change_);
}

Status Recorder::on(const StepTaken& taken) {
  if (!current_.has_value()) return out_of_place("a step outside any transaction");
  return add(taken.sub, taken.change);
}

Status Recorder::on(const Progressed& progressed) { return journal_.received_through(progressed.through); }

Status Recorder::add(Xid sub, const Change& change) {
  if (current_->is_part && sub != current_->sub) {
    TRY_DO(flush_block());
    current_->sub = sub;
  }
  encode_change(change, block_);
  return block_.size() >= block_bytes_wanted ? flush_block() : Status(Done{});
}

Status Recorder::flush_block() {
  if (block_.empty()) return Done{};
  TRY_DO(journal_.append_part(current_->xid, current_->sub, !current_->begun, block_));
  current_->begun = true;
  block_.clear();
  if (block_.capacity() > block_capacity_kept) block_ = {};
  return Done{};
}

}  // namespace lockstep::journal
