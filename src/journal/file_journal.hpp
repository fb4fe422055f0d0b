#pragma once

#include <memory>
#include <mutex>  // tidy: allow threads (journal.hpp lets apply read while the receiver writes)
#include <optional>
#include <unordered_map>

#include "journal/frames.hpp"
#include "journal/recovery.hpp"
#include "journal/shape_book.hpp"

namespace lockstep::journal {

/// A transaction that is open at the source: where its parts lie. Its contents are on the disk only.
struct Spool {
  std::uint32_t number = 0;
  std::uint64_t bytes = 0;
  std::vector<PartsIn> frames;
  std::vector<XidRange> aborted;
};

/// The journal in the files of one folder. Locks: `sync_mutex_` or `trim_mutex_`, then `shared_->mutex`.
class FileJournal final : public Journal {
 public:
  FileJournal(Disk& disk, const std::string& folder, Owner owner, const Options& options, Recovered found);

  Status begin_connection() override;
  Result<ShapeId> add_shape(const TableShape& shape) override;
  Status append_part(Xid xid, Xid sub, bool first, Bytes changes) override;
  Status abort(Xid xid, Xid sub) override;
  Result<std::optional<StateId>> commit(Xid xid, const Position& end, UnixMicros time) override;
  Status received_through(const Position& through) override;

  Result<Durable> sync() override;
  Durable durable() const override;
  bool dirty() const override;

  Result<std::unique_ptr<Reader>> reader(StateId after) override;
  std::shared_ptr<const TableShape> shape(ShapeId id) const override;
  Result<Commit> commit_at(StateId state) override;
  StateId first_held() const override;

  Status release(StateId applied) override;
  std::uint64_t bytes() const override;
  bool has_room(std::string* why) const override;

 private:
  /// A write to the disk that is still to come.
  struct Pending {
    std::vector<std::byte> bytes;  // room for the header, then records; empty: nothing pending
    FrameHeader header;
  };
  /// What a sync in progress will have made durable.
  struct Flushed {
    std::shared_ptr<DiskFile> file;
    std::uint32_t segment = 0;
    std::uint32_t size = 0;
    Durable durable;
  };

  // All of these are called with shared_->mutex held.
  Status usable() const;
  Status or_broken(Status status);
  Status begin_frame();
  Status end_record();
  Status flush();
  Status write_pending();
  Status roll();
  void publish(const Flushed& flushed);
  Status write_shape(ShapeBook::Known& known);
  Status write_used_shapes(Bytes changes);
  Spool& spool_of_first(Xid xid);
  void note_part(Spool& spool, std::size_t record_at, std::size_t bytes);
  void note_commit(const CommitRecord& record);
  bool has_pending() const { return !pending_.bytes.empty(); }
  Place pending_place() const { return {number_, size_}; }
  Durable written() const { return {last_.has_value() ? last_->state : StateId{}, through_}; }
  bool is_dirty() const { return has_pending() || through_unwritten_ || synced_ < size_; }
  bool front_is_free() const;

  const std::shared_ptr<Shared> shared_;
  const Owner owner_;
  const Options options_;

  std::mutex sync_mutex_;         // one sync at a time
  std::mutex trim_mutex_;         // one release at a time
  bool folder_unsynced_ = false;  // guarded by trim_mutex_

  // Guarded by shared_->mutex.
  std::optional<Error> broken_;
  std::shared_ptr<DiskFile> file_;
  std::uint32_t number_ = 0;
  std::uint32_t size_ = 0;
  std::uint32_t synced_ = 0;
  Pending pending_;
  std::optional<Commit> last_;
  std::optional<Position> through_;
  bool through_unwritten_ = false;
  ShapeBook shapes_;
  std::unordered_map<Xid, Spool> spools_;
  std::uint32_t next_spool_ = 1;
  StateId applied_;
};

}  // namespace lockstep::journal
