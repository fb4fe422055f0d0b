#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "runtime/fake_server_test.hpp"
#include "source/source.hpp"
#include "support/text_rows.hpp"

// A scripted database of one kind of row, for tests of what drives a source. Thread-safe.
namespace lockstep::runtime {

class FakeSnapshot final : public source::Snapshot {
 public:
  explicit FakeSnapshot(Xid next) : visible_{next, next, {}} {}
  const VisibleSet& visible() const override { return visible_; }
  bool alive() const override { return true; }

 private:
  VisibleSet visible_;
};

class FakeSetter final : public source::Setter {
 public:
  explicit FakeSetter(FakeServer& server) : server_(server) {}
  Result<source::Identity> identify() override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("identify"));
    return source::Identity{"postgresql", "7", 1, "shop", 5, "fake"};
  }
  Result<std::vector<Error>> obstacles(const source::Setup&) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("obstacles"));
    return server_.obstacles;
  }
  Result<std::vector<source::Table>> tables() override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("tables"));
    std::vector<source::Table> tables;
    for (const auto& [id, shape] : server_.tables) tables.push_back({shape, 10, 1000, false, ""});
    return tables;
  }
  Status publish(const source::Setup&) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("publish"));
    server_.published = true;
    return Done{};
  }
  Result<source::CreatedSlot> create_slot(const source::Setup&,
                                          const std::function<bool(const std::string&)>&) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("create_slot"));
    server_.slot = server_.end;
    server_.confirmed = server_.end;
    return source::CreatedSlot{PgPosition{Lsn{server_.end}},
                               std::make_unique<FakeSnapshot>(Xid{10 + server_.log.size()})};
  }
  Result<source::LogState> log_state(const source::Setup&) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("log_state"));
    source::LogState state;
    state.exists = server_.slot.has_value();
    state.confirmed = PgPosition{Lsn{server_.confirmed}};
    return state;
  }
  Status remove(const source::Setup&) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("remove"));
    server_.slot.reset();
    server_.published = false;
    return Done{};
  }

 private:
  FakeServer& server_;
};

class FakeSnapshots final : public source::SnapshotSource {
 public:
  explicit FakeSnapshots(FakeServer& server) : server_(server) {}
  Result<std::unique_ptr<source::Snapshot>> take_snapshot() override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("take_snapshot"));
    return std::unique_ptr<source::Snapshot>(std::make_unique<FakeSnapshot>(Xid{10 + server_.log.size()}));
  }
  Status write_mark(const std::string& text) override {
    const std::lock_guard lock(server_.mutex);
    server_.append({Xid{10 + server_.log.size()}, {}, {}, text, 0});
    return Done{};
  }
  Result<std::vector<source::RangePlan>> plan(const source::Snapshot&, const std::vector<TableId>& tables) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("plan"));
    std::vector<source::RangePlan> plans;
    for (const TableId table : tables) {
      const auto found = server_.tables.find(table);
      if (found != server_.tables.end()) plans.push_back({found->second, 1, {{0, std::nullopt}}});
    }
    return plans;
  }
  Result<std::unique_ptr<RowStream>> open_stream(const source::Snapshot& snapshot, const source::RangePlan& plan,
                                                 std::shared_ptr<source::RangeQueue> ranges,
                                                 const std::vector<LogicalType>& targets) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("open_stream"));
    std::vector<test::TextRow> rows;
    while (ranges->take()) {
      for (const FakeServer::Committed& committed : server_.log) {
        if (committed.table == plan.shape.table && snapshot.visible().contains(committed.xid))
          rows.push_back(committed.row);
      }
    }
    return std::unique_ptr<RowStream>(std::make_unique<test::TextRowStream>(plan.shape, std::move(rows), targets));
  }

 private:
  FakeServer& server_;
};

/// Says each commit as: begun, shape, change, committed.
class FakeChanges final : public source::ChangeSource {
 public:
  explicit FakeChanges(FakeServer& server) : server_(server) {}
  Status start(const source::Setup&, const Position& from) override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("start"));
    from_ = std::get<PgPosition>(from).end.value;
    said_through_ = from_;
    step_ = 0;
    return Done{};
  }
  Result<SourceMessage> next(std::chrono::milliseconds wait_max) override {
    std::unique_lock lock(server_.mutex);
    TRY_DO(server_.call("next"));
    const auto is_next = [&](const FakeServer::Committed& committed) { return committed.end > from_; };
    const auto found = std::find_if(server_.log.begin(), server_.log.end(), is_next);
    if (found != server_.log.end()) return say(*found);
    if (said_through_ < server_.end) {
      said_through_ = server_.end;
      return SourceMessage{Progressed{PgPosition{Lsn{said_through_}}, false}};
    }
    server_.changed.wait_for(lock, wait_max);
    return SourceMessage{NothingYet{}};
  }
  Status acknowledge(const Position& durable) override {
    const std::lock_guard lock(server_.mutex);
    server_.confirmed = std::get<PgPosition>(durable).end.value;
    return server_.call("acknowledge");
  }
  Status keep_alive() override {
    const std::lock_guard lock(server_.mutex);
    return server_.call("keep_alive");
  }
  Result<Position> end_of_log() override {
    const std::lock_guard lock(server_.mutex);
    TRY_DO(server_.call("end_of_log"));
    return Position{PgPosition{Lsn{server_.end}}};
  }
  Status heartbeat() override { return Done{}; }
  void close() override {}

 private:
  SourceMessage say(const FakeServer::Committed& committed) {
    switch (step_++) {
      case 0: return TransactionBegun{committed.xid};
      case 1:
        if (!committed.mark.empty()) return said_mark(committed);
        return ShapeSeen{committed.xid, server_.tables.at(committed.table)};
      case 2:
        if (!committed.mark.empty()) return NothingYet{};
        row_ = test::encoded(committed.row);
        return RowChanged{committed.xid, committed.table, {ChangeKind::insert, {}, {}, row_, {}, {}, {}}};
      default: break;
    }
    step_ = 0;
    from_ = committed.end;
    said_through_ = committed.end;
    return TransactionCommitted{committed.xid, false, PgPosition{Lsn{committed.end}}, UnixMicros{1'000'000}};
  }
  static SourceMessage said_mark(const FakeServer::Committed& committed) {
    Change change;
    change.kind = ChangeKind::message;
    change.prefix = mark_prefix;
    change.content = bytes_of(committed.mark);
    return StepTaken{committed.xid, change};
  }

  FakeServer& server_;
  std::uint64_t from_ = 0;
  std::uint64_t said_through_ = 0;
  int step_ = 0;
  std::vector<std::byte> row_;
};

inline source::Source fake_source(FakeServer& server) {
  source::Source source;
  source.setter = std::make_unique<FakeSetter>(server);
  source.snapshots = std::make_unique<FakeSnapshots>(server);
  source.changes = std::make_unique<FakeChanges>(server);
  source.decoders = std::make_unique<test::TextDecoders>();
  return source;
}

}  // namespace lockstep::runtime
