#include "source/postgres/pgoutput.hpp"

#include "base/wire.hpp"
#include "model/row.hpp"

namespace lockstep::postgres::pgoutput {
namespace {

// From 1970-01-01 to 2000-01-01 UTC: the server counts microseconds from 2000.
constexpr std::int64_t epoch_micros = 946'684'800'000'000;

// A table has at most 1600 columns (MaxHeapAttributeNumber); a claim beyond that is damage.
constexpr std::uint16_t columns_max = 1600;

Error bad(const char* message) {
  return {ErrorKind::bad_data, std::string("the source's log has a malformed message: ") + message};
}

// Unsigned, so that a hostile value wraps instead of overflowing.
UnixMicros time_of(std::uint64_t since_2000) {
  return UnixMicros{static_cast<std::int64_t>(since_2000 + static_cast<std::uint64_t>(epoch_micros))};
}

/// One tuple off the front of `in`; empty when it is none.
Bytes take_row(WireReader& in) {
  const Bytes before = in.rest();
  RowReader row(before);
  for (std::uint16_t i = 0; i < row.count(); ++i) static_cast<void>(row.next());
  if (!row.ok()) return {};
  return in.bytes(before.size() - row.rest().size());
}

Result<Message> parse_begin(WireReader& in) {
  Begin begin;
  begin.final_lsn = Lsn{in.u64()};
  begin.time = time_of(in.u64());
  begin.xid = in.u32();
  if (!in.complete()) return bad("begin");
  return Message(begin);
}

Result<Message> parse_commit(WireReader& in) {
  Commit commit;
  const std::uint8_t flags = in.u8();
  commit.commit_lsn = Lsn{in.u64()};
  commit.end_lsn = Lsn{in.u64()};
  commit.time = time_of(in.u64());
  if (!in.complete() || flags != 0) return bad("commit");
  return Message(commit);
}

Result<Message> parse_relation(WireReader& in, std::uint32_t xid) {
  Relation relation;
  relation.xid = xid;
  relation.oid = in.u32();
  relation.schema = in.c_string();
  relation.name = in.c_string();
  relation.identity = static_cast<char>(in.u8());
  const std::uint16_t count = in.u16();
  if (!in.ok() || count > columns_max) return bad("relation");
  relation.columns.reserve(count);
  for (std::uint16_t i = 0; i < count; ++i) {
    RelationColumn column;
    column.key = (in.u8() & 1u) != 0;
    column.name = in.c_string();
    column.type = in.u32();
    column.modifier = in.i32();
    relation.columns.push_back(std::move(column));
  }
  if (!in.complete()) return bad("relation");
  // pg_catalog is written as an empty name.
  if (relation.schema.empty()) relation.schema = "pg_catalog";
  return Message(std::move(relation));
}

Result<Message> parse_type(WireReader& in, std::uint32_t xid) {
  Type type;
  type.xid = xid;
  type.oid = in.u32();
  type.schema = in.c_string();
  type.name = in.c_string();
  if (!in.complete()) return bad("type");
  return Message(std::move(type));
}

Result<Message> parse_insert(WireReader& in, std::uint32_t xid) {
  Row row{xid, in.u32(), {}};
  row.change.kind = ChangeKind::insert;
  if (in.u8() != 'N') return bad("insert");
  row.change.new_row = take_row(in);
  if (!in.complete() || row.change.new_row.empty()) return bad("insert");
  return Message(std::move(row));
}

Result<Message> parse_update(WireReader& in, std::uint32_t xid) {
  Row row{xid, in.u32(), {}};
  row.change.kind = ChangeKind::update;
  std::uint8_t tag = in.u8();
  if (tag == 'K' || tag == 'O') {
    row.change.old_row = take_row(in);
    if (row.change.old_row.empty()) return bad("update");
    tag = in.u8();
  }
  if (tag != 'N') return bad("update");
  row.change.new_row = take_row(in);
  if (!in.complete() || row.change.new_row.empty()) return bad("update");
  return Message(std::move(row));
}

Result<Message> parse_delete(WireReader& in, std::uint32_t xid) {
  Row row{xid, in.u32(), {}};
  row.change.kind = ChangeKind::erase;
  const std::uint8_t tag = in.u8();
  if (tag != 'K' && tag != 'O') return bad("delete");
  row.change.old_row = take_row(in);
  if (!in.complete() || row.change.old_row.empty()) return bad("delete");
  return Message(std::move(row));
}

Result<Message> parse_truncate(WireReader& in, std::uint32_t xid) {
  Step step{xid, {}};
  step.change.kind = ChangeKind::truncate;
  const std::uint32_t count = in.u32();
  static_cast<void>(in.u8());  // CASCADE, RESTART IDENTITY: what they do shows in the tables named
  if (!in.ok() || in.rest().size() != std::size_t{count} * 4) return bad("truncate");
  step.change.tables.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) step.change.tables.push_back(TableId{in.u32()});
  return Message(std::move(step));
}

Result<Message> parse_message(WireReader& in, std::uint32_t xid) {
  Step step{xid, {}};
  step.change.kind = ChangeKind::message;
  const std::uint8_t flags = in.u8();
  static_cast<void>(in.u64());  // its place in the log; the transaction's end is what counts
  step.change.prefix = in.c_string();
  step.change.content = in.bytes(in.u32());
  if (!in.complete() || flags > 1) return bad("message");
  if (flags == 0) return Message(LooseMessage{});
  return Message(std::move(step));
}

Result<Message> parse_stream_start(WireReader& in) {
  StreamStart start;
  start.xid = in.u32();
  start.first = in.u8() == 1;
  if (!in.complete()) return bad("stream start");
  return Message(start);
}

Result<Message> parse_stream_commit(WireReader& in) {
  StreamCommit commit;
  commit.xid = in.u32();
  const std::uint8_t flags = in.u8();
  commit.commit_lsn = Lsn{in.u64()};
  commit.end_lsn = Lsn{in.u64()};
  commit.time = time_of(in.u64());
  if (!in.complete() || flags != 0) return bad("stream commit");
  return Message(commit);
}

Result<Message> parse_stream_abort(WireReader& in) {
  StreamAbort abort;
  abort.xid = in.u32();
  abort.sub = in.u32();
  if (!in.complete()) return bad("stream abort");
  return Message(abort);
}

/// Messages that carry a transaction inside a part.
Result<Message> parse_content(char tag, WireReader& in, bool in_part) {
  const std::uint32_t xid = in_part ? in.u32() : 0;
  switch (tag) {
    case 'R': return parse_relation(in, xid);
    case 'Y': return parse_type(in, xid);
    case 'I': return parse_insert(in, xid);
    case 'U': return parse_update(in, xid);
    case 'D': return parse_delete(in, xid);
    case 'T': return parse_truncate(in, xid);
    case 'M': return parse_message(in, xid);
    default: return bad("of an unknown kind");
  }
}

}  // namespace

