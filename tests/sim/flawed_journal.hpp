#pragma once

#include <memory>
#include <set>

#include "base/disk.hpp"
#include "flaws.hpp"
#include "journal/journal.hpp"

namespace lockstep::sim {

/// A disk that says yes to a sync and forgets to do it, until it is told to catch up.
class LyingDisk final : public Disk {
 public:
  explicit LyingDisk(Disk& inner) : inner_(inner) {}

  Status make_folder(const std::string& path) override { return inner_.make_folder(path); }
  Result<std::vector<std::string>> list(const std::string& folder) override { return inner_.list(folder); }
  Result<std::unique_ptr<DiskFile>> open(const std::string& path, bool create) override;
  Status remove(const std::string& path) override { return inner_.remove(path); }
  Status sync_folder(const std::string& folder) override { return inner_.sync_folder(folder); }
  Result<DiskSpace> space(const std::string& folder) override { return inner_.space(folder); }

  void lie(bool lying) { lying_ = lying; }
  Status catch_up();

 private:
  class File;
  Disk& inner_;
  bool lying_ = false;
  std::set<File*> open_;
};

/// Passes everything on, but for the one bug that is planted in it.
class FlawedJournal final : public journal::Journal {
 public:
  FlawedJournal(std::unique_ptr<journal::Journal> inner, Flaw flaw, std::set<Xid>& emptied)
      : inner_(std::move(inner)), flaw_(flaw), emptied_(emptied) {}

  Status begin_connection() override;
  Result<ShapeId> add_shape(const TableShape& shape) override { return inner_->add_shape(shape); }
  Status append_part(Xid xid, Xid sub, bool first, Bytes changes) override;
  Status abort(Xid xid, Xid sub) override;
  Result<std::optional<StateId>> commit(Xid xid, const Position& end, UnixMicros time) override;
  Status received_through(const Position& through) override { return inner_->received_through(through); }
  Result<journal::Durable> sync() override { return inner_->sync(); }
  journal::Durable durable() const override { return inner_->durable(); }
  bool dirty() const override { return inner_->dirty(); }
  Result<std::unique_ptr<journal::Reader>> reader(StateId after) override;
  std::shared_ptr<const TableShape> shape(ShapeId id) const override { return inner_->shape(id); }
  Result<Commit> commit_at(StateId state) override { return inner_->commit_at(state); }
  StateId first_held() const override { return inner_->first_held(); }
  Status release(StateId applied) override { return inner_->release(applied); }
  std::uint64_t bytes() const override { return inner_->bytes(); }
  bool has_room(std::string* why) const override { return inner_->has_room(why); }

 private:
  std::unique_ptr<journal::Journal> inner_;
  Flaw flaw_;
  std::set<Xid>& emptied_;  ///< outlives the journal: what an abort has emptied stays empty
  std::set<Xid> open_;
};

}  // namespace lockstep::sim
