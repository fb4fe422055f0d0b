#include "source/postgres/selection.hpp"

#include <gtest/gtest.h>

namespace lockstep::postgres {
namespace {

bool matches(const std::string& pattern, const TableName& name) {
  return Pattern::parse(pattern).value().matches(name);
}

TEST(Selection, ANameWithoutSchemaHoldsInEverySchema) {
  EXPECT_TRUE(matches("orders", {"public", "orders"}));
  EXPECT_TRUE(matches("orders", {"archive", "orders"}));
  EXPECT_FALSE(matches("orders", {"public", "orders_old"}));
  EXPECT_FALSE(matches("public.orders", {"archive", "orders"}));
}

TEST(Selection, WildcardsAreStarAndQuestionMark) {
  EXPECT_TRUE(matches("sales.*", {"sales", "anything"}));
  EXPECT_TRUE(matches("*.audit_*_log", {"x", "audit_user_role_log"}));
  EXPECT_FALSE(matches("*.audit_*_log", {"x", "audit_log"}));
  EXPECT_TRUE(matches("t?", {"public", "t1"}));
  EXPECT_TRUE(matches("t?", {"public", "tß"}));
  EXPECT_FALSE(matches("t?", {"public", "t"}));
  EXPECT_TRUE(matches("*a*b*c", {"public", "xaybzcabc"}));
}

TEST(Selection, CapitalsAndDotsNeedQuotes) {
  EXPECT_TRUE(matches("Orders", {"public", "orders"}));
  EXPECT_FALSE(matches("Orders", {"public", "Orders"}));
  EXPECT_TRUE(matches("\"Orders\"", {"public", "Orders"}));
  EXPECT_TRUE(matches("public.\"a.b\"", {"public", "a.b"}));
  EXPECT_TRUE(matches("\"a*\"", {"public", "a*"}));
  EXPECT_FALSE(matches("\"a*\"", {"public", "ab"}));
  EXPECT_TRUE(matches("\"a\"\"b\"", {"public", "a\"b"}));
}

TEST(Selection, WhatIsNoPatternIsSaidSo) {
  for (const char* text : {"", ".", "a.b.c", "\"open", "public."}) {
    const auto pattern = Pattern::parse(text);
    ASSERT_FALSE(pattern.ok()) << text;
    EXPECT_EQ(pattern.error().kind, ErrorKind::bad_input);
  }
}

}  // namespace
}  // namespace lockstep::postgres
