// The machine's file system. Every call retries what a signal interrupted or the kernel did only in part.
// The names of errno go into Error::native; people get a sentence.

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/disk.hpp"

namespace lockstep {
namespace {

ErrorKind kind_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT: return ErrorKind::no_space;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::refused;
    default: return ErrorKind::unexpected;
  }
}

const char* remedy_of(ErrorKind kind) {
  if (kind == ErrorKind::no_space) return "free some space on that disk";
  if (kind == ErrorKind::refused) return "give lockstep the right to write there";
  return "";
}

Error error_of(int error, const char* verb, const std::string& path) {
  const ErrorKind kind = kind_of(error);
  Error result{kind, std::string("cannot ") + verb + " " + path + ": " + std::strerror(error), remedy_of(kind)};
  const char* name = ::strerrorname_np(error);
  result.native = name == nullptr ? std::to_string(error) : name;
  return result;
}

/// The call again for as long as a signal interrupts it.
template <class Call>
auto uninterrupted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class PosixFile final : public DiskFile {
 public:
  PosixFile(int handle, std::string path) : handle_(handle), path_(std::move(path)) {}
  ~PosixFile() override { ::close(handle_); }
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  Status append(Bytes bytes) override { return write(size(), bytes); }

  Status write_again(std::uint64_t offset, Bytes bytes) override {
    CHECK(offset + bytes.size() <= size());
    return write(offset, bytes);
  }

  Status sync() override {
    // After a failed sync Linux marks the pages clean: the next fsync would say yes to what never reached the disk.
    if (poisoned_) return Error{ErrorKind::unexpected, "an earlier sync of " + path_ + " failed"};
    if (uninterrupted([&] { return ::fdatasync(handle_); }) == 0) return Done{};
    poisoned_ = true;
    return error_of(errno, "sync", path_);
  }

  Status read(std::uint64_t offset, std::span<std::byte> into) const override {
    while (!into.empty()) {
      const ssize_t got =
          uninterrupted([&] { return ::pread(handle_, into.data(), into.size(), static_cast<off_t>(offset)); });
      if (got < 0) return error_of(errno, "read", path_);
      if (got == 0) return Error{ErrorKind::bad_data, path_ + " ends too early"};
      into = into.subspan(static_cast<std::size_t>(got));
      offset += static_cast<std::uint64_t>(got);
    }
    return Done{};
  }

  std::uint64_t size() const override {
    struct stat about {};
    CHECK(::fstat(handle_, &about) == 0);
    return static_cast<std::uint64_t>(about.st_size);
  }

  Status truncate(std::uint64_t size) override {
    if (uninterrupted([&] { return ::ftruncate(handle_, static_cast<off_t>(size)); }) == 0) return Done{};
    return error_of(errno, "shorten", path_);
  }

 private:
  Status write(std::uint64_t offset, Bytes bytes) {
    while (!bytes.empty()) {
      const ssize_t written =
          uninterrupted([&] { return ::pwrite(handle_, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
      if (written < 0) return error_of(errno, "write to", path_);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
      offset += static_cast<std::uint64_t>(written);
    }
    return Done{};
  }

  int handle_;
  std::string path_;
  std::atomic<bool> poisoned_{false};
};

class PosixDisk final : public Disk {
 public:
  /// Only for this user: what lies here are rows of somebody's database.
  Status make_folder(const std::string& path) override {
    std::error_code failed;
    const std::filesystem::path parent = std::filesystem::path(path).parent_path();
    if (!parent.empty()) std::filesystem::create_directories(parent, failed);
    if (failed) return error_of(failed.value(), "make folder", parent.string());
    if (::mkdir(path.c_str(), 0700) == 0) return Done{};
    if (errno == EEXIST && std::filesystem::is_directory(path, failed)) return Done{};
    return error_of(errno, "make folder", path);
  }

  Result<std::vector<std::string>> list(const std::string& folder) override {
    std::error_code failed;
    std::vector<std::string> names;
    std::filesystem::directory_iterator at(folder, failed);
    while (!failed && at != std::filesystem::directory_iterator()) {
      if (at->is_regular_file(failed) && !failed) names.push_back(at->path().filename().string());
      if (!failed) at.increment(failed);
    }
    if (failed) return error_of(failed.value(), "list", folder);
    std::sort(names.begin(), names.end());
    return names;
  }

  Result<std::unique_ptr<DiskFile>> open(const std::string& path, bool create) override {
    const int flags = O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_EXCL : 0);
    const int handle = uninterrupted([&] { return ::open(path.c_str(), flags, 0600); });
    if (handle < 0) return error_of(errno, create ? "create" : "open", path);
    return std::unique_ptr<DiskFile>(std::make_unique<PosixFile>(handle, path));
  }

  Status remove(const std::string& path) override {
    if (::unlink(path.c_str()) == 0) return Done{};
    return error_of(errno, "remove", path);
  }

  Status sync_folder(const std::string& folder) override {
    const int handle = uninterrupted([&] { return ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
    if (handle < 0) return error_of(errno, "open", folder);
    const int synced = uninterrupted([&] { return ::fsync(handle); });
    const int error = errno;
    ::close(handle);
    // Some file systems cannot sync a folder and need not; they say EINVAL or EBADF.
    if (synced == 0 || error == EINVAL || error == EBADF) return Done{};
    return error_of(error, "sync folder", folder);
  }

  Result<DiskSpace> space(const std::string& folder) override {
    struct statvfs about {};
    if (uninterrupted([&] { return ::statvfs(folder.c_str(), &about); }) != 0) {
      return error_of(errno, "ask for the free space of", folder);
    }
    return DiskSpace{std::uint64_t{about.f_bavail} * about.f_frsize, std::uint64_t{about.f_blocks} * about.f_frsize};
  }
};

}  // namespace

Disk& posix_disk() {
  static PosixDisk disk;
  return disk;
}

}  // namespace lockstep
