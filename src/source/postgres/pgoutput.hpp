#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "model/change.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"

/// The messages of PostgreSQL's logical replication, protocol version 2, as the plugin pgoutput writes them.
/// Source: PostgreSQL manual, "Logical Replication Message Formats" and "Streaming Replication Protocol". Pure.
namespace lockstep::postgres::pgoutput {

struct Begin {
  Lsn final_lsn;
  UnixMicros time;
  std::uint32_t xid = 0;
};
struct Commit {
  Lsn commit_lsn;
  Lsn end_lsn;
  UnixMicros time;
};
struct Origin {};

struct RelationColumn {
  bool key = false;
  std::string name;
  std::uint32_t type = 0;
  std::int32_t modifier = -1;
};
struct Relation {
  std::uint32_t xid = 0;
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
  char identity = 'd';  ///< relreplident: d(efault), n(othing), f(ull), i(ndex)
  std::vector<RelationColumn> columns;
};
/// A type of the user that the following relation uses; for a domain, the name is its base type's.
struct Type {
  std::uint32_t xid = 0;
  std::uint32_t oid = 0;
  std::string schema;
  std::string name;
};

/// Insert, update or delete. `xid` of this message and of those below is 0 outside streamed parts.
struct Row {
  std::uint32_t xid = 0;
  std::uint32_t relation = 0;
  Change change;
};
/// Truncate, or a message of the application within a transaction.
struct Step {
  std::uint32_t xid = 0;
  Change change;
};
/// A message outside of any transaction.
struct LooseMessage {};

struct StreamStart {
  std::uint32_t xid = 0;
  bool first = false;
};
struct StreamStop {};
struct StreamCommit {
  std::uint32_t xid = 0;
  Lsn commit_lsn;
  Lsn end_lsn;
  UnixMicros time;
};
struct StreamAbort {
  std::uint32_t xid = 0;
  std::uint32_t sub = 0;
};

using Message = std::variant<Begin, Commit, Origin, Relation, Type, Row, Step, LooseMessage, StreamStart, StreamStop,
                             StreamCommit, StreamAbort>;

/// Reads one message. `in_part`: it stands between StreamStart and StreamStop, where messages carry a transaction.
/// Views in the message point into `bytes`. Error: bad_data.
Result<Message> parse(Bytes bytes, bool in_part);

// What a replication connection sends round the plugin's messages.
/// XLogData.
struct Envelope {
  Lsn start;
  Lsn end;
  Bytes content;
};
struct KeepAlive {
  Lsn end;
  bool reply_wanted = false;
};
using Frame = std::variant<Envelope, KeepAlive>;
/// Error: bad_data.
Result<Frame> parse_frame(Bytes bytes);

/// The answer to the server, "Standby status update": `durable` is what it may forget. `now` in the server's epoch.
std::vector<std::byte> status_update(Lsn durable, UnixMicros now);

}  // namespace lockstep::postgres::pgoutput
