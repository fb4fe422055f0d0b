#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "source/source.hpp"
#include "support/text_rows.hpp"

namespace lockstep::runtime {

/// What a scripted source's parts share, and what tests do to it. Thread-safe.
struct FakeServer {
  struct Committed {
    Xid xid;
    TableId table;
    test::TextRow row;
    std::string mark;  ///< instead of a row
    std::uint64_t end;
  };

  std::mutex mutex;
  std::condition_variable changed;
  std::map<TableId, TableShape> tables;
  std::vector<Committed> log;  ///< an insert or a mark each
  std::uint64_t end = 100;     ///< of the log
  std::uint64_t confirmed = 0;
  std::optional<std::uint64_t> slot;
  bool published = false;
  std::map<std::string, Error> broken;  ///< by the call's name
  std::vector<Error> obstacles;
  std::map<std::string, int> calls;

  Status call(const std::string& name) {
    ++calls[name];
    changed.notify_all();
    const auto found = broken.find(name);
    if (found != broken.end()) return found->second;
    return Done{};
  }
  void add_table(std::uint64_t id, const std::string& name) {
    const std::lock_guard lock(mutex);
    tables[TableId{id}] = test::text_table(id, name, {"id", "v"}, {0});
  }
  std::uint64_t commit(std::uint64_t table, const std::string& key, const std::string& value) {
    const std::lock_guard lock(mutex);
    return append({Xid{10 + log.size()}, TableId{table}, {key, value}, "", 0});
  }
  std::uint64_t append(Committed committed) {
    end += 10;
    committed.end = end;
    log.push_back(std::move(committed));
    changed.notify_all();
    return end;
  }
  void break_call(const std::string& name, Error error) {
    const std::lock_guard lock(mutex);
    broken[name] = std::move(error);
    changed.notify_all();
  }
  void mend() {
    const std::lock_guard lock(mutex);
    broken.clear();
    changed.notify_all();
  }
  template <class Condition>
  bool wait_until(Condition condition) {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds{30}, condition);
  }
};

}  // namespace lockstep::runtime
