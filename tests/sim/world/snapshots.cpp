#include "world/snapshots.hpp"

#include <algorithm>

#include "model/row.hpp"

namespace lockstep::sim {
namespace {

class SimSnapshot final : public source::Snapshot {
 public:
  SimSnapshot(VisibleSet shows, VisibleSet says, std::shared_ptr<bool> alive)
      : shows_(std::move(shows)), says_(std::move(says)), alive_(std::move(alive)) {}
  const VisibleSet& visible() const override { return says_; }
  const VisibleSet& shows() const { return shows_; }
  bool alive() const override { return *alive_; }
  const std::shared_ptr<bool>& connection() const { return alive_; }

 private:
  VisibleSet shows_;
  VisibleSet says_;  ///< differs only when that bug is planted
  std::shared_ptr<bool> alive_;
};

Error lost() { return {ErrorKind::unreachable, "the snapshot's connection is lost"}; }

// The lock that a range transaction holds from its checks to its end.
class TableLock {
 public:
  explicit TableLock(std::size_t& readers) : readers_(readers) { ++readers_; }
  ~TableLock() { --readers_; }
  TableLock(const TableLock&) = delete;
  TableLock& operator=(const TableLock&) = delete;

 private:
  std::size_t& readers_;
};

class SimRowStream final : public RowStream {
 public:
  SimRowStream(Server& server, Dice& dice, Record& record, std::size_t table, const VisibleSet& visible,
               std::shared_ptr<bool> alive, std::shared_ptr<source::RangeQueue> ranges,
               std::vector<ColumnDecoder> decoders, const Meanwhile& meanwhile, bool breaks)
      : server_(server),
        dice_(dice),
        record_(record),
        lock_(server.tables()[table].readers),
        table_(table),
        visible_(visible),
        alive_(std::move(alive)),
        ranges_(std::move(ranges)),
        decoders_(std::move(decoders)),
        meanwhile_(meanwhile),
        breaks_(breaks) {}

  Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) override {
    meanwhile_();
    bytes_.clear();
    std::size_t rows = 0;
    while (rows < capacity) {
      if (!*alive_) return lost();
      if (breaks_ && dice_.one_in(3)) {
        record_.happened(Fault::read_broken);
        return Error{ErrorKind::unreachable, "the connection broke in the middle of a range"};
      }
      if (waiting_.empty() && !next_range()) break;
      if (waiting_.empty()) continue;
      TRY_DO(decode(waiting_.back(), columns, rows));
      waiting_.pop_back();
      ++rows;
    }
    return rows;
  }

 private:
  bool next_range() {
    const std::optional<source::Range> range = ranges_->take();
    if (!range) return false;
    waiting_ = server_.read(table_, visible_, range->begin, range->end);
    return true;
  }
  Status decode(const Row& row, std::span<VectorView> columns, std::size_t at) {
    auto encoded = std::make_unique<std::vector<std::byte>>();
    encode(row, false, *encoded);
    bytes_.push_back(std::move(encoded));
    std::vector<Cell> cells;
    CHECK(split_row(*bytes_.back(), cells) && cells.size() == columns.size());
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (decoders_[c].decode(decoders_[c], cells[c], columns[c], at) != Decoded::ok) {
        return Error{ErrorKind::bad_data, "a cell does not decode"};
      }
    }
    return Done{};
  }

  Server& server_;
  Dice& dice_;
  Record& record_;
  TableLock lock_;
  std::size_t table_;
  VisibleSet visible_;
  std::shared_ptr<bool> alive_;
  std::shared_ptr<source::RangeQueue> ranges_;
  std::vector<ColumnDecoder> decoders_;
  const Meanwhile& meanwhile_;
  bool breaks_;
  std::vector<Row> waiting_;
  std::vector<std::unique_ptr<std::vector<std::byte>>> bytes_;  ///< strings point into them until the next call
};

}  // namespace

std::unique_ptr<source::Snapshot> SimSnapshotSource::adopt(const VisibleSet& visible) { return make(visible, visible); }

