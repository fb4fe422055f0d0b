#include "source/postgres/change_source.hpp"

#include <algorithm>
#include <utility>

#include "source/postgres/names.hpp"
#include "source/postgres/publication.hpp"
#include "source/postgres/slot.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

// The server gives up a reader after wal_sender_timeout, which our session sets to a minute, and asks at half of it.
constexpr std::chrono::seconds status_interval{5};
// Between two looks at the publication, which a stranger may change under us.
constexpr std::chrono::seconds look_interval{5};

Lsn lsn_of(const Position& position) { return std::get<PgPosition>(position).end; }

constexpr const char* copy_again = "copy everything again: lockstep drop --yes, then lockstep run";

Error lost(const std::string& slot, const std::string& why) {
  return {ErrorKind::lost_history, "replication slot " + slot + " can no longer be read: " + why, copy_again};
}

Error start_error(Error error, const std::string& slot) {
  // 55000: a slot that was invalidated ("cannot read from", "can no longer access"); 42704: there is none.
  if (error.native == "55000" || error.native == "42704") return lost(slot, error.what);
  if (error.native == "55006") error.remedy = "wait until that process ends, or stop it";
  return with_context(error, "starting to follow the change log");
}

}  // namespace

// ---- Start and end -------------------------------------------------------------------------------------------------

Status PgChangeSource::start(const source::Setup& setup, const Position& from) {
  close();
  TRY_DO(check_slot(setup));
  setup_ = setup;
  TRY_DO(check_publication());
  TRY_DO(choose_form(setup));
  TRY(now, ask("SELECT pg_snapshot_xmax(pg_current_snapshot())"));
  newest_ = Xid{now.unsigned_number(0, 0)};
  durable_ = lsn_of(from);
  progressed_ = durable_;
  return start_stream(setup, durable_);
}

Status PgChangeSource::check_slot(const source::Setup& setup) {
  TRY(connection, service());
  TRY(state, read_log_state(*connection, setup.slot));
  if (!state.exists) return lost(setup.slot, "it does not exist");
  if (!state.lost.empty()) return lost(setup.slot, state.lost);
  if (state.active) {
    return Error{ErrorKind::busy, "replication slot " + setup.slot + " is active for " + state.active_by,
                 "wait until that process ends, or stop it"};
  }
  return Done{};
}

/// Binary values are exact and cheap, but one column that has no binary decoder spoils them for the whole stream.
Status PgChangeSource::choose_form(const source::Setup& setup) {
  binary_ = false;
  if (text_only_) return Done{};
  TRY(connection, service());
  TRY(catalog, read_catalog(*connection, setup.tables));
  for (const auto& [id, table] : catalog.tables) {
    for (const CatalogColumn& column : table.columns) {
      if (column.sent() && arrives_as_text(catalog.types, column)) return Done{};
    }
  }
  binary_ = true;
  return Done{};
}

Status PgChangeSource::start_stream(const source::Setup& setup, Lsn from) {
  TRY(connection, Connection::open(address_, Purpose::replication));
  replication_ = std::make_unique<Connection>(std::move(connection));
  channel_ = open_channel(*replication_, true);
  const std::string sql = "START_REPLICATION SLOT " + quote_identifier(setup.slot) + " LOGICAL " + to_text(from) +
                          " (proto_version '2', streaming 'on', messages 'true', binary '" +
                          (binary_ ? "true" : "false") + "', publication_names " +
                          quote_literal(quote_identifier(setup.publication)) + ")";
  Status started = channel_->start(sql);
  if (!started.ok()) {
    close();
    return start_error(started.error(), setup.slot);
  }
  Status nothing_skipped = check_start(setup.slot, from);
  if (!nothing_skipped.ok()) {
    close();
    return nothing_skipped;
  }
  return send_status();
}

/// Asked to start before what the slot has confirmed, the server starts there without a word. It is ours now, so that
/// nobody can move it any more, and our own word has not been sent yet.
Status PgChangeSource::check_start(const std::string& slot, Lsn from) {
  TRY(connection, service());
  TRY(state, read_log_state(*connection, slot));
  if (state.confirmed <= Position(PgPosition{from})) return Done{};
  return lost(slot, "somebody has moved it to " + lockstep::to_text(state.confirmed) +
                        ", but the log was received only up to " + to_text(from));
}

