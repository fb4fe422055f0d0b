#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "source/postgres/connection.hpp"
#include "source/source.hpp"

namespace lockstep::postgres {

/// A snapshot that a connection of its own holds open and has exported. That connection holds no lock on any table.
class PgSnapshot final : public source::Snapshot {
 public:
  /// A snapshot of now.
  static Result<std::unique_ptr<PgSnapshot>> take(Connection connection);
  /// The snapshot that another session has exported as `name`, exported once more: it outlives the other session.
  static Result<std::unique_ptr<PgSnapshot>> adopt(Connection connection, const std::string& name);

  const VisibleSet& visible() const override { return visible_; }
  bool alive() const override { return holder_.seems_alive(); }
  /// For SET TRANSACTION SNAPSHOT.
  const std::string& name() const { return name_; }

 private:
  PgSnapshot(Connection holder, std::string name, VisibleSet visible)
      : holder_(std::move(holder)), name_(std::move(name)), visible_(std::move(visible)) {}
  static Result<std::unique_ptr<PgSnapshot>> begin(Connection connection, const std::string& start);

  Connection holder_;
  std::string name_;
  VisibleSet visible_;
};

/// "BEGIN …; SET TRANSACTION SNAPSHOT …": the start of a short transaction that reads under `snapshot`.
std::string begin_under(const std::string& snapshot_name);

}  // namespace lockstep::postgres
