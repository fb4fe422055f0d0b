#include "flawed_journal.hpp"

namespace lockstep::sim {

class LyingDisk::File final : public DiskFile {
 public:
  File(LyingDisk& disk, std::unique_ptr<DiskFile> inner) : disk_(disk), inner_(std::move(inner)) {
    disk_.open_.insert(this);
  }
  ~File() override { disk_.open_.erase(this); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Status append(Bytes bytes) override { return inner_->append(bytes); }
  Status sync() override { return disk_.lying_ ? Status(Done{}) : inner_->sync(); }
  Status read(std::uint64_t offset, std::span<std::byte> into) const override { return inner_->read(offset, into); }
  std::uint64_t size() const override { return inner_->size(); }
  Status truncate(std::uint64_t size) override { return inner_->truncate(size); }
  Status write_again(std::uint64_t offset, Bytes bytes) override { return inner_->write_again(offset, bytes); }
  Status really_sync() { return inner_->sync(); }

 private:
  LyingDisk& disk_;
  std::unique_ptr<DiskFile> inner_;
};

Result<std::unique_ptr<DiskFile>> LyingDisk::open(const std::string& path, bool create) {
  TRY(file, inner_.open(path, create));
  return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(file)));
}

Status LyingDisk::catch_up() {
  for (File* file : open_) TRY_DO(file->really_sync());
  return Done{};
}

namespace {

// Finds nothing in transactions that were emptied.
class FlawedReader final : public journal::Reader {
 public:
  FlawedReader(std::unique_ptr<journal::Reader> inner, const std::set<Xid>& emptied)
      : inner_(std::move(inner)), emptied_(emptied) {}

  Result<std::optional<Commit>> next() override {
    TRY(commit, inner_->next());
    empty_ = commit && emptied_.contains(commit->xid);
    return commit;
  }
  Result<std::optional<Block>> next_part() override {
    if (empty_) return std::optional<Block>{};
    return inner_->next_part();
  }

 private:
  std::unique_ptr<journal::Reader> inner_;
  const std::set<Xid>& emptied_;
  bool empty_ = false;
};

}  // namespace

Status FlawedJournal::begin_connection() {
  return flaw_ == Flaw::chunks_survive_reconnect ? Status(Done{}) : inner_->begin_connection();
}

Status FlawedJournal::append_part(Xid xid, Xid sub, bool first, Bytes changes) {
  if (flaw_ == Flaw::chunks_survive_reconnect) first = open_.insert(xid).second;
  return inner_->append_part(xid, sub, first, changes);
}

Status FlawedJournal::abort(Xid xid, Xid sub) {
  if (flaw_ == Flaw::abort_hits_committed && sub == xid) emptied_.insert(xid);
  if (sub == xid) open_.erase(xid);
  return inner_->abort(xid, sub);
}

Result<std::optional<StateId>> FlawedJournal::commit(Xid xid, const Position& end, UnixMicros time) {
  open_.erase(xid);
  return inner_->commit(xid, end, time);
}

Result<std::unique_ptr<journal::Reader>> FlawedJournal::reader(StateId after) {
  TRY(inner, inner_->reader(after));
  if (flaw_ != Flaw::abort_hits_committed) return inner;
  return std::unique_ptr<journal::Reader>(std::make_unique<FlawedReader>(std::move(inner), emptied_));
}

}  // namespace lockstep::sim
