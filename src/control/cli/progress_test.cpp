#include "control/cli/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::control {
namespace {

using destination::TableState;

runtime::TableStatus table(const char* name, TableState state, std::uint64_t rows, double estimated,
                           std::uint64_t bytes) {
  runtime::TableStatus status;
  status.name = {"public", name};
  status.state = state;
  status.rows_copied = rows;
  status.rows_estimated = estimated;
  status.bytes_estimated = bytes;
  return status;
}

runtime::MirrorStatus copying() {
  runtime::MirrorStatus status;
  status.state = runtime::MirrorState::copying;
  status.tables = {table("done", TableState::joining, 100, 90, 1'000'000),
                   table("half", TableState::copying, 50, 100, 2'000'000),
                   table("later", TableState::waiting, 0, 1000, 1'000'000),
                   table("never", TableState::left_out, 0, 1000, 9'000'000)};
  return status;
}

TEST(Progress, ACopyShowsItsWholeAndTheTablesInHand) {
  const auto lines = render_progress(copying(), {500'000, 0, 0}, {110, 10, false});
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0],
            "copying [############............]  50%  1 of 3 tables  2.0 MB of 4.0 MB  500.0 kB/s  ETA 0:04  150 rows");
  EXPECT_EQ(lines[1], "  public.half                          [########........]  50%  50 rows of about 100");
}

TEST(Progress, NothingIsWiderThanTheTerminal) {
  runtime::MirrorStatus status = copying();
  status.tables[1].name.table = std::string(60, 'n') + "äöü";
  status.error = std::string(300, 'e');
  for (const std::size_t width : {20u, 40u, 79u}) {
    for (const std::string& line : render_progress(status, {}, {width, 10, false}))
      EXPECT_LE(line.size(), width) << line;
  }
}

TEST(Progress, ManyTablesShowThoseInHand) {
  runtime::MirrorStatus status = copying();
  for (int i = 0; i < 50; ++i) status.tables.push_back(table("more", TableState::copying, 0, 10, 10));
  const auto lines = render_progress(status, {}, {80, 5, false});
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_NE(lines[1].find("public.half"), std::string::npos);
}

TEST(Progress, ATableLargerThanItsEstimateIsNotFullBeforeItsEnd) {
  runtime::MirrorStatus status;
  status.state = runtime::MirrorState::copying;
  status.tables = {table("t", TableState::copying, 500, 100, 1000)};
  EXPECT_NE(render_progress(status, {}, {80, 5, false})[0].find(" 99%"), std::string::npos);
}

TEST(Progress, StreamingIsOneLine) {
  runtime::MirrorStatus status;
  status.state = runtime::MirrorState::streaming;
  status.applied = destination::Shown{StateId{812}, PgPosition{Lsn{0x1000}}, {}};
  status.source_end = PgPosition{Lsn{0x1000 + 1500}};
  EXPECT_EQ(render_progress(status, {0, 12, 0.5}, {80, 5, false}),
            std::vector<std::string>{"streaming  state 812  0/1000  behind 1.5 kB, 0.5 s  12 transactions/s"});
}

TEST(Progress, ColorOnlyWhereItIsWanted) {
  const auto has_escape = [](const std::vector<std::string>& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const auto& line) { return line.find('\x1b') != std::string::npos; });
  };
  EXPECT_TRUE(has_escape(render_progress(copying(), {}, {80, 5, true})));
  EXPECT_FALSE(has_escape(render_progress(copying(), {}, {80, 5, false})));
}

TEST(Progress, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1500), "1.5 kB");
  EXPECT_EQ(human_bytes(2.5e12), "2.5 TB");
}

}  // namespace
}  // namespace lockstep::control
