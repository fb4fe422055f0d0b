#include "runtime/state_files.hpp"

#include <filesystem>
#include <system_error>

namespace lockstep::runtime {

std::string catalog_file(const std::string& state_folder) { return state_folder + "/catalog.sqlite"; }

std::string journal_folder(const std::string& state_folder) { return state_folder + "/journal"; }

Result<std::unique_ptr<journal::Journal>> open_journal(const std::string& state_folder, const catalog::Mirror& mirror,
                                                       const journal::Options& options) {
  return journal::open(posix_disk(), journal_folder(state_folder), {mirror.name, mirror.source_identity, mirror.slot},
                       options);
}

Status remove_journal(const std::string& state_folder) {
  std::error_code failed;
  std::filesystem::remove_all(journal_folder(state_folder), failed);
  if (failed) return Error{ErrorKind::refused, "the journal's folder cannot be removed: " + failed.message()};
  return Done{};
}

}  // namespace lockstep::runtime
