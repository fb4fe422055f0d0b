#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "journal/journal.hpp"
#include "runtime/adapters.hpp"

namespace lockstep::runtime {

/// One mirror, as `run` was asked for it.
struct MirrorOptions {
  std::string mirror;
  std::string source_url;        ///< may hold a password; never logged or stored
  std::string source_printable;  ///< the same without it
  std::string destination;       ///< address, its path absolute
  std::string state_folder;      ///< exists, and its lock is ours
  Selection selection;
  DestinationOptions destination_options;
  std::size_t copy_workers = 4;
  bool until_caught_up = false;
  journal::Options journal;
  std::uint64_t batch_bytes_max = 64ull << 20;  ///< of changes held in memory; a larger transaction goes in chunks
};

/// How a mirror ended.
struct Outcome {
  std::optional<Error> error;    ///< nothing: it was asked to stop, or it was done
  std::vector<Error> obstacles;  ///< the assessment's blocking findings; then nothing was touched
};

}  // namespace lockstep::runtime
