#include "source/postgres/address.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace lockstep::postgres {
namespace {

TEST(Address, ThePasswordIsKeptOutOfEverythingPrintable) {
  const auto address = Address::parse("postgresql://ann:s%40cret@db.example:5433/shop?sslmode=require");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address.value().password().reveal(), "s@cret");
  EXPECT_EQ(address.value().printable(), "postgresql://ann@db.example:5433/shop?sslmode=require");
  EXPECT_EQ(address.value().database(), "shop");
  EXPECT_EQ(address.value().server(), "db.example:5433");
  for (const auto& [keyword, value] : address.value().parameters()) EXPECT_NE(value, "s@cret") << keyword;
}

TEST(Address, AnUnreadableUrlIsNotRepeatedInTheMessage) {
  const auto address = Address::parse("postgresql://ann:s%zzcret@db/shop");
  ASSERT_FALSE(address.ok());
  EXPECT_EQ(address.error().kind, ErrorKind::bad_input);
  EXPECT_EQ(to_text(address.error()).find("cret"), std::string::npos);
}

TEST(Address, AnUnknownParameterIsNamed) {
  const auto address = Address::parse("postgresql://ann@db/shop?sslmod=require");
  ASSERT_FALSE(address.ok());
  EXPECT_NE(address.error().what.find("'sslmod'"), std::string::npos);
}

TEST(Address, AnotherSchemeIsRefused) {
  EXPECT_FALSE(Address::parse("mysql://ann@db/shop").ok());
  EXPECT_FALSE(Address::parse("host=db dbname=shop").ok());
}

TEST(Address, SeveralHostsIpv6AndSocketsSurvivePrinting) {
  for (const std::string url : {"postgresql://ann@a:5432,b:5433/shop", "postgresql://ann@[2001:db8::1]:5432/shop",
                                "postgresql://ann@%2Fvar%2Frun%2Fpostgresql:5432/shop"}) {
    const auto address = Address::parse(url);
    ASSERT_TRUE(address.ok()) << url;
    EXPECT_EQ(address.value().printable(), url);
  }
  const auto socket = Address::parse("postgresql:///shop?host=/tmp/run&port=6000");
  ASSERT_TRUE(socket.ok());
  EXPECT_EQ(socket.value().parameter("host"), "/tmp/run");
}

TEST(Address, ThePasswordMayComeFromAVariable) {
  ::setenv("LOCKSTEP_ADDRESS_TEST", "hidden", 1);
  for (const std::string url : {"postgresql://ann:env%3ALOCKSTEP_ADDRESS_TEST@db/shop",
                                "postgresql://ann@db/shop?password=env:LOCKSTEP_ADDRESS_TEST"}) {
    const auto address = Address::parse(url);
    ASSERT_TRUE(address.ok()) << url;
    EXPECT_EQ(address.value().password().reveal(), "hidden");
  }
  ::unsetenv("LOCKSTEP_ADDRESS_TEST");
  const auto missing = Address::parse("postgresql://ann:env%3ALOCKSTEP_ADDRESS_TEST@db/shop");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().what.find("LOCKSTEP_ADDRESS_TEST"), std::string::npos);
}

TEST(Address, ThePasswordMayComeFromTheFirstLineOfAFile) {
  const std::string path = ::testing::TempDir() + "lockstep_address_test";
  std::ofstream(path) << "from the file\nsecond line\n";
  const auto address = Address::parse("postgresql://ann@db/shop?password=file:" + path);
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address.value().password().reveal(), "from the file");
  const auto before_the_host = Address::parse("postgresql://ann:file:" + path + "@db:5433/shop?sslmode=disable");
  ASSERT_TRUE(before_the_host.ok());
  EXPECT_EQ(before_the_host.value().password().reveal(), "from the file");
  EXPECT_EQ(before_the_host.value().database(), "shop");
  EXPECT_EQ(before_the_host.value().server(), "db:5433");
  std::remove(path.c_str());
  EXPECT_FALSE(Address::parse("postgresql://ann@db/shop?password=file:" + path).ok());
}

TEST(Address, WhatWeSetOurselvesIsNotTakenFromTheUrl) {
  const auto address = Address::parse("postgresql://ann@db/shop?client_encoding=LATIN1&application_name=x");
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address.value().parameter("client_encoding"), "");
  EXPECT_EQ(address.value().parameter("application_name"), "");
}

TEST(Address, TheDatabaseFallsBackToTheVariableAndThenToTheUser) {
  ::setenv("PGDATABASE", "from_env", 1);
  EXPECT_EQ(Address::parse("postgresql://ann@db").value().database(), "from_env");
  ::unsetenv("PGDATABASE");
  EXPECT_EQ(Address::parse("postgresql://ann@db").value().database(), "ann");
}

}  // namespace
}  // namespace lockstep::postgres
