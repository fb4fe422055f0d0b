#pragma once

#include "world/server.hpp"

namespace lockstep::sim {

/// Several writers at once that do what is hard on a copy: few keys, key changes, rotations of keys, rows that move
/// between pages, equal rows in a keyless table, savepoints, TRUNCATE, VACUUM FULL.
class Application {
 public:
  Application(Server& server, Dice& dice, Record& record) : server_(server), dice_(dice), record_(record) {}

  /// One thing that one of the writers does.
  void step();
  /// Ends everything that is open and shows it to everybody.
  void finish();

 private:
  void statement(Xid xid);
  void insert(Xid xid, std::size_t table);
  void update(Xid xid, std::size_t table);
  void rotate_keys(Xid xid, std::size_t table);
  void truncate(Xid xid, std::size_t table);
  void savepoint(Xid xid);
  Row fresh_row(std::size_t table, std::int64_t key);

  Server& server_;
  Dice& dice_;
  Record& record_;
  std::int64_t unique_ = 0;
};

}  // namespace lockstep::sim
