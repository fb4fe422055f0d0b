#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "destination/destination.hpp"
#include "destination/memory/table.hpp"

namespace lockstep::destination {

class MemoryStep;

/// A destination in memory, for tests and the simulation. What was committed outlives `crash` and `close`, as a file
/// would. One thread.
class MemoryDestination : public Destination {
 public:
  enum class Moment : std::uint8_t { before, after };
  /// Asked around each call, by the method's name. An Error at `before`: the call fails and has no effect; at `after`:
  /// it took effect and its answer is lost.
  using Hook = std::function<Status(std::string_view call, Moment moment)>;

  Status open(const MirrorIdentity& identity) override;
  Result<Contents> contents() override;
  Status create_hidden(const CopyLedger& ledger) override;
  Result<CopyCounts> copy_into(TableId hidden, const std::string& snapshot, std::span<const std::uint32_t> done,
                               std::span<const std::unique_ptr<RowStream>> streams) override;
  Status drop_hidden(TableId hidden) override;
  Result<std::unique_ptr<Step>> begin(const std::optional<Shown>& expected) override;
  Status drop_live(const TableName& table) override;
  Status tidy_up() override;
  Status forget() override;
  void close() override;

  void set_hook(Hook hook) { hook_ = std::move(hook); }
  /// As kill -9: open steps are lost, what was committed stays. `open` must come next.
  void crash();

  // What a reader of the copy sees.
  /// Value texts; keyed tables in the order of their keys, keyless ones as they were written. Nothing: no such table.
  std::optional<std::vector<MemoryRow>> rows(const TableName& table) const;
  std::vector<TableName> table_names() const;
  const std::optional<Shown>& shown() const { return durable_.shown; }
  const std::map<TableName, TableNote>& notes() const { return durable_.notes; }
  /// Rows of a hidden table, for checks of a copy under way.
  std::optional<std::vector<MemoryRow>> hidden_rows(TableId table) const;

 private:
  friend class MemoryStep;

  struct Live {
    LiveTable about;
    std::shared_ptr<const MemoryTable> table;
  };
  struct Hidden {
    CopyLedger ledger;
    std::shared_ptr<const MemoryTable> table;
  };
  /// Tables are shared and never changed in place, so that copying all of it is cheap: a step works on a copy.
  struct State {
    std::optional<MirrorIdentity> identity;
    std::optional<Shown> shown;
    std::map<TableId, Live> live;
    std::map<TableId, Hidden> hidden;
    std::map<TableName, TableNote> notes;
    std::map<TableName, std::shared_ptr<const MemoryTable>> foreign;  // left by `forget`: nobody's any more
  };

  Status ask(std::string_view call, Moment moment);
  /// Runs `effect` with the hook asked before and after it.
  template <class Effect>
  auto guarded(std::string_view call, Effect effect) -> decltype(effect()) {
    TRY_DO(ask(call, Moment::before));
    auto result = effect();
    TRY_DO(ask(call, Moment::after));
    return result;
  }
  Status must_be_open() const;

  State durable_;
  Hook hook_;
  bool open_ = false;
  std::uint64_t life_ = 0;      // grows with each crash and close: steps of an older life are dead
  MemoryStep* step_ = nullptr;  // the open one
};

}  // namespace lockstep::destination
