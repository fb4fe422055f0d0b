#pragma once

#include "model/ids.hpp"
#include "model/position.hpp"

namespace lockstep {

/// How a source transaction ended. What it did follows from the journal.
struct Commit {
  StateId state;    ///< given by the journal
  Xid xid;          ///< top-level
  Position end;     ///< the position that includes this commit and nothing later
  UnixMicros time;  ///< the source's clock at the commit
};

}  // namespace lockstep
