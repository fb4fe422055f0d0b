#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "destination/conformance/batch_builder.hpp"
#include "destination/destination.hpp"

namespace lockstep {
template <class T>
void PrintTo(const Result<T>& result, std::ostream* out) {
  *out << (result.ok() ? "ok" : name_of(result.error().kind) + (": " + to_text(result.error())));
}
}  // namespace lockstep

namespace lockstep::destination::conformance {

/// One destination under test. What was committed outlives `kill`.
class Harness {
 public:
  virtual ~Harness() = default;
  virtual Destination& destination() = 0;
  /// As kill -9 does it: open steps are gone. `destination()` is another one then, to be opened.
  virtual void kill() = 0;
  /// What a reader sees, as texts, NULL as "NULL"; in any order. Nothing: no such table.
  virtual std::optional<std::vector<TextRow>> rows(const TableName& table) = 0;
  /// State and error of each row of lockstep.tables, by the source's name: "live", "quarantined since 3: reason".
  virtual std::map<std::string, std::string> notes() = 0;
  /// Values are printed as DuckDB prints them, or as `value_text` does.
  virtual bool prints_like_duckdb() const = 0;
};

struct Adapter {
  std::string name;
  std::function<std::unique_ptr<Harness>()> make;
};
void PrintTo(const Adapter& adapter, std::ostream* out);

inline constexpr LogicalType int64_type{TypeKind::int64, 0, 0, 0};
inline constexpr LogicalType int32_type{TypeKind::int32, 0, 0, 0};
inline constexpr LogicalType text_type{TypeKind::text, 0, 0, 0};
inline constexpr LogicalType float64_type{TypeKind::float64, 0, 0, 0};

/// An adapter's tests say INSTANTIATE_TEST_SUITE_P(…, DestinationPromises, testing::Values(adapter)).
class DestinationPromises : public testing::TestWithParam<Adapter> {
 public:
  void SetUp() override;

  Destination& destination() { return harness_->destination(); }
  void open();
  void kill_and_open();

  /// A copy's ledger with one range, under snapshot "group 1".
  static CopyLedger ledger_of(const TableShape& shape, std::uint32_t ranges = 1);
  /// Creates the hidden table and copies the rows: it is complete then.
  void copy(const TableShape& shape, const std::vector<TextRow>& rows);
  Result<CopyCounts> copy_range(const TableShape& shape, std::uint32_t range, const std::vector<TextRow>& rows);
  /// Copies and publishes, moving to the next state.
  void make_live(const TableShape& shape, const std::vector<TextRow>& rows);
  /// One step that writes this batch and moves to the next state.
  Status apply(BatchBuilder& changes);
  std::unique_ptr<Step> begin();
  Shown next_shown();
  std::vector<TextRow> rows(const TableShape& shape);

  std::unique_ptr<Harness> harness_;
  std::optional<Shown> shown_;
};

MATCHER(IsOk, "") { return arg.ok(); }
MATCHER_P(FailsWith, kind, "") { return !arg.ok() && arg.error().kind == kind; }

/// (id int64, a text, b text), key id.
TableShape people(std::uint64_t id = 100, TableName name = {"public", "people"});
/// (a text, b float64), no key.
TableShape events();

}  // namespace lockstep::destination::conformance
