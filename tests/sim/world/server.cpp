#include "world/server.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace lockstep::sim {
namespace {

constexpr std::uint64_t pages_max = 5;

bool holds(const std::vector<Xid>& list, Xid xid) { return std::find(list.begin(), list.end(), xid) != list.end(); }

void take_out(std::vector<Xid>& list, Xid xid) { list.erase(std::find(list.begin(), list.end(), xid)); }

SimTable make_table(std::uint64_t id, const std::string& name, bool keyed, bool full_identity) {
  SimTable table;
  table.shape = shape_of(TableId{id}, name, keyed, full_identity);
  table.published = name != "unpublished";
  table.first_copy = table.published && name != "late";
  return table;
}

std::shared_ptr<const Rows> sorted_texts(const std::vector<Row>& rows) {
  auto texts = std::make_shared<Rows>();
  for (const Row& row : rows) texts->push_back(to_text(row));
  std::sort(texts->begin(), texts->end());
  return texts;
}

// The second, deliberately simple model of what a change means to one table. True if it meant anything.
bool apply(const LoggedChange& change, std::size_t table, bool keyed, std::vector<Row>& rows) {
  if (change.kind == ChangeKind::truncate) {
    const bool hit = std::find(change.truncated.begin(), change.truncated.end(), table) != change.truncated.end();
    if (hit) rows.clear();
    return hit;
  }
  if (change.kind == ChangeKind::message || change.table != table) return false;
  if (change.kind == ChangeKind::update || change.kind == ChangeKind::erase) {
    const auto old = std::find_if(rows.begin(), rows.end(), [&](const Row& row) {
      return keyed ? row.key == change.old_row.key : row == change.old_row;
    });
    CHECK(old != rows.end());
    rows.erase(old);
  }
  if (change.kind == ChangeKind::update || change.kind == ChangeKind::insert) rows.push_back(change.new_row);
  return true;
}

}  // namespace

Server::Server(Dice& dice, Record& record) : dice_(dice), record_(record) {
  tables_.push_back(make_table(16385, "a", true, false));
  tables_.push_back(make_table(16390, "b", true, dice.one_in(3)));
  tables_.push_back(make_table(16395, "f", false, true));
  tables_.push_back(make_table(16400, "late", true, false));
  tables_.push_back(make_table(16405, "unpublished", true, false));
  now_.resize(tables_.size());
  truths_.push_back({Lsn{0}, Xid{0}, {}, {}});
  for (const auto& rows : now_) truths_.back().tables.push_back(sorted_texts(rows));
}

std::size_t Server::table_of(TableId id) const {
  const auto found =
      std::find_if(tables_.begin(), tables_.end(), [&](const SimTable& t) { return t.shape.table == id; });
  CHECK(found != tables_.end());
  return static_cast<std::size_t>(found - tables_.begin());
}

// ---- transactions

Xid Server::next_xid() {
  const Xid xid = next_xid_;
  ++next_xid_.value;
  return xid;
}

Xid Server::begin() {
  const Xid xid = next_xid();
  Transaction& transaction = transactions_[xid];
  transaction.stack.push_back({xid, {}});
  transaction.all.push_back(xid);
  transaction.first_record = log_.size();
  open_.push_back(xid);
  return xid;
}

void Server::savepoint(Xid xid) {
  Transaction& transaction = transactions_.at(xid);
  const Xid sub = next_xid();
  transaction.stack.push_back({sub, {}});
  transaction.all.push_back(sub);
}

// A released subtransaction keeps its number; it is rolled back with the one that it is now part of.
void Server::release_savepoint(Xid xid) {
  Transaction& transaction = transactions_.at(xid);
  Sub sub = transaction.stack.back();
  transaction.stack.pop_back();
  std::vector<Xid>& children = transaction.stack.back().children;
  children.insert(children.end(), sub.children.begin(), sub.children.end());
  children.push_back(sub.xid);
}