std::unique_ptr<source::Snapshot> SimSnapshotSource::make(const VisibleSet& shows, const VisibleSet& says) {
  auto alive = std::make_shared<bool>(true);
  std::erase_if(alive_, [](const std::weak_ptr<bool>& each) { return each.expired(); });
  alive_.push_back(alive);
  return std::make_unique<SimSnapshot>(shows, says, std::move(alive));
}

void SimSnapshotSource::lose_snapshots() {
  for (const std::weak_ptr<bool>& each : alive_) {
    if (const auto alive = each.lock()) *alive = false;
  }
}

Result<std::unique_ptr<source::Snapshot>> SimSnapshotSource::take_snapshot() {
  meanwhile_();
  if (!server_.is_prefix(server_.snapshot())) record_.reach(Probe::snapshot_is_no_prefix);
  return make(server_.snapshot(), flaws_.join_by_log ? server_.shown_by_log() : server_.snapshot());
}

Status SimSnapshotSource::write_mark(const std::string& text) {
  meanwhile_();
  if (dice_.percent(weather_.mark_fails)) {
    record_.happened(Fault::mark_failed);
    return Error{ErrorKind::unreachable, "the connection broke before the mark"};
  }
  const Xid xid = server_.begin();
  server_.message(xid, "lockstep.mark", text);
  server_.commit(xid);
  server_.make_visible(xid);
  return Done{};
}

Result<std::vector<source::RangePlan>> SimSnapshotSource::plan(const source::Snapshot& snapshot,
                                                               const std::vector<TableId>& tables) {
  meanwhile_();
  if (!snapshot.alive()) return lost();
  std::vector<source::RangePlan> plans;
  for (const TableId id : tables) {
    const std::size_t index = server_.table_of(id);
    const SimTable& table = server_.tables()[index];
    if (server_.locked(index, Xid{0})) return Error{ErrorKind::busy, "somebody holds the table"};
    const VisibleSet& shows = static_cast<const SimSnapshot&>(snapshot).shows();
    if (!flaws_.plan_ignores_rewrite && server_.storage_under(index, shows) != table.storage) {
      return Error{ErrorKind::busy, "the table was rewritten after the snapshot was taken"};
    }
    source::RangePlan plan;
    plan.shape = table.shape;
    plan.storage = table.storage;
    // The size is an estimate: statistics are old, and the table grows while it is read.
    const std::uint64_t pages = 1 + dice_.below(table.pages);
    const std::uint64_t width = 1 + dice_.below(2);
    for (std::uint64_t page = 0; page < pages; page += width) plan.ranges.push_back({page, page + width});
    if (!flaws_.bounded_last_range) plan.ranges.back().end.reset();
    plans.push_back(std::move(plan));
  }
  return plans;
}

Result<std::unique_ptr<RowStream>> SimSnapshotSource::open_stream(const source::Snapshot& snapshot,
                                                                  const source::RangePlan& plan,
                                                                  std::shared_ptr<source::RangeQueue> ranges,
                                                                  const std::vector<LogicalType>& targets) {
  meanwhile_();
  if (!snapshot.alive()) return lost();
  const std::size_t index = server_.table_of(plan.shape.table);
  const SimTable& table = server_.tables()[index];
  if (server_.locked(index, Xid{0})) return Error{ErrorKind::busy, "somebody holds the table"};
  if (table.storage != plan.storage && !flaws_.no_storage_check) {
    return Error{ErrorKind::conflict, "the table was rewritten"};
  }
  std::vector<ColumnDecoder> decoders;
  for (std::size_t c = 0; c < targets.size(); ++c) {
    TRY(decoder, SimDecoders{}.decoder(plan.shape.columns[c], targets[c]));
    decoders.push_back(decoder);
  }
  const auto& ours = static_cast<const SimSnapshot&>(snapshot);
  const VisibleSet shows = flaws_.range_ignores_snapshot ? server_.snapshot() : ours.shows();
  return std::unique_ptr<RowStream>(
      std::make_unique<SimRowStream>(server_, dice_, record_, index, shows, ours.connection(), std::move(ranges),
                                     std::move(decoders), meanwhile_, dice_.percent(weather_.read_breaks)));
}

}  // namespace lockstep::sim
