#include "world/changes.hpp"

#include <algorithm>

namespace lockstep::sim {
namespace {

Error disconnected() { return {ErrorKind::unreachable, "the connection to the source is lost"}; }

Lsn lsn_of(const Position& position) { return std::get<PgPosition>(position).end; }

Position position_of(Lsn end) { return PgPosition{end}; }

}  // namespace

Status SimChangeSource::start(const source::Setup&, const Position& from) {
  close();
  connected_ = true;
  send_after_ = std::max(server_.confirmed(), lsn_of(from));
  // Where decoding begins is up to the server, as long as it gets every transaction whole.
  next_record_ = server_.restart_at(send_after_);
  if (dice_.percent(60)) next_record_ -= dice_.below(std::min<std::size_t>(next_record_, 40) + 1);
  decoded_ = next_record_ == 0 ? Lsn{0} : server_.log()[next_record_ - 1].end;
  if (was_connected_ && send_after_ < committed_sent_) record_.reach(Probe::committed_sent_again);
  was_connected_ = true;
  return Done{};
}

void SimChangeSource::close() {
  connected_ = false;
  acknowledgements_.clear();
  transactions_.clear();
  shapes_.clear();
  queue_.clear();
}

void SimChangeSource::lose_connection() {
  close();
  record_.happened(Fault::connection_lost);
}

Result<SourceMessage> SimChangeSource::next(std::chrono::milliseconds) {
  // Whoever still looks at the last message now sees rubbish.
  if (current_) std::fill(current_->new_row.begin(), current_->new_row.end(), std::byte{0xee});
  if (current_) std::fill(current_->old_row.begin(), current_->old_row.end(), std::byte{0xee});
  current_.reset();
  if (!connected_) return disconnected();
  meanwhile_();
  deliver_acknowledgements();
  while (queue_.empty() && next_record_ < server_.log().size()) decode_one();
  if (queue_.empty()) progress();
  if (queue_.empty()) return SourceMessage{NothingYet{}};
  current_ = std::move(queue_.front());
  queue_.pop_front();
  return current_->message;
}

std::optional<Position> SimChangeSource::sent() const {
  return committed_sent_ == Lsn{0} ? std::nullopt : std::optional(position_of(committed_sent_));
}

// ---- decoding

void SimChangeSource::decode_one() {
  const LogRecord& record = server_.log()[next_record_++];
  switch (record.kind) {
    case LogRecord::Kind::change: decode_change(record); break;
    case LogRecord::Kind::rolled_back:
    case LogRecord::Kind::aborted: drop(record); break;
    case LogRecord::Kind::committed: decode_commit(record); break;
  }
  decoded_ = record.end;
  if (dice_.one_in(12)) progress();
}

void SimChangeSource::decode_change(const LogRecord& record) {
  Decoding& transaction = transactions_[record.xid];
  transaction.changes.push_back({record.sub, &record.change});
  transaction.subs.insert(record.sub);
  // Now and then the buffer is full, and one of the open transactions has to go out.
  if (!dice_.one_in(5)) return;
  auto chosen = transactions_.begin();
  std::advance(chosen, static_cast<std::ptrdiff_t>(dice_.below(transactions_.size())));
  if (!chosen->second.changes.empty()) stream_part(chosen->first);
}

void SimChangeSource::stream_part(Xid xid) {
  Decoding& transaction = transactions_.at(xid);
  send(PartBegun{xid, !transaction.streamed});
  if (was_connected_ && !transaction.streamed && decoded_ < committed_sent_) record_.reach(Probe::open_sent_again);
  transaction.streamed = true;
  transaction.subs_sent.insert(transaction.subs.begin(), transaction.subs.end());
  for (const Buffered& each : transaction.changes) send_change(each.sub, *each.change, transaction.shapes);
  transaction.changes.clear();
  send(PartEnded{});
  record_.reach(Probe::part_streamed);
}

// A rolled back savepoint, or the end of a transaction that was given up.
void SimChangeSource::drop(const LogRecord& record) {
  const auto found = transactions_.find(record.xid);
  if (found == transactions_.end()) return;
  Decoding& transaction = found->second;
  std::vector<Xid> subs = record.subs;
  if (record.kind == LogRecord::Kind::aborted) subs.push_back(record.xid);
  std::erase_if(transaction.changes,
                [&](const Buffered& each) { return std::find(subs.begin(), subs.end(), each.sub) != subs.end(); });
  if (transaction.streamed) abort_streamed(record.xid, subs);
  for (const Xid sub : subs) transaction.subs.erase(sub);
  if (record.kind == LogRecord::Kind::aborted) transactions_.erase(found);
}

// What the server said about shapes in an aborted part is void; it says it again. A subtransaction that did nothing is
// not known to the server's buffer, so nothing is said of it.
void SimChangeSource::abort_streamed(Xid xid, const std::vector<Xid>& subs) {
  Decoding& transaction = transactions_.at(xid);
  for (const Xid sub : subs) {
    if (sub != xid && transaction.subs_sent.erase(sub) == 0) continue;
    send(PartAborted{xid, sub});
    transaction.shapes.clear();
  }
  record_.reach(Probe::part_aborted);
}

void SimChangeSource::decode_commit(const LogRecord& record) {
  Decoding transaction = std::move(transactions_[record.xid]);
  if (record.end <= send_after_) {
    // PostgreSQL forgets it, and ends with an abort what it has already streamed of it once more.
    if (transaction.streamed) {
      std::vector<Xid> subs(transaction.subs_sent.begin(), transaction.subs_sent.end());
      std::erase(subs, record.xid);
      subs.push_back(record.xid);
      transactions_[record.xid] = std::move(transaction);
      abort_streamed(record.xid, subs);
      record_.reach(Probe::acknowledged_streamed_again);
    }
    transactions_.erase(record.xid);
    return;
  }
  const UnixMicros time{static_cast<std::int64_t>(record.end.value)};
  const TransactionCommitted end{record.xid, transaction.streamed, position_of(record.end), time};
  committed_sent_ = std::max(committed_sent_, record.end);
  if (transaction.streamed) {
    transactions_[record.xid] = std::move(transaction);
    if (!transactions_[record.xid].changes.empty()) stream_part(record.xid);
    shapes_.insert(transactions_[record.xid].shapes.begin(), transactions_[record.xid].shapes.end());
    transactions_.erase(record.xid);
    send(end);
    return;
  }
  transactions_.erase(record.xid);
  const bool empty = std::none_of(transaction.changes.begin(), transaction.changes.end(),
                                  [&](const Buffered& each) { return published(*each.change); });
  if (empty && record.xid.value % 2 == 0) return;  // newer servers leave empty transactions out
  send(TransactionBegun{record.xid});
  for (const Buffered& each : transaction.changes) {
    send_change(record.xid, *each.change, shapes_);
    if (dice_.one_in(25)) {
      progress();
      record_.reach(Probe::progress_inside_transaction);
    }
  }
  send(end);
}

// ---- sending

bool SimChangeSource::published(const LoggedChange& change) const {
  if (change.kind == ChangeKind::message) return true;
  if (change.kind != ChangeKind::truncate) return server_.tables()[change.table].published;
  return std::any_of(change.truncated.begin(), change.truncated.end(),
                     [&](std::size_t table) { return server_.tables()[table].published; });
}

void SimChangeSource::send(SourceMessage message) {
  queue_.push_back(std::make_unique<Queued>());
  queue_.back()->message = std::move(message);
}

void SimChangeSource::send_shape(Xid sub, std::size_t table, std::set<TableId>& shapes) {
  const TableShape& shape = server_.tables()[table].shape;
  if (shapes.contains(shape.table) || shapes_.contains(shape.table)) return;
  shapes.insert(shape.table);
  send(ShapeSeen{sub, shape});
}

void SimChangeSource::send_change(Xid sub, const LoggedChange& logged, std::set<TableId>& shapes) {
  if (!published(logged)) return;
  for (const std::size_t table : logged.truncated) {
    if (server_.tables()[table].published) send_shape(sub, table, shapes);
  }
  const SimTable& table = server_.tables()[logged.table];
  const bool of_row = logged.kind != ChangeKind::message && logged.kind != ChangeKind::truncate;
  if (of_row) send_shape(sub, logged.table, shapes);
  auto queued = std::make_unique<Queued>();
  queued->text = logged;
  Change change;
  change.kind = logged.kind;
  const bool names_old = logged.kind == ChangeKind::erase ||
                         (logged.kind == ChangeKind::update &&
                          (!table.shape.old_rows_are_keys || logged.old_row.key != logged.new_row.key));
  if (names_old && table.shape.old_rows_are_keys) encode_key(logged.old_row, queued->old_row);
  if (names_old && !table.shape.old_rows_are_keys) encode(logged.old_row, false, queued->old_row);
  if (logged.kind == ChangeKind::insert || logged.kind == ChangeKind::update) {
    encode(logged.new_row, logged.kind == ChangeKind::update && logged.big_unchanged, queued->new_row);
  }
  change.old_row = queued->old_row;
  change.new_row = queued->new_row;
  for (const std::size_t truncated : logged.truncated) {
    if (server_.tables()[truncated].published) change.tables.push_back(server_.tables()[truncated].shape.table);
  }
  change.prefix = queued->text.prefix;
  change.content = bytes_of(queued->text.content);
  if (of_row) {
    queued->message = RowChanged{sub, table.shape.table, change};
  } else {
    queued->message = StepTaken{sub, change};
  }
  queue_.push_back(std::move(queued));
}

void SimChangeSource::progress() {
  const Lsn through = flaws_.progress_too_far ? server_.log_end() : std::max(decoded_, send_after_);
  send(Progressed{position_of(through), dice_.one_in(3)});
}

// ---- acknowledging

Status SimChangeSource::acknowledge(const Position& durable) {
  if (!connected_) return disconnected();
  const Lsn end = lsn_of(durable);
  claimed_ = std::max(claimed_, end);
  if (dice_.percent(weather_.acknowledgement_lost)) {
    record_.happened(Fault::acknowledgement_lost);
    lose_connection();
    return disconnected();
  }
  acknowledgements_.push_back(end);
  if (dice_.percent(weather_.acknowledgement_late)) {
    record_.happened(Fault::acknowledgement_late);
    return Done{};
  }
  deliver_acknowledgements();
  return Done{};
}

void SimChangeSource::deliver_acknowledgements() {
  while (!acknowledgements_.empty() && !dice_.percent(weather_.acknowledgement_late)) {
    const std::size_t any = dice_.below(acknowledgements_.size());
    server_.confirm(acknowledgements_[any]);
    acknowledgements_.erase(acknowledgements_.begin() + static_cast<std::ptrdiff_t>(any));
  }
}

Status SimChangeSource::keep_alive() {
  if (!connected_) return disconnected();
  deliver_acknowledgements();
  return Done{};
}

Status SimChangeSource::heartbeat() {
  const Xid xid = server_.begin();
  server_.message(xid, "lockstep.heartbeat", "");
  server_.commit(xid);
  server_.make_visible(xid);
  return Done{};
}

}  // namespace lockstep::sim
