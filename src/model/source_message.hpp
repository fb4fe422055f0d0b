#pragma once

#include <string_view>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "model/change.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"
#include "model/shape.hpp"

namespace lockstep {

// What a ChangeSource says, in the order of the source's log. Views live until the next message is asked for.

/// A transaction that has committed follows, whole, up to its TransactionCommitted.
struct TransactionBegun {
  Xid xid;
};

/// The end of a transaction, streamed or not. A streamed one (`was_open`) takes its place in the order only here.
struct TransactionCommitted {
  Xid xid;
  bool was_open = false;
  Position end;
  UnixMicros time;
};

/// A piece of a transaction that is still open at the source follows, up to PartEnded. `first`: whatever was kept of
/// this xid before is void (a reconnected server starts again from the first change).
struct PartBegun {
  Xid xid;
  bool first = false;
};
struct PartEnded {};

/// Drops what `sub` did in the open transaction `xid`; sub == xid drops the whole transaction.
struct PartAborted {
  Xid xid;
  Xid sub;
};

/// The rows of a table look like this from here on. Inside a part it holds for that transaction alone until it commits,
/// and is forgotten when `sub` aborts.
struct ShapeSeen {
  Xid sub;
  TableShape shape;
};

/// A row change; its shape is the last one seen for `table`. `change.shape` is not set by sources.
struct RowChanged {
  Xid sub;
  TableId table;
  Change change;
};

/// Truncate or message. A message outside any transaction (non-transactional) is not passed on.
struct StepTaken {
  Xid sub;
  Change change;
};

/// Nothing up to here is still to come: the source may be told so once the journal has fsynced it.
struct Progressed {
  Position through;
  bool reply_wanted = false;
};

/// Nothing came within the time that `next` was given.
struct NothingYet {};

using SourceMessage = std::variant<NothingYet, TransactionBegun, TransactionCommitted, PartBegun, PartEnded,
                                   PartAborted, ShapeSeen, RowChanged, StepTaken, Progressed>;

}  // namespace lockstep
