#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/disk.hpp"

namespace lockstep::test {

/// A file system in memory that loses what a real one may lose. Thread-safe.
///
/// What survives `crash`: everything synced. Of the rest each file keeps all, nothing, a piece from its start, a piece
/// with garbage behind it, or pieces with holes of zeros (pages reach a disk in any order). Names that were made or
/// removed since the last sync_folder are there or not. After a sync that failed the bytes in question can be read
/// until the crash, and a later sync says yes to them and yet does not save them, as Linux does, unless they are
/// written again.
class MemoryDisk final : public Disk {
 public:
  Status make_folder(const std::string& path) override;
  Result<std::vector<std::string>> list(const std::string& folder) override;
  Result<std::unique_ptr<DiskFile>> open(const std::string& path, bool create) override;
  Status remove(const std::string& path) override;
  Status sync_folder(const std::string& folder) override;
  Result<DiskSpace> space(const std::string& folder) override;

  /// The power goes. Handles that were open before see a disk that nobody else sees.
  void crash(std::mt19937_64& chance);

  /// The n-th call from now on (first: 1) fails once, reads and questions too; an append does a part of its work first.
  /// 0: none.
  void fail_call(std::uint64_t nth, ErrorKind kind = ErrorKind::unexpected);
  /// From the n-th call on (first: 1) every call fails, the first one in its midst, until `crash`: the power is off.
  void stop_at_call(std::uint64_t nth);
  std::uint64_t calls() const;  ///< since the disk was made

  /// All files together may not hold more than this; then appends give no_space, after a part of their work.
  void limit_bytes(std::uint64_t bytes_max);
  /// What `space` says, when it shall not follow from the limit.
  void set_space(std::optional<DiskSpace> space);

  // For tests that damage files or look at them.
  std::vector<std::byte> content(const std::string& path) const;
  void set_content(const std::string& path, std::vector<std::byte> content);
  void flip_bit(const std::string& path, std::uint64_t offset);
  std::vector<std::string> paths() const;

 private:
  friend class MemoryFile;

  struct Hole {
    std::size_t begin = 0, end = 0;
    bool written_again = false;  // the next sync saves it
  };
  struct File {
    std::vector<std::byte> content;
    std::size_t synced = 0;                        // bytes of `content` that survive
    std::optional<std::vector<std::byte>> before;  // what survives if a truncate below `synced` does not
    std::vector<Hole> lost;                        // bytes that a failed sync has forgotten
  };
  using Names = std::map<std::string, std::shared_ptr<File>>;

  Status pass(const char* what);
  Status append_to(File& file, Bytes bytes);
  Status sync(File& file);
  static Status write_again(File& file, std::size_t begin, Bytes bytes);
  static Status truncate(File& file, std::uint64_t size);
  std::uint64_t used() const;
  static std::shared_ptr<File> survivor(const File& file, std::mt19937_64& chance);
  static void tear(File& kept, Bytes unsynced, std::mt19937_64& chance);

  mutable std::mutex mutex_;  // guards all below
  Names names_;
  Names synced_names_;
  std::uint64_t calls_ = 0;
  std::uint64_t fail_at_ = 0;  // 0: never
  bool stop_ = false;          // at fail_at_ and for good
  ErrorKind fail_kind_ = ErrorKind::unexpected;
  std::uint64_t bytes_max_ = std::uint64_t{1} << 40;
  std::optional<DiskSpace> space_;
};

}  // namespace lockstep::test
