#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "control/cli/arguments.hpp"

namespace lockstep::control {

/// Where mirrors live by default: ${XDG_STATE_HOME:-~/.local/state}/lockstep.
std::string state_home();

/// True when a mirror has been made there, and not been dropped since.
bool holds_mirror(const std::string& folder);

/// Error: bad_input for a name that cannot be a folder's.
Status check_mirror_name(const std::string& name);

/// The state folder of the mirror that is meant. Errors: bad_input when nothing was said and there is not exactly one.
Result<std::string> find_state_folder(const MirrorChoice& choice);

/// Makes the folder, for its owner only. Error: refused.
Status make_state_folder(const std::string& folder);

/// Removes what lockstep keeps in the folder, and the folder if nothing else is in it. The lock is held, and goes last.
void remove_state_folder(const std::string& folder);

/// The exclusive right to a state folder, held until destroyed; the kernel releases it whatever happens to us.
class FolderLock {
 public:
  /// Waits for it up to `wait_max`. Errors: busy, refused (no such folder, no rights).
  static Result<FolderLock> take(const std::string& folder, std::chrono::milliseconds wait_max, const Clock& clock);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  int fd_;
};

/// Waits without doing anything else, for processes that have nothing to be woken by.
void pause_for(std::chrono::milliseconds wait);

}  // namespace lockstep::control
