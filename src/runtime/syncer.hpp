#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "journal/journal.hpp"
#include "runtime/status_board.hpp"
#include "runtime/wakeup.hpp"

namespace lockstep::runtime {

/// Makes the journal durable in its own rhythm, so that neither receiving nor applying waits for a disk.
class Syncer {
 public:
  /// `durable` is called after each sync that made something durable; `broken` once, when a sync failed: the journal is
  /// then of no use any more. Both from the syncer's thread.
  Syncer(journal::Journal& journal, std::function<void()> durable, std::function<void(const Error&)> broken);

  /// Something was written. From any thread; cheap.
  void written() {
    if (!dirty_.exchange(true)) bell_.ring();
  }

 private:
  void run(const std::stop_token& stop);

  journal::Journal& journal_;
  const std::function<void()> durable_;
  const std::function<void(const Error&)> broken_;
  std::atomic<bool> dirty_{false};
  Wakeup bell_;
  std::jthread thread_;  // last: it uses the rest
};

}  // namespace lockstep::runtime