Status PgChangeSource::check_publication() {
  looked_ = clock_.monotonic();
  TRY(connection, service());
  TRY(why, why_incomplete(*connection, setup_.publication, setup_.tables, publication_oid_));
  if (why.empty()) return Done{};
  return Error{ErrorKind::lost_history, why + ", so that changes were not sent", copy_again};
}

void PgChangeSource::close() {
  channel_.reset();
  replication_.reset();
  known_.clear();
  in_transaction_ = false;
  in_part_ = false;
}

// ---- Reading -------------------------------------------------------------------------------------------------------

Result<SourceMessage> PgChangeSource::next(milliseconds wait_max) {
  if (channel_ == nullptr) return Error{ErrorKind::unreachable, "the change log is not being followed"};
  const auto start = clock_.monotonic();
  channel_->release();
  if (start - looked_ >= look_interval) TRY_DO(check_publication());
  for (;;) {
    TRY_DO(send_status_if_due());
    const auto spent = std::chrono::duration_cast<milliseconds>(clock_.monotonic() - start);
    TRY(message, channel_->next(std::max(wait_max - spent, milliseconds(0))));
    if (message.got == CopyChannel::Got::nothing) return SourceMessage(NothingYet{});
    if (message.got == CopyChannel::Got::end) return Error{ErrorKind::unreachable, "the source ended the stream"};
    TRY(said, read_frame(message.bytes));
    if (said) return std::move(*said);
    // What says nothing to anybody may come for hours, on a busy server with other databases.
    if (spent >= wait_max && !in_transaction_ && !in_part_) return SourceMessage(NothingYet{});
  }
}

Result<std::optional<SourceMessage>> PgChangeSource::read_frame(Bytes bytes) {
  TRY(frame, pgoutput::parse_frame(bytes));
  if (const auto* alive = std::get_if<pgoutput::KeepAlive>(&frame)) {
    if (alive->reply_wanted) TRY_DO(send_status());
    return heard(*alive);
  }
  TRY(message, pgoutput::parse(std::get<pgoutput::Envelope>(frame).content, in_part_));
  return translate(message);
}

/// Within a transaction the server's position is that of a commit whose changes are still on their way.
std::optional<SourceMessage> PgChangeSource::heard(const pgoutput::KeepAlive& alive) {
  if (in_transaction_ || in_part_) return std::nullopt;
  if (alive.end <= progressed_ && !alive.reply_wanted) return std::nullopt;
  progressed_ = std::max(progressed_, alive.end);
  return SourceMessage(Progressed{PgPosition{progressed_}, alive.reply_wanted});
}

std::optional<SourceMessage> PgChangeSource::ended(Xid xid, bool was_open, Lsn end, UnixMicros time) {
  progressed_ = std::max(progressed_, end);
  return SourceMessage(TransactionCommitted{xid, was_open, PgPosition{end}, time});
}

namespace {
template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
}  // namespace

Result<std::optional<SourceMessage>> PgChangeSource::translate(pgoutput::Message& message) {
  using Said = Result<std::optional<SourceMessage>>;
  return std::visit(
      Overloaded{
          [&](pgoutput::Begin& begin) -> Said {
            in_transaction_ = true;
            current_ = widen(begin.xid);
            return std::optional(SourceMessage(TransactionBegun{current_}));
          },
          [&](pgoutput::Commit& commit) -> Said {
            if (!in_transaction_) return Error{ErrorKind::bad_data, "the source's log ends a transaction that never began"};
            in_transaction_ = false;
            return ended(current_, false, commit.end_lsn, commit.time);
          },
          [&](pgoutput::StreamStart& part) -> Said {
            in_part_ = true;
            current_ = widen(part.xid);
            return std::optional(SourceMessage(PartBegun{current_, part.first}));
          },
          [&](pgoutput::StreamStop&) -> Said {
            in_part_ = false;
            return std::optional(SourceMessage(PartEnded{}));
          },
          [&](pgoutput::StreamCommit& commit) -> Said {
            return ended(widen(commit.xid), true, commit.end_lsn, commit.time);
          },
          [&](pgoutput::StreamAbort& abort) -> Said {
            return std::optional(SourceMessage(PartAborted{widen(abort.xid), widen(abort.sub)}));
          },
          [&](pgoutput::Relation& relation) -> Said { return announce(relation); },
          [&](pgoutput::Row& row) -> Said {
            return std::optional(SourceMessage(RowChanged{owner(row.xid), TableId{row.relation}, std::move(row.change)}));
          },
          [&](pgoutput::Step& step) -> Said {
            return std::optional(SourceMessage(StepTaken{owner(step.xid), std::move(step.change)}));
          },
          [](pgoutput::Origin&) -> Said { return std::optional<SourceMessage>(); },
          [](pgoutput::Type&) -> Said { return std::optional<SourceMessage>(); },
          [](pgoutput::LooseMessage&) -> Said { return std::optional<SourceMessage>(); },
      },
      message);
}

