#include "catalog/sqlite/sqlite.hpp"

#include <sqlite3.h>

#include <fstream>

#include "catalog/contract_test.hpp"
#include "support/scratch_folder.hpp"

namespace lockstep::catalog {
namespace {

class SqliteCatalogTest : public testing::Test {
 protected:
  std::string path() const { return folder_.file(name_); }
  std::unique_ptr<Catalog> open() {
    auto opened = open_sqlite(path(), std::chrono::milliseconds{1});
    EXPECT_TRUE(opened.ok()) << to_text(opened.error());
    return opened.ok() ? std::move(opened).value() : nullptr;
  }
  ErrorKind kind_of_open() {
    const auto opened = open_sqlite(path());
    EXPECT_FALSE(opened.ok());
    EXPECT_TRUE(opened.ok() || !opened.error().remedy.empty());
    return opened.ok() ? ErrorKind::unexpected : opened.error().kind;
  }
  void run_sql(const char* sql) {
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open(path().c_str(), &db), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
    sqlite3_close(db);
  }

  test::ScratchFolder folder_;
  std::string name_ = "catalog.sqlite";
};

TEST_F(SqliteCatalogTest, KeepsTheContract) { contract::keeps_the_whole_contract(*open()); }

TEST_F(SqliteCatalogTest, RemembersOverARestart) {
  ASSERT_TRUE(open()->save(contract::full_mirror()).ok());
  contract::expect_stored(*open(), contract::full_mirror());
}

TEST_F(SqliteCatalogTest, AFileThatIsNoDatabaseIsBadData) {
  std::ofstream(path()) << std::string(4096, 'x');
  EXPECT_EQ(kind_of_open(), ErrorKind::bad_data);
}

TEST_F(SqliteCatalogTest, SomebodyElsesDatabaseIsBadDataAndStaysAsItIs) {
  run_sql("CREATE TABLE theirs (a)");
  EXPECT_EQ(kind_of_open(), ErrorKind::bad_data);
  run_sql("SELECT a FROM theirs");
}

TEST_F(SqliteCatalogTest, ANewerFormatIsUnsupported) {
  ASSERT_NE(open(), nullptr);
  run_sql("PRAGMA user_version=2");
  EXPECT_EQ(kind_of_open(), ErrorKind::unsupported);
}

TEST_F(SqliteCatalogTest, ADamagedValueIsBadData) {
  ASSERT_TRUE(open()->save(contract::full_mirror()).ok());
  run_sql("UPDATE mirror SET value='16384 x' WHERE name='tables'");
  const auto loaded = open()->load();
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().kind, ErrorKind::bad_data);
}

TEST_F(SqliteCatalogTest, ABrokenPageIsBadData) {
  ASSERT_TRUE(open()->save(contract::full_mirror()).ok());
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4096);  // the second page, that of the table
  file << std::string(4096, '\xff');
  file.close();
  EXPECT_EQ(kind_of_open(), ErrorKind::bad_data);
}

TEST_F(SqliteCatalogTest, AFileInAFolderThatIsNotThereIsRefused) {
  name_ = "nowhere/catalog.sqlite";
  EXPECT_EQ(kind_of_open(), ErrorKind::refused);
}

TEST_F(SqliteCatalogTest, AFileThatAnotherProcessHoldsIsBusy) {
  const auto catalog = open();
  sqlite3* other = nullptr;
  ASSERT_EQ(sqlite3_open(path().c_str(), &other), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  const Status saved = catalog->save(contract::full_mirror());
  sqlite3_close(other);
  ASSERT_FALSE(saved.ok());
  EXPECT_EQ(saved.error().kind, ErrorKind::busy);
}

}  // namespace
}  // namespace lockstep::catalog
