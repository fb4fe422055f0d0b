#include "source/postgres/names.hpp"

#include <gtest/gtest.h>

#include <set>

namespace lockstep::postgres {
namespace {

TEST(Names, OfAPlainMirrorStayReadable) {
  EXPECT_EQ(slot_name("shop", "shop"), "lockstep_shop");
  EXPECT_EQ(slot_name("nightly", "shop"), "lockstep_nightly_shop");
}

TEST(Names, KeepDifferentMirrorsApart) {
  const std::set<std::string> names{slot_name("a_b", "c"), slot_name("a", "b_c"), slot_name("a-b", "c"),
                                    slot_name("A_b", "c"), slot_name("a", "c"),   slot_name("a.b", "c")};
  EXPECT_EQ(names.size(), 6u);
}

TEST(Names, FitWhateverTheMirrorIsCalled) {
  for (const std::string& mirror : {std::string(200, 'x'), std::string("Größe 'n\"; --"), std::string()}) {
    const std::string name = slot_name(mirror, "db");
    EXPECT_LE(name.size(), 63u);
    EXPECT_EQ(name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"), std::string::npos) << name;
  }
  EXPECT_NE(slot_name(std::string(200, 'x'), "db"), slot_name(std::string(201, 'x'), "db"));
}

TEST(Names, AreTheSameForEver) {
  EXPECT_EQ(slot_name("My Mirror", "shop"), "lockstep_my_mirror_shop_f71f059c");
  EXPECT_EQ(publication_name("shop", "shop"), "lockstep_shop");
}

TEST(Names, AreQuotedForSql) {
  EXPECT_EQ(quote_table("pub\"lic", "t"), "\"pub\"\"lic\".\"t\"");
  EXPECT_EQ(quote_literal("it's \\"), "'it''s \\'");
}

}  // namespace
}  // namespace lockstep::postgres
