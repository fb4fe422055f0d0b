#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "catalog/catalog.hpp"
#include "destination/destination.hpp"
#include "source/source.hpp"

namespace lockstep::runtime {

/// Which tables of the source, and how. Patterns as the user typed them.
struct Selection {
  std::vector<std::string> tables;  ///< empty: all
  std::vector<std::string> exclude;
  bool leave_keyless_out = false;
};

struct DestinationOptions {
  std::uint64_t memory_bytes_max = 0;  ///< 0: the destination's own default
  unsigned threads_max = 0;            ///< 0: as many as the machine has processors
};

/// A destination and, where it has the capability, the same object as one that can be asked.
struct OpenDestination {
  std::unique_ptr<destination::Destination> writer;
  destination::ServesQueries* queries = nullptr;
};

/// What can be said of a source's address without connecting.
struct SourceSummary {
  std::string printable;  ///< without secrets
  std::string database;   ///< the mirror's default name
};

/// How concrete adapters are made; main.cpp fills it in. None of these connects yet, but for `open_to_read`.
struct Adapters {
  /// Errors: bad_input for a scheme that is not known, refused for a password's file.
  std::function<Result<SourceSummary>(const std::string& url)> summarize_source;
  /// Names of what a mirror makes at this kind of source; without tables.
  std::function<source::Setup(const source::Identity& source, const std::string& mirror)> plan_setup;
  /// `url` with its password. Error: bad_input for a scheme or option that is not known.
  std::function<Result<source::Source>(const std::string& url, const Selection& selection)> make_source;
  /// Error: bad_input for a scheme that is not known.
  std::function<Result<OpenDestination>(const std::string& address, const DestinationOptions& options)>
      make_destination;
  /// Opens a destination for queries only, while no process writes it. Errors: busy, refused (there is none).
  std::function<Result<std::unique_ptr<destination::ServesQueries>>(const std::string& address)> open_to_read;
  /// The address with what it leaves out filled in for this mirror, and its path made absolute. Error: bad_input.
  std::function<Result<std::string>(const std::string& typed, const std::string& mirror)> complete_destination;
  /// Opens the catalog in a state folder.
  std::function<Result<std::unique_ptr<catalog::Catalog>>(const std::string& folder)> open_catalog;
};

/// What every part may use.
struct Surroundings {
  Log& log;
  const Clock& clock;
};

}  // namespace lockstep::runtime
