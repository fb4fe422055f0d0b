#include "runtime/event_loop.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace lockstep::runtime {

EventLoop::EventLoop(const Clock& clock) : clock_(clock), wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(wake_fd_ >= 0);
  watch(wake_fd_, For::reading, [this] {
    std::uint64_t count = 0;
    static_cast<void>(!::read(wake_fd_, &count, sizeof count));  // nothing to read: another call took it
  });
}

EventLoop::~EventLoop() {
  if (signal_fd_ >= 0) ::close(signal_fd_);
  ::close(wake_fd_);
}

void EventLoop::watch(int fd, For what, std::function<void()> ready) {
  watches_[fd] = {what, std::make_shared<std::function<void()>>(std::move(ready))};
}

void EventLoop::unwatch(int fd) { watches_.erase(fd); }

void EventLoop::every(std::chrono::milliseconds period, std::function<void()> tick) {
  timers_.push_back({period, clock_.monotonic() + period, std::move(tick)});
}

Status EventLoop::catch_stop_signals(std::function<void()> caught) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  if (::pthread_sigmask(SIG_BLOCK, &signals, nullptr) != 0 ||
      (signal_fd_ = ::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC)) < 0) {
    return Error{ErrorKind::unexpected, "signals cannot be caught"};
  }
  watch(signal_fd_, For::reading, [this, caught = std::move(caught)] {
    signalfd_siginfo info{};
    while (::read(signal_fd_, &info, sizeof info) == sizeof info) caught();
  });
  return Done{};
}

void EventLoop::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
  }
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_fd_, &one, sizeof one));  // full: a wake-up is already due
}

void EventLoop::run() {
  while (!ended_) {
    wait_and_call();
    run_posted();
    run_timers();
  }
}

int EventLoop::wait_ms() const {
  constexpr std::chrono::nanoseconds longest = std::chrono::seconds{60};
  std::chrono::nanoseconds wait = longest;
  for (const Timer& timer : timers_) wait = std::min(wait, timer.due - clock_.monotonic());
  // Rounded up, so that the loop does not spin through the last fraction of a millisecond.
  return static_cast<int>(
      std::chrono::ceil<std::chrono::milliseconds>(std::max(wait, std::chrono::nanoseconds{0})).count());
}

void EventLoop::wait_and_call() {
  std::vector<pollfd> fds;
  for (const auto& [fd, watched] : watches_) {
    const int events = watched.what == For::reading   ? POLLIN
                       : watched.what == For::writing ? POLLOUT
                                                      : POLLIN | POLLOUT;
    fds.push_back({fd, static_cast<short>(events), 0});
  }
  if (::poll(fds.data(), fds.size(), wait_ms()) <= 0) return;
  for (const pollfd& polled : fds) {
    if (polled.revents == 0) continue;
    const auto found = watches_.find(polled.fd);  // a callback before may have ended this watch
    if (found == watches_.end()) continue;
    const auto ready = found->second.ready;  // the callback may end its own watch
    (*ready)();
  }
}

void EventLoop::run_posted() {
  std::deque<std::function<void()>> work;
  {
    const std::lock_guard lock(mutex_);
    work.swap(posted_);
  }
  for (const auto& job : work) job();
}

void EventLoop::run_timers() {
  const auto now = clock_.monotonic();
  for (Timer& timer : timers_) {
    if (timer.due > now) continue;
    timer.due = now + timer.period;
    timer.tick();
  }
}

}  // namespace lockstep::runtime
