#include "destination/duckdb/readers.hpp"

#include <sched.h>

#include "destination/duckdb/reader.hpp"

namespace lockstep::destination::duck {

Readers::Readers(std::shared_ptr<Database> database) : database_(std::move(database)) {}

Readers::~Readers() { stop(); }

Result<Answer> Readers::query(const std::string& sql) {
  struct Counted {
    explicit Counted(std::atomic<std::size_t>& counter) : active(counter) { ++active; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --active; }
    std::atomic<std::size_t>& active;
  } counted(active_);
  if (stopping_ > 0) return Error{ErrorKind::cancelled, "the destination is being closed"};
  for (Slot& slot : slots_) {
    if (slot.taken.exchange(true)) continue;
    Result<Answer> answer = query_in(slot, sql);
    slot.running = nullptr;
    slot.taken = false;
    return answer;
  }
  return Error{ErrorKind::busy, "too many queries at once", "ask again in a moment"};
}

Result<Answer> Readers::query_in(Slot& slot, const std::string& sql) {
  if (slot.reader == nullptr) {
    TRY(made, Reader::make(database_));
    slot.reader = std::move(made);
  }
  slot.running = slot.reader->connection.get();
  if (stopping_ > 0) return Error{ErrorKind::cancelled, "the destination is being closed"};
  return slot.reader->answer(sql);
}

void Readers::cancel() {
  stop();
  --stopping_;
}

void Readers::stop() {
  ++stopping_;
  // A query that is between two of its statements misses an interrupt: so it is asked until it has gone.
  while (active_ > 0) {
    for (Slot& slot : slots_) {
      if (Connection* running = slot.running; running != nullptr) running->interrupt();
    }
    ::sched_yield();
  }
}

}  // namespace lockstep::destination::duck
