#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "follower.hpp"
#include "server.hpp"

namespace lockstep::postgres_test {

/// Each test once for each server version, in a database of its own on a server that all tests of the version share.
class PostgresSource : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (programs_of(GetParam()).empty()) GTEST_SKIP() << "PostgreSQL " << GetParam() << " is not installed";
    auto& server = servers()[GetParam()];
    if (server == nullptr) server = std::make_unique<Server>(programs_of(GetParam()), "");
    static int count = 0;
    database_ = "db" + std::to_string(++count);
    Session(server->url("postgres")).run("CREATE DATABASE " + database_);
    sql_ = std::make_unique<Session>(server->url(database_));
    setup_ = postgres::plan_setup("test", database_);
  }

  void TearDown() override {
    if (sql_ == nullptr) return;
    if (source_.changes != nullptr) source_.changes->close();
    source_ = {};
    // What a failed test has left must not be in the way of the next.
    postgres::PgOptions options;
    static_cast<void>(must(postgres::open_postgres(url(), options)).setter->remove(setup_));
  }

  static std::map<int, std::unique_ptr<Server>>& servers() {
    static std::map<int, std::unique_ptr<Server>> all;
    return all;
  }
  Server& server() { return *servers()[GetParam()]; }
  std::string url() { return server().url(database_); }

  source::Source& open(postgres::PgOptions options = {}) {
    source_ = must(postgres::open_postgres(url(), options));
    return source_;
  }

  /// Publishes every table and creates the slot.
  source::CreatedSlot set_up() {
    open();
    for (const source::Table& table : must(source_.setter->tables())) {
      if (!table.left_out.empty()) continue;
      setup_.tables.push_back(table.shape.table);
      if (table.needs_full_identity) setup_.full_identities.push_back(table.shape.table);
    }
    must(source_.setter->publish(setup_));
    return must(source_.setter->create_slot(setup_, [](const std::string&) { return true; }));
  }

  std::string database_;
  std::unique_ptr<Session> sql_;
  source::Source source_;
  source::Setup setup_;
};

}  // namespace lockstep::postgres_test
