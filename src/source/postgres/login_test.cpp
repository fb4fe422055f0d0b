#include "source/postgres/login.hpp"

#include <gtest/gtest.h>

namespace lockstep::postgres {
namespace {

Error said(const std::string& message) {
  return login_error(Address::parse("postgresql://ann:secret@db:5432/shop").value(), message, false);
}

TEST(Login, AWrongPasswordIsTheOperatorsTask) {
  const Error error = said(
      "connection to server at \"db\", port 5432 failed: FATAL:  28P01: password authentication "
      "failed for user \"ann\"\nLOCATION:  auth_failed, auth.c:338\n");
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_EQ(error.native, "28P01");
  EXPECT_EQ(error.what, "cannot connect to db:5432: password authentication failed for user \"ann\"");
  EXPECT_NE(error.remedy.find("PGPASSWORD"), std::string::npos);
}

TEST(Login, AServerThatLetsNobodyInWithoutTlsSaysHow) {
  const Error error = said(
      "failed: FATAL:  28000: no pg_hba.conf entry for host \"10.0.0.1\", user \"ann\", database "
      "\"shop\", no encryption\nLOCATION:  ClientAuthentication, auth.c:543");
  EXPECT_EQ(error.kind, ErrorKind::refused);
  EXPECT_NE(error.remedy.find("sslmode=require"), std::string::npos);
}

TEST(Login, ANetworkFailureIsTriedAgain) {
  const Error error = said(
      "connection to server at \"db\", port 5432 failed: Connection refused\n\tIs the server "
      "running on that host and accepting TCP/IP connections?");
  EXPECT_EQ(error.kind, ErrorKind::unreachable);
  EXPECT_NE(error.remedy.find("port"), std::string::npos);
}

TEST(Login, MissingTlsIsNotTriedAgain) {
  EXPECT_EQ(said("failed: server does not support SSL, but SSL was required").kind, ErrorKind::refused);
}

TEST(Login, ARoleWithoutReplicationIsToldTheStatement) {
  const Error error = said("failed: FATAL:  42501: must be superuser or replication role to start walsender\n");
  EXPECT_EQ(error.remedy, "run: ALTER ROLE ann REPLICATION");
}

}  // namespace
}  // namespace lockstep::postgres
