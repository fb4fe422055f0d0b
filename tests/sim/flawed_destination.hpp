#pragma once

#include "destination/destination.hpp"
#include "flaws.hpp"
#include "world/dice.hpp"

namespace lockstep::sim {

/// Passes everything on, but for the one bug that is planted in it.
class FlawedDestination final : public destination::Destination {
 public:
  FlawedDestination(destination::Destination& inner, Flaw flaw, Dice& dice) : inner_(inner), flaw_(flaw), dice_(dice) {}

  Status open(const destination::MirrorIdentity& identity) override { return inner_.open(identity); }
  Result<destination::Contents> contents() override;
  Status create_hidden(const destination::CopyLedger& ledger) override { return inner_.create_hidden(ledger); }
  Result<destination::CopyCounts> copy_into(TableId hidden, const std::string& snapshot,
                                            std::span<const std::uint32_t> done,
                                            std::span<const std::unique_ptr<RowStream>> streams) override;
  Status drop_hidden(TableId hidden) override { return inner_.drop_hidden(hidden); }
  Result<std::unique_ptr<destination::Step>> begin(const std::optional<destination::Shown>& expected) override;
  Status drop_live(const TableName& table) override { return inner_.drop_live(table); }
  Status tidy_up() override { return inner_.tidy_up(); }
  Status forget() override { return inner_.forget(); }
  void close() override { inner_.close(); }

 private:
  destination::Destination& inner_;
  Flaw flaw_;
  Dice& dice_;
};

}  // namespace lockstep::sim
