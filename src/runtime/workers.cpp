#include "runtime/workers.hpp"

#include <utility>

namespace lockstep::runtime {

Workers::Workers(std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { run(stop); });
  }
}

Workers::~Workers() {
  for (std::jthread& thread : threads_) thread.request_stop();
  threads_.clear();
}

void Workers::submit(std::function<void()> job) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back(std::move(job));
  changed_.notify_all();
}

bool Workers::idle_within(std::chrono::milliseconds wait_max) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, wait_max, [&] { return jobs_.empty() && running_ == 0; });
}

void Workers::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !jobs_.empty(); })) {
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    ++running_;
    lock.unlock();
    job();
    lock.lock();
    --running_;
    changed_.notify_all();
  }
}

}  // namespace lockstep::runtime
