#include "catalog/memory/memory.hpp"

namespace lockstep::catalog {
namespace {

class MemoryCatalog final : public Catalog {
 public:
  Result<std::optional<Mirror>> load() override { return mirror_; }
  Status save(const Mirror& mirror) override {
    mirror_ = mirror;
    return Done{};
  }
  Status forget() override {
    mirror_.reset();
    return Done{};
  }

 private:
  std::optional<Mirror> mirror_;
};

}  // namespace

std::unique_ptr<Catalog> make_memory_catalog() { return std::make_unique<MemoryCatalog>(); }

}  // namespace lockstep::catalog
