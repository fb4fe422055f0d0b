#include "base/log_writer.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep {
namespace {

class FixedClock final : public Clock {
 public:
  std::chrono::nanoseconds monotonic() const override { return {}; }
  std::chrono::microseconds wall() const override { return std::chrono::microseconds{1'796'070'914'123'456}; }
};

TEST(LogWriter, WritesOneLineAnEventWithTimeLevelAndFields) {
  const FixedClock clock;
  std::vector<std::string> lines;
  const auto log = make_log_writer(LogLevel::info, clock, [&](std::string_view line) { lines.emplace_back(line); });
  log->info("batch_applied", {{"mirror", "shop"}, {"rows", 812}});
  EXPECT_EQ(lines, std::vector<std::string>{"2026-11-30T20:35:14.123Z info batch_applied mirror=shop rows=812"});
}

TEST(LogWriter, DropsWhatIsBelowItsLevel) {
  std::size_t count = 0;
  const auto log = make_log_writer(LogLevel::warn, system_clock(), [&](std::string_view) { ++count; });
  log->debug("a");
  log->info("b");
  log->warn("c");
  log->error("d");
  EXPECT_EQ(count, 2u);
}

TEST(LogWriter, KnowsItsLevelsByName) {
  EXPECT_EQ(log_level("debug"), LogLevel::debug);
  EXPECT_EQ(log_level("error"), LogLevel::error);
  EXPECT_EQ(log_level("loud"), std::nullopt);
}

TEST(LogWriter, WritesTimesBefore1970) {
  EXPECT_EQ(iso_time(std::chrono::microseconds{-1}), "1969-12-31T23:59:59.999Z");
}

}  // namespace
}  // namespace lockstep
