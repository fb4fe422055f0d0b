#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "journal/journal.hpp"
#include "journal/recorder.hpp"
#include "runtime/adapters.hpp"
#include "runtime/backoff.hpp"
#include "runtime/status_board.hpp"
#include "runtime/syncer.hpp"
#include "source/source.hpp"

namespace lockstep::runtime {

/// Follows the source into the journal, and tells the source what is durable there. Knows nothing of a destination, so
/// a slow or dead one costs our disk, never the source's. One thread.
class Receiver {
 public:
  struct Parts {
    source::ChangeSource& changes;
    journal::Journal& journal;
    Syncer& syncer;
    StatusBoard& board;
    const std::atomic<bool>& join_waits;  ///< the journal's limit does not hold: only more can free it
    Surroundings around;
  };
  /// `slot_start`: where to begin while the journal knows no position. `busy_wait_max`: how long the slot may be held by
  /// another connection before the first message came; afterwards there is no limit.
  Receiver(Parts parts, source::Setup setup, Position slot_start, std::chrono::milliseconds busy_wait_max);

  /// How receiving ended for good.
  struct End {
    std::optional<Error> error;   ///< nothing: it was asked to stop
    bool journal_broken = false;  ///< the journal must be opened again
  };
  /// Goes on through everything that ends by itself, saying once why it waits.
  End run(const std::stop_token& stop);

 private:
  Status follow(const std::stop_token& stop);
  Status acknowledge();
  bool has_room(std::string& why) const;
  Status wait_for_room(const std::stop_token& stop);
  bool may_try_again(const Error& error);
  void note_contact();

  Parts parts_;
  const source::Setup setup_;
  const Position slot_start_;
  const std::chrono::nanoseconds busy_until_;
  std::optional<Position> acknowledged_;
  bool ever_received_ = false;
  bool journal_broken_ = false;
  bool said_why_ = false;
  std::chrono::nanoseconds room_asked_{0};
  Backoff backoff_;
};

}  // namespace lockstep::runtime
