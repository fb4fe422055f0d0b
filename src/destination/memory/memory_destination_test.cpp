#include "destination/memory/memory_destination.hpp"

#include "destination/conformance/suite.hpp"

namespace lockstep::destination {
namespace {

using conformance::TextRow;

class MemoryHarness : public conformance::Harness {
 public:
  Destination& destination() override { return memory_; }
  void kill() override { memory_.crash(); }
  std::optional<std::vector<TextRow>> rows(const TableName& table) override { return memory_.rows(table); }
  std::map<std::string, std::string> notes() override {
    std::map<std::string, std::string> said;
    for (const auto& [name, note] : memory_.notes()) {
      std::string text = name_of(note.state);
      if (note.as_of) text += " since " + std::to_string(note.as_of->value) + ": " + note.error;
      said[to_text(name)] = text;
    }
    return said;
  }
  bool prints_like_duckdb() const override { return false; }

 private:
  MemoryDestination memory_;
};

}  // namespace

namespace conformance {

INSTANTIATE_TEST_SUITE_P(Memory, DestinationPromises,
                         testing::Values(Adapter{"memory", [] { return std::make_unique<MemoryHarness>(); }}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace conformance

namespace {

using conformance::FailsWith;
using conformance::IsOk;

const MirrorIdentity identity{"shop", "system=1"};
const Shown shown{StateId{1}, PgPosition{Lsn{1}}, UnixMicros{0}};

Status fail_at(std::string_view call, MemoryDestination::Moment moment, std::string_view wanted,
               MemoryDestination::Moment when) {
  if (call != wanted || moment != when) return Done{};
  return Error{ErrorKind::unreachable, "injected"};
}

TEST(MemoryDestination, ACallThatFailsBeforeHasNoEffectAndOneThatFailsAfterHasIt) {
  MemoryDestination memory;
  ASSERT_THAT(memory.open(identity), IsOk());
  for (const auto when : {MemoryDestination::Moment::before, MemoryDestination::Moment::after}) {
    auto step = memory.begin(memory.shown());
    ASSERT_THAT(step, IsOk());
    memory.set_hook([when](std::string_view call, MemoryDestination::Moment moment) {
      return fail_at(call, moment, "commit", when);
    });
    EXPECT_THAT(step.value()->commit(shown), FailsWith(ErrorKind::unreachable));
    memory.set_hook({});
    EXPECT_EQ(memory.shown().has_value(), when == MemoryDestination::Moment::after);
  }
}

TEST(MemoryDestination, AStepOfAnEarlierLifeCommitsNothing) {
  MemoryDestination memory;
  ASSERT_THAT(memory.open(identity), IsOk());
  auto step = memory.begin(std::nullopt);
  ASSERT_THAT(step, IsOk());
  memory.crash();
  EXPECT_THAT(memory.contents(), FailsWith(ErrorKind::unexpected));
  ASSERT_THAT(memory.open(identity), IsOk());
  EXPECT_THAT(step.value()->commit(shown), FailsWith(ErrorKind::unreachable));
  EXPECT_FALSE(memory.shown().has_value());
}

}  // namespace
}  // namespace lockstep::destination