void Server::roll_back_to_savepoint(Xid xid) {
  Transaction& transaction = transactions_.at(xid);
  const Sub sub = transaction.stack.back();
  transaction.stack.pop_back();
  std::vector<Xid> voided = sub.children;
  voided.push_back(sub.xid);
  std::size_t keep = transaction.undo.size();
  while (keep > 0 && holds(voided, transaction.undo[keep - 1].sub)) --keep;
  undo(transaction, keep);
  std::erase_if(transaction.changes, [&](const auto& change) { return holds(voided, change.first); });
  append(LogRecord::Kind::rolled_back, xid).subs = voided;
  record_.reach(Probe::savepoint_rolled_back);
}

void Server::undo(Transaction& transaction, std::size_t keep) {
  while (transaction.undo.size() > keep) {
    const Undo& step = transaction.undo.back();
    SimTable& table = tables_[step.table];
    if (step.storage != 0) {
      table.heap = step.heap;
      table.storage = step.storage;
      table.storages = step.storages;
    }
    if (step.added) table.heap.erase(std::find(table.heap.begin(), table.heap.end(), step.added));
    if (step.taken) step.taken->xmax = Xid{0};
    transaction.undo.pop_back();
  }
}

void Server::commit(Xid xid) {
  append(LogRecord::Kind::committed, xid);
  take_out(open_, xid);
  invisible_.push_back(xid);
  remember_truth(xid, transactions_.at(xid));
}

void Server::make_visible(Xid xid) {
  take_out(invisible_, xid);
  for (const Xid used : transactions_.at(xid).all) latest_completed_ = std::max(latest_completed_, used);
  transactions_.erase(xid);
}

void Server::abort(Xid xid) {
  Transaction& transaction = transactions_.at(xid);
  undo(transaction, 0);
  std::vector<Xid> subs;
  for (const Sub& sub : transaction.stack) {
    subs.insert(subs.end(), sub.children.begin(), sub.children.end());
    if (sub.xid != xid) subs.push_back(sub.xid);
  }
  append(LogRecord::Kind::aborted, xid).subs = subs;
  for (const Xid used : transaction.all) latest_completed_ = std::max(latest_completed_, used);
  take_out(open_, xid);
  transactions_.erase(xid);
}

void Server::remember_truth(Xid xid, const Transaction& transaction) {
  Truth truth{log_end_, xid, truths_.back().tables, {}};
  for (const auto& [sub, change] : transaction.changes) truth.changes.push_back(change);
  for (std::size_t table = 0; table < tables_.size(); ++table) {
    bool touched = false;
    for (const LoggedChange& change : truth.changes) {
      touched = apply(change, table, tables_[table].keyed(), now_[table]) || touched;
    }
    if (touched) truth.tables[table] = sorted_texts(now_[table]);
  }
  truths_.push_back(std::move(truth));
}

// ---- statements

LogRecord& Server::append(LogRecord::Kind kind, Xid xid) {
  log_end_.value += 8 * (1 + dice_.below(4));
  log_.push_back({});
  log_.back().kind = kind;
  log_.back().end = log_end_;
  log_.back().xid = xid;
  return log_.back();
}

void Server::log(Xid xid, LoggedChange change) {
  Transaction& transaction = transactions_.at(xid);
  const Xid sub = transaction.stack.back().xid;
  transaction.changes.emplace_back(sub, change);
  LogRecord& record = append(LogRecord::Kind::change, xid);
  record.sub = sub;
  record.change = std::move(change);
}

void Server::add_version(Xid xid, std::size_t table, const Row& row) {
  SimTable& to = tables_[table];
  if (dice_.percent(25)) to.pages = std::min(to.pages + 1, pages_max);
  Transaction& transaction = transactions_.at(xid);
  auto version = std::make_shared<Version>(Version{dice_.below(to.pages), row, xid, Xid{0}});
  to.heap.push_back(version);
  transaction.undo.push_back({transaction.stack.back().xid, table, version, nullptr, {}, 0, {}});
}

void Server::take_version(Xid xid, std::size_t table, const VersionRef& version) {
  Transaction& transaction = transactions_.at(xid);
  version->xmax = xid;
  transaction.undo.push_back({transaction.stack.back().xid, table, nullptr, version, {}, 0, {}});
}

void Server::insert(Xid xid, std::size_t table, const Row& row) {
  add_version(xid, table, row);
  LoggedChange change;
  change.kind = ChangeKind::insert;
  change.table = table;
  change.new_row = row;
  log(xid, std::move(change));
}

