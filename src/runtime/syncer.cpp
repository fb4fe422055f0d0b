#include "runtime/syncer.hpp"

#include <utility>

namespace lockstep::runtime {

Syncer::Syncer(journal::Journal& journal, std::function<void()> durable, std::function<void(const Error&)> broken)
    : journal_(journal),
      durable_(std::move(durable)),
      broken_(std::move(broken)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Syncer::run(const std::stop_token& stop) {
  // Between two syncs, so that a fast disk is not asked thousands of times a second; a reader of the copy does not notice.
  constexpr std::chrono::milliseconds rest{2};
  Wakeup never;
  while (!stop.stop_requested()) {
    if (!dirty_) bell_.wait(stop);
    if (!dirty_.exchange(false)) continue;
    const Result<journal::Durable> synced = journal_.sync();
    if (!synced.ok()) return broken_(synced.error());
    durable_();
    never.wait(stop, rest);
  }
}

}  // namespace lockstep::runtime