// ---- Shapes --------------------------------------------------------------------------------------------------------

Result<std::optional<SourceMessage>> PgChangeSource::announce(const pgoutput::Relation& relation) {
  TRY(known, know(relation));
  const CatalogTable* table = known->table(relation.oid);
  if (binary_) {
    if (const std::string column = first_text_column(relation, table, known->catalog.types); !column.empty()) {
      text_only_ = true;
      Error again{ErrorKind::unreachable, "the stream has to be started again in text form"};
      again.table = relation.schema + "." + relation.name;
      again.column = column;
      return again;
    }
  }
  return std::optional(SourceMessage(ShapeSeen{owner(relation.xid), shape_from(relation, table, known->catalog.types)}));
}

/// Asks the catalog each time: a column that was dropped and made again under its name looks the same in the message.
/// The catalog may already be ahead of the message; then what it said when both agreed is better.
Result<const PgChangeSource::Known*> PgChangeSource::know(const pgoutput::Relation& relation) {
  TRY(connection, service());
  TRY(catalog, read_catalog(*connection, {TableId{relation.oid}}));
  const Known fresh{std::move(catalog)};
  const auto agree = [&](const Known& known) {
    const CatalogTable* table = known.table(relation.oid);
    return table != nullptr && agrees(relation, *table);
  };
  const auto before = known_.find(relation.oid);
  if (before != known_.end() && agree(before->second) && !agree(fresh)) return &before->second;
  return &known_.insert_or_assign(relation.oid, fresh).first->second;
}

/// The 64-bit xid nearest to the newest one known: xids in use span less than 2^31 (manual, "Preventing Transaction ID
/// Wraparound Failures").
Xid PgChangeSource::widen(std::uint32_t xid) {
  const auto distance = static_cast<std::int32_t>(xid - static_cast<std::uint32_t>(newest_.value));
  const Xid wide{newest_.value + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance))};
  newest_ = std::max(newest_, wide);
  return wide;
}

// ---- Answering -----------------------------------------------------------------------------------------------------

Status PgChangeSource::send_status() {
  status_sent_ = clock_.monotonic();
  return channel_->send(pgoutput::status_update(durable_, UnixMicros{clock_.wall().count()}));
}

Status PgChangeSource::send_status_if_due() {
  if (clock_.monotonic() - status_sent_ < status_interval) return Done{};
  return send_status();
}

Status PgChangeSource::acknowledge(const Position& durable) {
  if (channel_ == nullptr) return Error{ErrorKind::unreachable, "the change log is not being followed"};
  if (lsn_of(durable) <= durable_) return Done{};
  durable_ = lsn_of(durable);
  return send_status();
}

Status PgChangeSource::keep_alive() {
  if (channel_ == nullptr) return Done{};
  return send_status_if_due();
}

// ---- Questions on a connection of their own ------------------------------------------------------------------------

Result<Connection*> PgChangeSource::service() {
  if (service_ == nullptr || !service_->seems_alive()) {
    service_.reset();
    TRY(connection, Connection::open(address_, Purpose::ordinary));
    service_ = std::make_unique<Connection>(std::move(connection));
  }
  return service_.get();
}

Result<Rows> PgChangeSource::ask(const std::string& sql) {
  TRY(connection, service());
  return connection->query(sql);
}

Result<Position> PgChangeSource::end_of_log() {
  TRY(rows, ask("SELECT pg_current_wal_insert_lsn()"));
  TRY(lsn, parse_lsn(rows.text(0, 0)));
  return Position(PgPosition{lsn});
}

/// The message alone would lie in the server's memory until something else is flushed; a commit flushes. The transaction
/// is empty for the stream, so it never reaches us.
Status PgChangeSource::heartbeat() {
  TRY(rows, ask("SELECT pg_logical_emit_message(false, 'lockstep.heartbeat', ''), pg_current_xact_id()"));
  static_cast<void>(rows);
  return Done{};
}

}  // namespace lockstep::postgres
