#pragma once

#include <gtest/gtest.h>

#include "catalog/catalog.hpp"

// What every catalog promises; each adapter's test calls these.
namespace lockstep::catalog::contract {

/// A mirror in which every field holds something.
inline Mirror full_mirror() {
  Mirror mirror;
  mirror.name = "shop";
  mirror.phase = Phase::ready;
  mirror.source_address = "postgresql://app@db.example:5432/shop";
  mirror.source_identity = "postgresql system=7 database=5";
  mirror.destination = "duckdb:/data/it's \"shop\".duckdb";
  mirror.slot = "lockstep_shop";
  mirror.publication = "lockstep_shop";
  mirror.tables = {TableId{16384}, TableId{16390}, TableId{4'000'000'000}};
  mirror.full_identities = {TableId{16390}};
  mirror.slot_start = PgPosition{Lsn{0xffff'ffff'0000'0001}};
  mirror.slot_visible = VisibleSet{Xid{700}, Xid{710}, {Xid{702}, Xid{705}}};
  mirror.paused = true;
  return mirror;
}

inline void expect_stored(Catalog& catalog, const Mirror& expected) {
  const auto loaded = catalog.load();
  ASSERT_TRUE(loaded.ok()) << to_text(loaded.error());
  ASSERT_TRUE(loaded.value().has_value());
  EXPECT_TRUE(*loaded.value() == expected);
}

inline void knows_nothing_at_first(Catalog& catalog) {
  const auto loaded = catalog.load();
  ASSERT_TRUE(loaded.ok()) << to_text(loaded.error());
  EXPECT_FALSE(loaded.value().has_value());
}

inline void gives_back_what_was_saved(Catalog& catalog) {
  ASSERT_TRUE(catalog.save(full_mirror()).ok());
  expect_stored(catalog, full_mirror());
}

inline void the_last_save_replaces_all_of_the_one_before(Catalog& catalog) {
  ASSERT_TRUE(catalog.save(full_mirror()).ok());
  Mirror bare;
  bare.name = "shop";
  ASSERT_TRUE(catalog.save(bare).ok());
  expect_stored(catalog, bare);
}

inline void forgets_and_may_be_asked_twice(Catalog& catalog) {
  ASSERT_TRUE(catalog.save(full_mirror()).ok());
  ASSERT_TRUE(catalog.forget().ok());
  ASSERT_TRUE(catalog.forget().ok());
  knows_nothing_at_first(catalog);
}

inline void keeps_the_whole_contract(Catalog& catalog) {
  knows_nothing_at_first(catalog);
  gives_back_what_was_saved(catalog);
  the_last_save_replaces_all_of_the_one_before(catalog);
  forgets_and_may_be_asked_twice(catalog);
}

}  // namespace lockstep::catalog::contract