void Server::update(Xid xid, std::size_t table, const VersionRef& version, const Row& row) {
  LoggedChange change;
  change.kind = ChangeKind::update;
  change.table = table;
  change.old_row = version->row;
  change.new_row = row;
  change.big_unchanged = version->row.big == row.big;
  take_version(xid, table, version);
  add_version(xid, table, row);
  if (tables_[table].heap.back()->page != version->page) record_.reach(Probe::page_move);
  log(xid, std::move(change));
}

void Server::erase(Xid xid, std::size_t table, const VersionRef& version) {
  LoggedChange change;
  change.kind = ChangeKind::erase;
  change.table = table;
  change.old_row = version->row;
  take_version(xid, table, version);
  log(xid, std::move(change));
}

// A new, empty file: snapshots from before it see an empty table, as in PostgreSQL.
void Server::truncate(Xid xid, const std::vector<std::size_t>& tables) {
  Transaction& transaction = transactions_.at(xid);
  LoggedChange change;
  change.kind = ChangeKind::truncate;
  for (const std::size_t table : tables) {
    SimTable& target = tables_[table];
    transaction.undo.push_back(
        {transaction.stack.back().xid, table, nullptr, nullptr, target.heap, target.storage, target.storages});
    transaction.locks.push_back(table);
    target.heap.clear();
    target.storage = next_storage_++;
    target.storages.emplace_back(xid, target.storage);
    change.truncated.push_back(table);
  }
  record_.reach(Probe::truncate);
  log(xid, std::move(change));
}

void Server::message(Xid xid, const std::string& prefix, const std::string& content) {
  LoggedChange change;
  change.kind = ChangeKind::message;
  change.prefix = prefix;
  change.content = content;
  log(xid, std::move(change));
}

// Keeps every version but moves them to other pages of another file, and sends nothing.
void Server::vacuum_full(std::size_t table) {
  SimTable& target = tables_[table];
  target.storage = next_storage_++;
  const Xid xid = next_xid();
  latest_completed_ = std::max(latest_completed_, xid);
  target.storages.emplace_back(xid, target.storage);
  for (const VersionRef& version : target.heap) version->page = dice_.below(target.pages);
  record_.reach(Probe::vacuum_full);
}

// ---- what a session sees

bool Server::running(Xid xid) const { return transactions_.contains(xid); }

bool Server::gone(const Version& version, Xid xid) const {
  return version.xmax != Xid{0} && (version.xmax == xid || !running(version.xmax));
}

std::vector<VersionRef> Server::changeable(std::size_t table, Xid xid) const {
  std::vector<VersionRef> found;
  for (const VersionRef& version : tables_[table].heap) {
    if (version->xmin != xid && running(version->xmin)) continue;
    if (version->xmax == Xid{0}) found.push_back(version);
  }
  return found;
}

bool Server::key_is_free(std::size_t table, std::int64_t key, Xid xid) const {
  const std::vector<VersionRef>& heap = tables_[table].heap;
  return std::none_of(heap.begin(), heap.end(),
                      [&](const VersionRef& version) { return version->row.key == key && !gone(*version, xid); });
}

bool Server::locked(std::size_t table, Xid by_other_than) const {
  return std::any_of(transactions_.begin(), transactions_.end(), [&](const auto& each) {
    const std::vector<std::size_t>& locks = each.second.locks;
    return each.first != by_other_than && std::find(locks.begin(), locks.end(), table) != locks.end();
  });
}

bool Server::in_use(std::size_t table, Xid by_other_than) const {
  const auto foreign = [&](Xid xid) { return xid != by_other_than && running(xid); };
  return tables_[table].readers > 0 || locked(table, by_other_than) ||
         std::any_of(transactions_.begin(), transactions_.end(), [&](const auto& each) {
           return foreign(each.first) && std::any_of(each.second.undo.begin(), each.second.undo.end(),
                                                     [&](const Undo& step) { return step.table == table; });
         });
}

VisibleSet Server::visible_but(std::vector<Xid> in_progress, Xid latest) const {
  VisibleSet set;
  set.xmax = Xid{latest.value + 1};
  std::erase_if(in_progress, [&](Xid xid) { return xid >= set.xmax; });
  std::sort(in_progress.begin(), in_progress.end());
  set.xmin = in_progress.empty() ? set.xmax : in_progress.front();
  set.open = std::move(in_progress);
  return set;
}

