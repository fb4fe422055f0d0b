#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/result.hpp"

namespace lockstep {

/// Every step whose interruption matters. `LOCKSTEP_FAILPOINT=NAME[:N]=kill|pause|fail[,…]` acts at the N-th passing
/// (first: 1), in every build, so that a test hits the moment instead of hoping for it.
inline constexpr std::array failpoint_names{
    std::string_view{"setup.publication_created"},  // the publication exists, the slot does not
    std::string_view{"setup.slot_created"},         // the slot exists, nothing of ours remembers it
    std::string_view{"setup.recorded"},             // the catalog remembers the slot
    std::string_view{"copy.snapshot_taken"},        // a snapshot group is open, nothing has been copied
    std::string_view{"copy.range_loading"},         // rows are in the destination's open transaction
    std::string_view{"copy.range_loaded"},          // rows and ledger are committed
    std::string_view{"copy.complete"},              // every range of every table is in
    std::string_view{"publish.before_commit"},
    std::string_view{"publish.after_commit"},
    std::string_view{"journal.before_write"},
    std::string_view{"journal.before_fsync"},
    std::string_view{"journal.after_fsync"},
    std::string_view{"journal.segment_created"},
    std::string_view{"journal.before_trim"},
    std::string_view{"ack.before"},
    std::string_view{"ack.after"},
    std::string_view{"apply.chunk_written"},  // one chunk of a large transaction is in the open transaction
    std::string_view{"apply.before_commit"},
    std::string_view{"apply.after_commit"},
    std::string_view{"catalog.before_save"},
    std::string_view{"catalog.after_save"},
    std::string_view{"drop.slot_dropped"},  // the slot is gone, the rest is not
    std::string_view{"drop.source_clean"},  // nothing of ours is left at the source
};

consteval std::size_t failpoint_index(std::string_view name) {
  for (std::size_t i = 0; i < failpoint_names.size(); ++i) {
    if (failpoint_names[i] == name) return i;
  }
  throw "unknown failpoint: add it to failpoint_names";
}

/// Counts the passing and acts if the environment asks for it: `kill` is SIGKILL to ourselves, `pause` waits until the
/// file named by LOCKSTEP_FAILPOINT_RESUME exists (or for ever), `fail` gives an Error{unexpected}. Thread-safe.
Status pass_failpoint(std::size_t index);

/// Reads a specification as in LOCKSTEP_FAILPOINT; empty clears all. For tests in one process.
Status set_failpoints(std::string_view specification);

}  // namespace lockstep

/// Inside a function that returns a Result or Status.
#define FAILPOINT(name) TRY_DO(::lockstep::pass_failpoint(::lockstep::failpoint_index(name)))
