#include "catalog/memory/memory.hpp"

#include "catalog/contract_test.hpp"

namespace lockstep::catalog {
namespace {

TEST(MemoryCatalog, KeepsTheContract) {
  const auto catalog = make_memory_catalog();
  contract::keeps_the_whole_contract(*catalog);
}

}  // namespace
}  // namespace lockstep::catalog