VisibleSet Server::snapshot() const {
  std::vector<Xid> in_progress = open_;
  in_progress.insert(in_progress.end(), invisible_.begin(), invisible_.end());
  return visible_but(std::move(in_progress), latest_completed_);
}

bool Server::is_prefix(const VisibleSet& visible) const {
  const auto hidden = [&](const Truth& truth) { return truth.xid != Xid{0} && !visible.contains(truth.xid); };
  const auto first = std::find_if(truths_.begin(), truths_.end(), hidden);
  return std::all_of(first, truths_.end(), hidden);
}

std::uint64_t Server::storage_under(std::size_t table, const VisibleSet& visible) const {
  std::uint64_t storage = 0;
  for (const auto& [xid, each] : tables_[table].storages) {
    if (xid == Xid{0} || (!holds(open_, xid) && visible.contains(xid))) storage = each;
  }
  return storage;
}

std::vector<Row> Server::read(std::size_t table, const VisibleSet& visible, std::uint64_t first_page,
                              std::optional<std::uint64_t> end_page) const {
  const auto shown = [&](Xid xid) { return !holds(open_, xid) && visible.contains(xid); };
  std::vector<Row> rows;
  for (const VersionRef& version : tables_[table].heap) {
    if (version->page < first_page || (end_page && version->page >= *end_page)) continue;
    if (shown(version->xmin) && !(version->xmax != Xid{0} && shown(version->xmax))) rows.push_back(version->row);
  }
  return rows;
}

// ---- the log and its slot

const Truth& Server::truth_at(Lsn end) const {
  const auto after =
      std::upper_bound(truths_.begin(), truths_.end(), end, [](Lsn at, const Truth& truth) { return at < truth.end; });
  return *std::prev(after);
}

// Out of commit order a snapshot's transactions never touch the same row, so the log's order serves.
Rows Server::truth_under(const VisibleSet& visible, std::size_t table) const {
  std::vector<Row> rows;
  for (const Truth& truth : truths_) {
    if (truth.xid == Xid{0} || !visible.contains(truth.xid)) continue;
    for (const LoggedChange& change : truth.changes) apply(change, table, tables_[table].keyed(), rows);
  }
  return *sorted_texts(rows);
}

// Waits twice for everything that is open, as PostgreSQL's snapshot builder does, so that the slot decodes whole
// transactions only. What it exports shows every commit of the log, also those that ordinary snapshots do not show yet.
std::optional<VisibleSet> Server::try_create_slot() {
  CHECK(!has_slot());
  std::erase_if(slot_waits_for_, [&](Xid xid) { return !running(xid); });
  if (!slot_waits_for_.empty()) return std::nullopt;
  if (slot_phase_ < 2) {
    ++slot_phase_;
    slot_waits_for_ = open_;
    slot_waits_for_.insert(slot_waits_for_.end(), invisible_.begin(), invisible_.end());
    return std::nullopt;
  }
  slot_start_ = confirmed_ = log_end_;
  if (!invisible_.empty()) record_.reach(Probe::snapshot_lacks_slot_commits);
  return shown_by_log();
}

VisibleSet Server::shown_by_log() const {
  Xid latest = latest_completed_;
  for (const Xid xid : invisible_) {
    for (const Xid used : transactions_.at(xid).all) latest = std::max(latest, used);
  }
  return visible_but(open_, latest);
}

void Server::confirm(Lsn end) {
  if (end > log_end_) record_.broken("acknowledged what the source has not written yet");
  confirmed_ = std::max(confirmed_, end);
}

std::size_t Server::restart_at(Lsn from) const {
  std::size_t oldest = log_.size();
  for (const Xid xid : open_) oldest = std::min(oldest, transactions_.at(xid).first_record);
  std::map<Xid, std::size_t> first;
  for (std::size_t i = 0; i < log_.size(); ++i) {
    first.try_emplace(log_[i].xid, i);
    if (log_[i].kind == LogRecord::Kind::committed && log_[i].end > from) oldest = std::min(oldest, first[log_[i].xid]);
  }
  return oldest;
}

}  // namespace lockstep::sim