Result<Message> parse(Bytes bytes, bool in_part) {
  WireReader in(bytes);
  const char tag = static_cast<char>(in.u8());
  if (!in.ok()) return bad("empty");
  if (in_part) {
    if (tag == 'E') return in.complete() ? Result<Message>(Message(StreamStop{})) : bad("stream stop");
    if (tag == 'O') return Message(Origin{});  // the one message in a part that carries no transaction
    return parse_content(tag, in, true);
  }
  switch (tag) {
    case 'B': return parse_begin(in);
    case 'C': return parse_commit(in);
    case 'O': return Message(Origin{});
    case 'S': return parse_stream_start(in);
    case 'c': return parse_stream_commit(in);
    case 'A': return parse_stream_abort(in);
    default: return parse_content(tag, in, false);
  }
}

Result<Frame> parse_frame(Bytes bytes) {
  WireReader in(bytes);
  const std::uint8_t tag = in.u8();
  if (tag == 'w') {
    Envelope envelope;
    envelope.start = Lsn{in.u64()};
    envelope.end = Lsn{in.u64()};
    static_cast<void>(in.u64());  // when it was sent
    if (!in.ok()) return bad("envelope");
    envelope.content = in.rest();
    return Frame(envelope);
  }
  if (tag == 'k') {
    KeepAlive alive;
    alive.end = Lsn{in.u64()};
    static_cast<void>(in.u64());
    alive.reply_wanted = in.u8() != 0;
    if (!in.complete()) return bad("keepalive");
    return Frame(alive);
  }
  return bad("of an unknown frame");
}

std::vector<std::byte> status_update(Lsn durable, UnixMicros now) {
  std::vector<std::byte> out;
  WireWriter writer(out);
  writer.u8('r');
  // Received and applied are the same as durable: nothing else may move the slot, and the server sends keepalives as
  // long as we are behind.
  for (int i = 0; i < 3; ++i) writer.u64(durable.value);
  writer.u64(static_cast<std::uint64_t>(now.value - epoch_micros));
  writer.u8(0);  // no answer wanted
  return out;
}

}  // namespace lockstep::postgres::pgoutput
