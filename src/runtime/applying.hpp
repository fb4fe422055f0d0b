#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <vector>

#include "apply/applier.hpp"
#include "journal/journal.hpp"
#include "runtime/copying.hpp"
#include "runtime/status_board.hpp"
#include "runtime/table_list.hpp"

namespace lockstep::runtime {

/// The destination as several threads see it: the applying thread writes, others ask.
struct SharedDestination {
  OpenDestination opened;
  std::string address;       ///< for messages
  std::shared_mutex in_use;  ///< shared by those who ask, alone by who opens or closes
  bool is_open = false;      ///< guarded by in_use
};
Status open_shared(SharedDestination& shared, const destination::MirrorIdentity& identity);
/// Cancels the queries that are being answered.
void close_shared(SharedDestination& shared);

/// Brings the journal to the destination: copies what has to be copied, publishes, applies. One thread.
class Applying {
 public:
  struct Parts {
    source::Source& source;
    journal::Journal& journal;
    SharedDestination& destination;
    StatusBoard& board;
    Wakeup& bell;  ///< rung when the journal has more, and on pause and resume
    const std::atomic<bool>& paused;
    std::atomic<bool>& join_waits;  ///< set while a complete copy waits for what only the source can bring
    Surroundings around;
  };
  struct Options {
    destination::MirrorIdentity identity;
    std::vector<source::Table> tables;  ///< all that the source listed
    std::vector<TableId> wanted;
    Position slot_start;
    apply::BatchLimits limits;
    Copying::Options copying;
    /// Remembers that the mirror has only these tables from now on.
    std::function<Status(const std::vector<TableId>& wanted)> remember_wanted;
  };
  Applying(Parts parts, Options options);

  /// Until stop (Done: the batch in hand is finished) or an error that does not end by itself.
  Status run(const std::stop_token& stop);
  /// Some row reached the destination, now or in an earlier run.
  bool anything_loaded() const { return anything_loaded_; }

 private:
  /// One life of the connection to the destination.
  struct Round {
    apply::Applier applier;
    Copying copying;
    std::optional<std::chrono::nanoseconds> look_again_at;
    std::chrono::nanoseconds slow_work_due{0};
    bool publishing_waits_for_more = false;
  };
  enum class Did { nothing, something };

  Status work(const std::stop_token& stop);
  Status begin(Round& round);
  Result<Did> advance(Round& round);
  Result<Did> copy(Round& round);
  Result<Did> publish(Round& round);
  Result<Did> apply(Round& round);
  Status want_what_is_missing(Round& round);
  Status forget_vanished(const std::vector<TableId>& to_copy);
  Status write_notes(Round& round);
  Status slow_work(Round& round);
  void stand_still(Round& round, const std::stop_token& stop);
  void note_progress(Round& round);
  void wait(Round& round, const std::stop_token& stop);
  void say_once(const Error& why);
  copy::TableToCopy to_copy(TableId table) const;

  Parts parts_;
  Options options_;
  TableList tables_;
  std::atomic<bool> anything_loaded_{false};
  bool said_why_ = false;
  bool begin_again_ = false;  ///< the mirror's tables have changed: the round must be made anew
  Backoff backoff_;
};

}  // namespace lockstep::runtime
