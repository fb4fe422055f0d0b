#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "model/ids.hpp"
#include "model/position.hpp"
#include "model/shape.hpp"
#include "model/visible_set.hpp"

namespace lockstep::catalog {

/// How far the mirror's set-up at the source has come; each is saved before the next step is taken, so that `drop` finds
/// everything whatever happened.
enum class Phase : std::uint8_t {
  preparing,  ///< names are chosen; publication and slot may or may not exist
  ready,      ///< the slot exists and its start is known
  dropping,   ///< `drop` has begun
};

/// What lockstep remembers of one mirror, beyond what journal and destination hold themselves. No secrets.
struct Mirror {
  std::string name;
  Phase phase = Phase::preparing;
  std::string source_address;   ///< the URL without its password
  std::string source_identity;  ///< as destination::MirrorIdentity::source
  std::string destination;      ///< as typed, made absolute
  std::string slot;
  std::string publication;
  std::vector<TableId> tables;             ///< published
  std::vector<TableId> full_identities;    ///< whose replica identity lockstep set
  std::optional<Position> slot_start;      ///< the consistent point
  std::optional<VisibleSet> slot_visible;  ///< what the slot's own snapshot shows
  bool paused = false;

  bool operator==(const Mirror&) const = default;
};

/// Where mirrors are remembered. One process at a time; thread-safe. Errors: bad_data (damaged), unsupported (newer), no_space, busy.
class Catalog {
 public:
  virtual ~Catalog() = default;
  virtual Result<std::optional<Mirror>> load() = 0;
  /// Durable on return.
  virtual Status save(const Mirror& mirror) = 0;
  virtual Status forget() = 0;
};

}  // namespace lockstep::catalog
