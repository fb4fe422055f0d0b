#include "destination/conformance/suite.hpp"

#include <ostream>

namespace lockstep::destination::conformance {

void PrintTo(const Adapter& adapter, std::ostream* out) { *out << adapter.name; }

void DestinationPromises::SetUp() {
  harness_ = GetParam().make();
  open();
}

void DestinationPromises::open() { ASSERT_THAT(destination().open({"shop", "system=1 database=shop"}), IsOk()); }

void DestinationPromises::kill_and_open() {
  harness_->kill();
  open();
}

CopyLedger DestinationPromises::ledger_of(const TableShape& shape, std::uint32_t ranges) {
  CopyLedger ledger;
  ledger.table = shape.table;
  ledger.shape = shape;
  ledger.types = types_of(shape);
  ledger.snapshot = "group 1";
  ledger.visible = {Xid{700}, Xid{710}, {Xid{703}, Xid{705}}};
  ledger.applied = StateId{3};
  ledger.mark = "it's a mark";
  ledger.storage = 16385;
  ledger.ranges = ranges;
  return ledger;
}

Result<CopyCounts> DestinationPromises::copy_range(const TableShape& shape, std::uint32_t range,
                                                   const std::vector<TextRow>& rows) {
  std::vector<std::unique_ptr<RowStream>> streams;
  const auto half = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
  streams.push_back(std::make_unique<TextStream>(shape, std::vector<TextRow>(rows.begin(), half)));
  streams.push_back(std::make_unique<TextStream>(shape, std::vector<TextRow>(half, rows.end())));
  return destination().copy_into(shape.table, "group 1", std::vector<std::uint32_t>{range}, streams);
}

void DestinationPromises::copy(const TableShape& shape, const std::vector<TextRow>& rows) {
  ASSERT_THAT(destination().create_hidden(ledger_of(shape)), IsOk());
  ASSERT_THAT(copy_range(shape, 0, rows), IsOk());
}

void DestinationPromises::make_live(const TableShape& shape, const std::vector<TextRow>& rows) {
  copy(shape, rows);
  const auto step = begin();
  ASSERT_NE(step, nullptr);
  ASSERT_THAT(step->publish(shape.table), IsOk());
  ASSERT_THAT(step->commit(next_shown()), IsOk());
}

Status DestinationPromises::apply(BatchBuilder& changes) {
  const auto step = begin();
  if (step == nullptr) return Error{ErrorKind::unexpected, "no step"};
  const std::optional<Shown> before = shown_;
  Status done = step->write(changes.batch());
  if (done.ok()) done = step->commit(next_shown());
  if (!done.ok()) shown_ = before;
  return done;
}

std::unique_ptr<Step> DestinationPromises::begin() {
  Result<std::unique_ptr<Step>> begun = destination().begin(shown_);
  EXPECT_THAT(begun, IsOk());
  return begun.ok() ? std::move(begun).value() : nullptr;
}

Shown DestinationPromises::next_shown() {
  const std::uint64_t state = shown_ ? shown_->state.value + 1 : 4;
  shown_ = Shown{StateId{state}, PgPosition{Lsn{0x16'0000'0000 + state}}, UnixMicros{1'700'000'000'123'456}};
  return *shown_;
}

std::vector<TextRow> DestinationPromises::rows(const TableShape& shape) {
  const auto found = harness_->rows(shape.name);
  EXPECT_TRUE(found.has_value()) << to_text(shape.name) << " is not there";
  return found.value_or(std::vector<TextRow>{});
}

TableShape people(std::uint64_t id, TableName name) {
  return make_shape(id, std::move(name), {{"id", int64_type}, {"a", text_type}, {"b", text_type}}, {0});
}

TableShape events() { return make_shape(200, {"public", "events"}, {{"a", text_type}, {"b", float64_type}}, {}); }

}  // namespace lockstep::destination::conformance
