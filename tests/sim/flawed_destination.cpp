#include "flawed_destination.hpp"

#include <algorithm>

namespace lockstep::sim {
namespace {

Error between_the_two() { return {ErrorKind::unreachable, "the engine was asked to fail between two commits"}; }

class FlawedStep final : public destination::Step {
 public:
  FlawedStep(destination::Destination& owner, std::unique_ptr<destination::Step> inner,
             std::optional<destination::Shown> before, Flaw flaw, Dice& dice)
      : owner_(owner), inner_(std::move(inner)), before_(std::move(before)), flaw_(flaw), dice_(dice) {}

  Status write(const destination::TableBatch& batch) override {
    return flaw_ == Flaw::fold_forgets_key_change ? inner_->write(without_moves(batch)) : inner_->write(batch);
  }
  Status write_hidden(const destination::TableBatch& batch) override {
    return flaw_ == Flaw::fold_forgets_key_change ? inner_->write_hidden(without_moves(batch))
                                                  : inner_->write_hidden(batch);
  }
  Status publish(TableId hidden) override {
    if (flaw_ == Flaw::published_one_by_one && published_++ > 0) return Done{};  // the others come in the next step
    return inner_->publish(hidden);
  }
  Status advance_hidden(TableId hidden, StateId applied) override { return inner_->advance_hidden(hidden, applied); }
  Status note(std::span<const destination::TableNote> notes) override { return inner_->note(notes); }
  Status commit(const destination::Shown& now) override {
    if (flaw_ != Flaw::position_outside_transaction || !before_) return inner_->commit(now);
    TRY_DO(inner_->commit(*before_));
    inner_.reset();
    if (dice_.one_in(10)) return between_the_two();
    TRY(second, owner_.begin(before_));
    return second->commit(now);
  }
  Status commit_unshown() override { return inner_->commit_unshown(); }

 private:
  // A row that moved to another key is read from its old one, which is then not taken away.
  static destination::TableBatch without_moves(const destination::TableBatch& batch) {
    destination::TableBatch forgetful = batch;
    std::erase_if(forgetful.erases, [&](const destination::FoldedErase& erase) {
      return std::any_of(batch.layers.begin(), batch.layers.end(), [&](const destination::Layers& layers) {
        return !layers.base.empty() && equal(layers.base, erase.row);
      });
    });
    return forgetful;
  }

  destination::Destination& owner_;
  std::unique_ptr<destination::Step> inner_;
  std::optional<destination::Shown> before_;
  Flaw flaw_;
  Dice& dice_;
  int published_ = 0;
};

}  // namespace

Result<destination::Contents> FlawedDestination::contents() {
  TRY(found, inner_.contents());
  if (flaw_ == Flaw::publish_before_snapshot) {
    for (destination::CopyLedger& ledger : found.copies) ledger.mark.clear();
  }
  return found;
}

Result<destination::CopyCounts> FlawedDestination::copy_into(TableId hidden, const std::string& snapshot,
                                                             std::span<const std::uint32_t> done,
                                                             std::span<const std::unique_ptr<RowStream>> streams) {
  if (flaw_ != Flaw::range_ledger_apart) return inner_.copy_into(hidden, snapshot, done, streams);
  TRY(counts, inner_.copy_into(hidden, snapshot, {}, streams));
  if (dice_.one_in(4)) return between_the_two();
  TRY(none, inner_.copy_into(hidden, snapshot, done, {}));
  static_cast<void>(none);
  return counts;
}

Result<std::unique_ptr<destination::Step>> FlawedDestination::begin(const std::optional<destination::Shown>& expected) {
  TRY(step, inner_.begin(expected));
  return std::unique_ptr<destination::Step>(
      std::make_unique<FlawedStep>(inner_, std::move(step), expected, flaw_, dice_));
}

}  // namespace lockstep::sim
