#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/disk.hpp"
#include "journal/journal.hpp"
#include "runtime/applying.hpp"
#include "runtime/options.hpp"
#include "runtime/receiver.hpp"
#include "runtime/setup.hpp"
#include "runtime/syncer.hpp"

namespace lockstep::runtime {

/// The threads that keep a mirror going around one open journal: receiver, syncer and applying. They fail together.
class Session {
 public:
  struct Parts {
    source::Source& source;
    SharedDestination& destination;
    Record& record;
    StatusBoard& board;
    Wakeup& bell;
    const std::atomic<bool>& paused;
    Surroundings around;
  };
  /// Why a session ended.
  struct End {
    std::optional<Error> error;   ///< nothing: it was asked to stop
    bool journal_broken = false;  ///< worth another session with the journal opened again
    bool anything_loaded = false;
  };
  /// `hold_receiving`: how long to wait before receiving begins, while applying goes on.
  static End run(Parts parts, journal::Journal& journal, Ready& ready, const MirrorOptions& options,
                 std::chrono::milliseconds hold_receiving, const std::stop_token& stop);

 private:
  Session(Parts parts, journal::Journal& journal) : parts_(parts), journal_(journal) {}
  void fall(std::optional<Error> error, bool journal_broken);
  void note_durable();
  void wait_for_end(const std::stop_token& stop);

  Parts parts_;
  journal::Journal& journal_;
  std::atomic<bool> join_waits_{false};
  std::mutex mutex_;
  std::condition_variable_any ended_;
  std::optional<End> end_;  // guarded by mutex_; the first one counts
};

}  // namespace lockstep::runtime
