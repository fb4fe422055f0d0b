#include "world/application.hpp"

#include <algorithm>

namespace lockstep::sim {
namespace {

constexpr std::int64_t keys = 5;
constexpr std::size_t writers_max = 4;

}  // namespace

void Application::step() {
  enum { begin, write, mark_place, end, show, vacuum, clear };
  const std::vector<Xid>& open = server_.open();
  switch (dice_.weighted({16, 60, 8, 12, 8, 2, 2})) {
    case begin:
      if (open.size() < writers_max) server_.begin();
      break;
    case write:
      if (!open.empty()) statement(dice_.pick(open));
      break;
    case mark_place:
      if (!open.empty()) savepoint(dice_.pick(open));
      break;
    case end: {
      if (open.empty()) break;
      const Xid xid = dice_.pick(open);
      dice_.percent(85) ? server_.commit(xid) : server_.abort(xid);
      break;
    }
    case show:
      if (!server_.invisible().empty()) server_.make_visible(dice_.pick(server_.invisible()));
      break;
    case vacuum: {
      const std::size_t table = dice_.below(server_.tables().size());
      if (!server_.in_use(table, Xid{0})) server_.vacuum_full(table);
      break;
    }
    case clear: {  // at once, between two calls of the engine
      const Xid xid = server_.begin();
      truncate(xid, dice_.below(server_.tables().size()));
      server_.commit(xid);
      server_.make_visible(xid);
      break;
    }
    default: break;
  }
}

void Application::finish() {
  while (!server_.open().empty()) server_.commit(server_.open().front());
  while (!server_.invisible().empty()) server_.make_visible(server_.invisible().front());
}

void Application::statement(Xid xid) {
  const std::size_t table = dice_.weighted({30, 25, 25, 15, 5});
  if (server_.locked(table, xid)) return;
  enum { add, change, rotate, take, clear, speak };
  switch (dice_.weighted({34, 38, 12, 14, 3, 2})) {
    case add: return insert(xid, table);
    case change: return update(xid, table);
    case rotate: return rotate_keys(xid, table);
    case take: {
      const std::vector<VersionRef> rows = server_.changeable(table, xid);
      if (!rows.empty()) server_.erase(xid, table, dice_.pick(rows));
      return;
    }
    case clear: return truncate(xid, table);
    case speak: return server_.message(xid, "application", "hello");
    default: return;
  }
}

// Equal rows are wanted where there is no key.
Row Application::fresh_row(std::size_t table, std::int64_t key) {
  if (!server_.tables()[table].keyed()) return {key, key % 2, "same"};
  Row row{key, ++unique_, "big " + std::to_string(unique_)};
  if (dice_.one_in(6)) row.value.reset();
  if (dice_.one_in(3)) row.big += " and too long to stand inside a string value";
  return row;
}

void Application::insert(Xid xid, std::size_t table) {
  const auto key = static_cast<std::int64_t>(1 + dice_.below(keys));
  if (server_.tables()[table].keyed() && !server_.key_is_free(table, key, xid)) return;
  server_.insert(xid, table, fresh_row(table, key));
}

void Application::update(Xid xid, std::size_t table) {
  const std::vector<VersionRef> rows = server_.changeable(table, xid);
  if (rows.empty()) return;
  const VersionRef old = dice_.pick(rows);
  Row row = old->row;
  if (!server_.tables()[table].keyed()) {
    row.value = row.value ? std::optional(1 - *row.value) : std::nullopt;
    if (dice_.one_in(3)) row.big = dice_.one_in(2) ? "same" : "other";
    return server_.update(xid, table, old, row);
  }
  const Row fresh = fresh_row(table, row.key);
  row.value = fresh.value;
  if (dice_.percent(30)) row.big = fresh.big;
  if (dice_.percent(40)) row.key = static_cast<std::int64_t>(1 + dice_.below(keys));
  if (row.key != old->row.key && !server_.key_is_free(table, row.key, xid)) return;
  if (row.big == old->row.big) record_.reach(Probe::big_unchanged);
  server_.update(xid, table, old, row);
}

// Two rows change places by way of a free key; their big columns do not travel.
void Application::rotate_keys(Xid xid, std::size_t table) {
  if (!server_.tables()[table].keyed()) return;
  const std::vector<VersionRef> rows = server_.changeable(table, xid);
  if (rows.size() < 2) return;
  std::int64_t spare = 1;
  while (spare <= keys && !server_.key_is_free(table, spare, xid)) ++spare;
  if (spare > keys) return;
  const std::size_t one = dice_.below(rows.size());
  const std::size_t other = (one + 1 + dice_.below(rows.size() - 1)) % rows.size();
  const Row first = rows[one]->row;
  const Row second = rows[other]->row;
  const auto moved = [](Row row, std::int64_t key) {
    row.key = key;
    return row;
  };
  server_.update(xid, table, rows[one], moved(first, spare));
  const VersionRef waiting = server_.tables()[table].heap.back();
  server_.update(xid, table, rows[other], moved(second, first.key));
  server_.update(xid, table, waiting, moved(first, second.key));
  record_.reach(Probe::key_rotation);
}

// Sometimes several tables in one statement.
void Application::truncate(Xid xid, std::size_t table) {
  std::vector<std::size_t> tables{table};
  if (dice_.one_in(3)) tables.push_back((table + 1) % server_.tables().size());
  const bool free = std::none_of(tables.begin(), tables.end(), [&](std::size_t t) { return server_.in_use(t, xid); });
  if (free) server_.truncate(xid, tables);
}

void Application::savepoint(Xid xid) {
  if (server_.savepoints(xid) == 0 || dice_.one_in(2)) return server_.savepoint(xid);
  dice_.percent(60) ? server_.roll_back_to_savepoint(xid) : server_.release_savepoint(xid);
}

}  // namespace lockstep::sim
