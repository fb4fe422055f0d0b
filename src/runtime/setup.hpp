#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "runtime/adapters.hpp"
#include "runtime/applying.hpp"
#include "runtime/options.hpp"
#include "runtime/record.hpp"
#include "source/source.hpp"

namespace lockstep::runtime {

/// How a source database is compared at every start, as a whole.
std::string identity_text(const source::Identity& identity);
/// Its beginning: which database it is, on whatever timeline.
std::string database_text(const source::Identity& identity);

source::Setup setup_of(const catalog::Mirror& mirror);

/// A mirror that is ready to receive and apply.
struct Ready {
  catalog::Mirror mirror;
  std::vector<source::Table> tables;                      ///< all that the source lists
  std::shared_ptr<const source::Snapshot> slot_snapshot;  ///< on the first run
  bool first_run = false;                                 ///< the set-up was made just now
};

/// Makes a mirror at the source, or checks that the one made before is still what it was. One thread.
class SetUp {
 public:
  struct Parts {
    const MirrorOptions& options;
    const Adapters& adapters;
    source::Setter& setter;
    SharedDestination& destination;
    Record& record;
    Surroundings around;
  };
  explicit SetUp(Parts parts) : parts_(parts) {}

  /// On the first run: assesses, publishes and creates the slot, each step recorded before the next. What a run before
  /// this one left half made is taken away first. Obstacles found by the assessment go to `obstacles`.
  Result<Ready> run(const std::stop_token& stop, std::vector<Error>& obstacles);
  /// After a first run that failed before anything was copied: nothing of it is left, here or at the source.
  Status take_back(const catalog::Mirror& mirror);

 private:
  Result<Ready> make(const source::Identity& identity, const std::stop_token& stop, std::vector<Error>& obstacles);
  static Error found(const Error& error, std::vector<Error>& obstacles);
  Result<catalog::Mirror> choose(const source::Identity& identity, const std::vector<source::Table>& tables) const;
  Status assess(const catalog::Mirror& planned, const std::stop_token& stop, std::vector<Error>& obstacles);
  Status create(Ready& ready, const std::stop_token& stop);
  Result<Ready> check(catalog::Mirror mirror, const source::Identity& identity, const std::stop_token& stop);

  Parts parts_;
};

/// The first of the comparisons at every start (docs/copy-join-publish.md): the source must not have forgotten anything
/// that is not durable here. Errors: lost_history.
Status compare_slot(const source::LogState& slot, const catalog::Mirror& mirror, const journal::Durable& durable);

}  // namespace lockstep::runtime
