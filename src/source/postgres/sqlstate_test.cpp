#include "source/postgres/sqlstate.hpp"

#include <gtest/gtest.h>

namespace lockstep::postgres {
namespace {

TEST(Sqlstate, DecidesWhetherTryingAgainMakesSense) {
  EXPECT_EQ(kind_of_sqlstate("57P01"), ErrorKind::unreachable);
  EXPECT_EQ(kind_of_sqlstate("08006"), ErrorKind::unreachable);
  EXPECT_EQ(kind_of_sqlstate("28P01"), ErrorKind::refused);
  EXPECT_EQ(kind_of_sqlstate("42501"), ErrorKind::refused);
  EXPECT_EQ(kind_of_sqlstate("53300"), ErrorKind::busy);
  EXPECT_EQ(kind_of_sqlstate("53400"), ErrorKind::busy);
  EXPECT_EQ(kind_of_sqlstate("55006"), ErrorKind::busy);
  EXPECT_EQ(kind_of_sqlstate("55P03"), ErrorKind::busy);
  EXPECT_EQ(kind_of_sqlstate("3D000"), ErrorKind::bad_input);
  EXPECT_EQ(kind_of_sqlstate("57014"), ErrorKind::cancelled);
  EXPECT_EQ(kind_of_sqlstate("XX000"), ErrorKind::unexpected);
}

TEST(Sqlstate, IsFoundInWhatLibpqSays) {
  const std::string_view message =
      "connection to server at \"127.0.0.1\", port 5432 failed: FATAL:  28P01: password authentication failed\n"
      "LOCATION:  auth_failed, auth.c:338\n";
  EXPECT_EQ(sqlstate_in(message), "28P01");
  EXPECT_EQ(text_after_sqlstate(message), "password authentication failed");
  EXPECT_EQ(sqlstate_in("connection to server at \"127.0.0.1\", port 1 failed: Connection refused"), "");
}

}  // namespace
}  // namespace lockstep::postgres
