#pragma once

#include <mutex>
#include <optional>

#include "catalog/catalog.hpp"

namespace lockstep::runtime {

/// The mirror's record in the catalog, changed by several threads. Thread-safe.
class Record {
 public:
  explicit Record(catalog::Catalog& catalog) : catalog_(catalog) {}

  Status load() {
    const std::lock_guard lock(mutex_);
    TRY(loaded, catalog_.load());
    mirror_ = std::move(loaded);
    return Done{};
  }
  std::optional<catalog::Mirror> get() const {
    const std::lock_guard lock(mutex_);
    return mirror_;
  }
  Status set(catalog::Mirror mirror) {
    const std::lock_guard lock(mutex_);
    TRY_DO(catalog_.save(mirror));
    mirror_ = std::move(mirror);
    return Done{};
  }
  /// Changes it in place, if there is one.
  template <class Change>
  Status change(Change change) {
    const std::lock_guard lock(mutex_);
    if (!mirror_) return Done{};
    catalog::Mirror changed = *mirror_;
    change(changed);
    TRY_DO(catalog_.save(changed));
    mirror_ = std::move(changed);
    return Done{};
  }
  Status forget() {
    const std::lock_guard lock(mutex_);
    TRY_DO(catalog_.forget());
    mirror_.reset();
    return Done{};
  }

 private:
  catalog::Catalog& catalog_;  // guarded by mutex_
  mutable std::mutex mutex_;
  std::optional<catalog::Mirror> mirror_;  // guarded by mutex_
};

}  // namespace lockstep::runtime
