#pragma once

#include <optional>
#include <string>

#include "runtime/adapters.hpp"
#include "runtime/status.hpp"

// What can be done with a mirror whose process does not run. The caller holds the lock of its state folder.
namespace lockstep::runtime {

/// Everything that a stopped mirror's own files and its destination tell. Error: bad_input when there is no mirror.
Result<MirrorStatus> status_at_rest(const std::string& state_folder, const Adapters& adapters);

/// Asks the destination, opened for reading only.
Result<destination::Answer> query_at_rest(const std::string& state_folder, const Adapters& adapters,
                                          const std::string& sql);

/// Takes the mirror away: slot, publication and identities at the source, lockstep's own tables at the destination,
/// catalog and journal here. May be repeated after an error. `source_url`: with its password; nothing: as remembered.
Status drop_at_rest(const std::string& state_folder, const Adapters& adapters,
                    const std::optional<std::string>& source_url, Surroundings around);

/// Takes away what a mirror of this name has made at the source, when nothing here remembers it any more. Replica identities
/// that it set stay: nobody knows which. May be repeated.
Status drop_unremembered(const std::string& mirror, const Adapters& adapters, const std::string& source_url,
                         Surroundings around);

}  // namespace lockstep::runtime
