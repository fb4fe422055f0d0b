#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"

namespace lockstep {

/// A file that grows at its end and is read anywhere. Thread-safe against itself but for two appends at once.
class DiskFile {
 public:
  virtual ~DiskFile() = default;
  virtual Status append(Bytes bytes) = 0;
  /// Everything appended before the call survives a power cut. After an error its content is unknown beyond the last good sync.
  virtual Status sync() = 0;
  /// Reads exactly `into.size()` bytes. Error: bad_data past the end.
  virtual Status read(std::uint64_t offset, std::span<std::byte> into) const = 0;
  virtual std::uint64_t size() const = 0;
  virtual Status truncate(std::uint64_t size) = 0;
  /// Writes bytes that are there already once more, so that the next sync really saves them: after a failed sync, or a
  /// kill in the midst of one, the system may take them for saved when they are not.
  virtual Status write_again(std::uint64_t offset, Bytes bytes) = 0;
};

struct DiskSpace {
  std::uint64_t free_bytes = 0;
  std::uint64_t total_bytes = 0;
};

/// The file system as the journal sees it; tests and the simulation give their own, with torn and lost writes.
/// Errors: no_space, refused (rights), unexpected (with errno's name in `native`).
class Disk {
 public:
  virtual ~Disk() = default;
  virtual Status make_folder(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> list(const std::string& folder) = 0;  ///< names of files, sorted
  /// Opens for appending and reading; `create`: it must not exist yet.
  virtual Result<std::unique_ptr<DiskFile>> open(const std::string& path, bool create) = 0;
  virtual Status remove(const std::string& path) = 0;
  /// New and removed names in the folder survive a power cut.
  virtual Status sync_folder(const std::string& folder) = 0;
  virtual Result<DiskSpace> space(const std::string& folder) = 0;
};

/// The machine's own.
Disk& posix_disk();

}  // namespace lockstep
