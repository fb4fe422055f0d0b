#include "flaws.hpp"

namespace lockstep::sim {

// Names of the protocol's model that are not here, because nothing in the code can have them yet: no_alignment, progressive,
// ignore_holes, renewal_not_superset, limit_pinned_by_renewal (a copy whose snapshot is lost begins again and is never
// aligned to a later one), no_wait_after_publication (tables are published before the slot is made), no_schema_check
// (schema changes stop the mirror).
const std::vector<FlawAbout>& all_flaws() {
  static const std::vector<FlawAbout> flaws{
      {Flaw::ack_before_fsync, "ack_before_fsync", "the source is told before the journal has fsynced", 50},
      {Flaw::apply_unsynced, "apply_unsynced", "apply reads what the journal has not fsynced", 200},
      {Flaw::position_outside_transaction, "position_outside_transaction", "the position is committed after the rows",
       100},
      {Flaw::fold_forgets_key_change, "fold_forgets_key_change", "a key change leaves the row under its old key", 50},
      {Flaw::abort_hits_committed, "abort_hits_committed", "an abort by xid empties a committed transaction", 100},
      {Flaw::chunks_survive_reconnect, "chunks_survive_reconnect",
       "parts of an open transaction outlive their connection", 200},
      {Flaw::join_by_lsn, "join_by_lsn", "what a snapshot shows is taken from the log's order", 300},
      {Flaw::publish_before_snapshot, "publish_before_snapshot",
       "a table is published before what its snapshot shows came in", 300},
      {Flaw::no_superset_check, "no_superset_check",
       "a copy begins under a snapshot that lacks what the slot has passed", 1500},
      {Flaw::no_filenode_check, "no_filenode_check", "ranges are read on after VACUUM FULL or TRUNCATE", 2000},
      {Flaw::plan_ignores_rewrite, "plan_ignores_rewrite",
       "a table rewritten between snapshot and plan is read all the same", 6000},
      {Flaw::bounded_last_range, "bounded_last_range", "the last range ends where the plan saw the table end", 100},
      {Flaw::range_ledger_apart, "range_ledger_apart", "a range's rows and its ledger are committed apart", 200},
      {Flaw::limit_counts_open_blocks, "limit_counts_open_blocks",
       "open transactions count against the journal's limit", 200},
      {Flaw::release_ignores_copies, "release_ignores_copies", "the journal forgets what a joining table needs", 300},
      {Flaw::progress_too_far, "progress_too_far", "a keepalive's position is believed although commits are under way",
       100},
      {Flaw::published_one_by_one, "published_one_by_one", "tables of the first copy become visible one after another",
       100},
      {Flaw::range_ignores_snapshot, "range_ignores_snapshot",
       "ranges are read as of now, not under the group's snapshot", 300},
      {Flaw::limit_blocks_join, "limit_blocks_join", "the journal's limit keeps out the mark that a table waits for",
       300},
  };
  return flaws;
}

std::optional<Flaw> flaw_named(std::string_view name) {
  for (const FlawAbout& about : all_flaws()) {
    if (about.name == name) return about.flaw;
  }
  return std::nullopt;
}

}  // namespace lockstep::sim
