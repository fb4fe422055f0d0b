#pragma once

#include <memory>

#include "catalog/catalog.hpp"

namespace lockstep::catalog {

/// A catalog that forgets everything with the process; for tests.
std::unique_ptr<Catalog> make_memory_catalog();

}  // namespace lockstep::catalog
