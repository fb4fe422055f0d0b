#include "control/cli/state_folder.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/state_files.hpp"

namespace lockstep::control {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> known_mirrors() {
  std::vector<std::string> names;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(state_home(), failed)) {
    if (holds_mirror(entry.path().string())) names.push_back(entry.path().filename().string());
  }
  return names;
}

/// True when the path still names the file that is open: a drop may have removed it while we waited for its lock.
bool is_same_file(int fd, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

std::string state_home() {
  const std::string xdg = environment("XDG_STATE_HOME");
  return (xdg.empty() ? environment("HOME") + "/.local/state" : xdg) + "/lockstep";
}

bool holds_mirror(const std::string& folder) {
  std::error_code failed;
  return fs::exists(runtime::catalog_file(folder), failed);
}

Status check_mirror_name(const std::string& name) {
  constexpr const char* letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  constexpr std::size_t name_bytes_max = 63;
  if (!name.empty() && name.size() <= name_bytes_max && name.front() != '.' && name.front() != '-' &&
      name.find_first_not_of(letters) == std::string::npos) {
    return Done{};
  }
  return Error{ErrorKind::bad_input, "'" + name + "' is no name for a mirror",
               "give one with --mirror: letters, digits, '_', '-' and '.', at most 63"};
}

Result<std::string> find_state_folder(const MirrorChoice& choice) {
  if (!choice.state_folder.empty()) return fs::absolute(choice.state_folder).string();
  if (!choice.name.empty()) {
    TRY_DO(check_mirror_name(choice.name));
    return state_home() + "/" + choice.name;
  }
  const std::vector<std::string> names = known_mirrors();
  if (names.size() == 1) return state_home() + "/" + names.front();
  if (names.empty()) {
    return Error{ErrorKind::unreachable, "there is no mirror in " + state_home(),
                 "say which one with --mirror or --state"};
  }
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return Error{ErrorKind::bad_input, "there are several mirrors: " + list, "say which one with --mirror"};
}

Status make_state_folder(const std::string& folder) {
  std::error_code failed;
  fs::create_directories(fs::path(folder).parent_path(), failed);
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error{ErrorKind::refused, "state folder " + folder + ": " + std::strerror(errno),
                 "choose another one with --state"};
  }
  return Done{};
}

void remove_state_folder(const std::string& folder) {
  std::error_code ignored;  // what cannot be removed stays, and the next run finds it harmless
  const std::string catalog = runtime::catalog_file(folder);
  for (const std::string& path :
       {folder + "/control.sock", catalog, catalog + "-journal", runtime::journal_folder(folder), folder + "/lock"}) {
    fs::remove_all(path, ignored);
  }
  fs::remove(folder, ignored);
}

Result<FolderLock> FolderLock::take(const std::string& folder, std::chrono::milliseconds wait_max, const Clock& clock) {
  constexpr std::chrono::milliseconds look_every{20};
  const std::string path = folder + "/lock";
  const auto due = clock.monotonic() + wait_max;
  while (true) {
    FolderLock lock(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (lock.fd_ < 0) return Error{ErrorKind::refused, path + ": " + std::strerror(errno)};
    const bool taken = ::flock(lock.fd_, LOCK_EX | LOCK_NB) == 0;
    if (taken && is_same_file(lock.fd_, path)) return lock;
    if (!taken && clock.monotonic() >= due) {
      return Error{ErrorKind::busy, "the mirror in " + folder + " is in use by another process",
                   "`lockstep status` tells about it, `lockstep stop` ends it"};
    }
    if (!taken) pause_for(look_every);
  }
}

FolderLock::FolderLock(FolderLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

FolderLock::~FolderLock() {
  if (fd_ >= 0) ::close(fd_);
}

void pause_for(std::chrono::milliseconds wait) { ::poll(nullptr, 0, static_cast<int>(wait.count())); }

}  // namespace lockstep::control
