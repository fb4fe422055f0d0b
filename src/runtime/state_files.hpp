#pragma once

#include <memory>
#include <string>

#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "journal/journal.hpp"

// What the runtime keeps in a mirror's state folder. The control room adds its socket and its lock.
namespace lockstep::runtime {

std::string catalog_file(const std::string& state_folder);

std::string journal_folder(const std::string& state_folder);
/// Opens or makes the journal of this mirror there. Errors as those of journal::open.
Result<std::unique_ptr<journal::Journal>> open_journal(const std::string& state_folder, const catalog::Mirror& mirror,
                                                       const journal::Options& options);
/// Nothing to remove is fine. Error: refused.
Status remove_journal(const std::string& state_folder);

}  // namespace lockstep::runtime
