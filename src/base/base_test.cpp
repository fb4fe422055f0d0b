#include <gtest/gtest.h>

#include <string>

#include "base/crc32c.hpp"
#include "base/failpoint.hpp"
#include "base/log.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"
#include "base/wire.hpp"

namespace lockstep {
namespace {

Status passes_an_apply_commit() {
  FAILPOINT("apply.before_commit");
  return Done{};
}

TEST(Error, SaysWhatWhereAndWhatToDo) {
  const Error error{ErrorKind::does_not_fit, "a value does not fit", "pin the type", "public.t", "n", "22003"};
  EXPECT_EQ(to_text(error), "a value does not fit (table public.t, column n) [22003]: pin the type");
}

TEST(Error, OnlyTemporaryCausesAreTriedAgain) {
  EXPECT_EQ(retry_for(ErrorKind::unreachable), Retry::later);
  EXPECT_EQ(retry_for(ErrorKind::no_space), Retry::later);
  EXPECT_EQ(retry_for(ErrorKind::refused), Retry::after_operator);
  EXPECT_EQ(retry_for(ErrorKind::lost_history), Retry::never);
}

TEST(Result, TryReturnsTheFirstFailure) {
  const auto half = [](int n) -> Result<int> {
    if (n % 2 != 0) return Error{ErrorKind::bad_input, "odd"};
    return n / 2;
  };
  const auto quarter = [&](int n) -> Result<int> {
    TRY(once, half(n));
    TRY(twice, half(once));
    return twice;
  };
  EXPECT_EQ(quarter(8).value(), 2);
  EXPECT_EQ(quarter(6).error().what, "odd");
}

TEST(Failpoint, ActsAtTheNthPassingOnly) {
  ASSERT_TRUE(set_failpoints("apply.before_commit:2=fail").ok());
  EXPECT_TRUE(passes_an_apply_commit().ok());
  EXPECT_FALSE(passes_an_apply_commit().ok());
  EXPECT_TRUE(passes_an_apply_commit().ok());
  ASSERT_TRUE(set_failpoints("").ok());
}

TEST(Failpoint, RefusesWhatItCannotRead) {
  for (const char* wrong : {"nowhere=kill", "apply.before_commit=explode", "apply.before_commit:0=fail", "kill"}) {
    EXPECT_FALSE(set_failpoints(wrong).ok()) << wrong;
  }
  ASSERT_TRUE(set_failpoints("").ok());
}

TEST(Wire, AReadPastTheEndSpoilsTheVerdictAndNothingElse) {
  const std::string three{"\x01\x02\x03"};
  WireReader in(bytes_of(three));
  EXPECT_EQ(in.u16(), 0x0102);
  EXPECT_EQ(in.u32(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0u);
}

TEST(Wire, WhatIsWrittenIsRead) {
  std::vector<std::byte> bytes;
  WireWriter out(bytes);
  out.u8(7);
  out.u16(0xfffe);
  out.u32(0x01020304);
  out.u64(0xa1a2a3a4a5a6a7a8);
  out.sized("text");
  WireReader in(bytes);
  EXPECT_EQ(in.u8(), 7);
  EXPECT_EQ(in.i16(), -2);
  EXPECT_EQ(in.u32(), 0x01020304u);
  EXPECT_EQ(in.u64(), 0xa1a2a3a4a5a6a7a8u);
  EXPECT_EQ(text_of(in.bytes(in.u32())), "text");
  EXPECT_TRUE(in.complete());
}

// RFC 3720, appendix B.4: 32 bytes of zeros, 32 bytes of ones, and the common check string.
TEST(Crc32c, GivesThePublishedSums) {
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\0'))), 0x8a9136aau);
  EXPECT_EQ(crc32c(bytes_of(std::string(32, '\xff'))), 0x62a8ab43u);
  EXPECT_EQ(crc32c(bytes_of("123456789")), 0xe3069283u);
}

TEST(Crc32c, ContinuesFromASeed) {
  EXPECT_EQ(crc32c(bytes_of("6789"), crc32c(bytes_of("12345"))), crc32c(bytes_of("123456789")));
}

TEST(Log, QuotesWhatWouldBreakALine) {
  EXPECT_EQ(format_event("table_failed", {{"table", "public.t"}, {"error", "no \"x\"\nhere"}, {"rows", 3}}),
            "table_failed table=public.t error=\"no \\\"x\\\"\\nhere\" rows=3");
}

TEST(Secret, PrintsAsStars) { EXPECT_EQ(to_text(Secret("swordfish")), "***"); }

}  // namespace
}  // namespace lockstep
