#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "catalog/catalog.hpp"

namespace lockstep::catalog {

/// Opens or creates the catalog in the file `path` (docs/format/catalog.md). Waits up to `busy_wait_max` for another process.
/// Errors as Catalog's; the remedy says what to do about a damaged file.
Result<std::unique_ptr<Catalog>> open_sqlite(const std::string& path,
                                             std::chrono::milliseconds busy_wait_max = std::chrono::seconds{5});

}  // namespace lockstep::catalog
