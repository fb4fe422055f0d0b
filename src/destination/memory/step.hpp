#pragma once

#include <set>

#include "destination/memory/memory_destination.hpp"

namespace lockstep::destination {

/// Works on a copy of everything, which `commit` puts in place.
class MemoryStep : public Step {
 public:
  explicit MemoryStep(MemoryDestination& owner);
  ~MemoryStep() override;

  Status write(const TableBatch& batch) override;
  Status write_hidden(const TableBatch& batch) override;
  Status publish(TableId hidden) override;
  Status advance_hidden(TableId hidden, StateId applied) override;
  Status note(std::span<const TableNote> notes) override;
  Status commit(const Shown& now) override;
  Status commit_unshown() override;

 private:
  Status usable() const;
  Result<MemoryDestination::Hidden*> complete_hidden(TableId hidden);
  Status put_in_place();

  MemoryDestination& owner_;
  MemoryDestination::State work_;
  std::set<TableId> touched_hidden_;  // `copy_into` may change the others meanwhile
  std::uint64_t life_;
  bool failed_ = false;  // after an error there is nothing to commit
  bool wrote_live_ = false;
};

}  // namespace lockstep::destination
