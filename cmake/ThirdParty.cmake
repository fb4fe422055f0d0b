# Every library that we use, found once. Rooms name the targets after LIBRARIES:
#   fmt::fmt spdlog::spdlog SQLite::SQLite3 OpenSSL::SSL OpenSSL::Crypto CLI11::CLI11 nlohmann_json::nlohmann_json
#   tomlplusplus::tomlplusplus PkgConfig::libpq duckdb::duckdb
# Tests and programs that measure: GTest::gtest GTest::gmock rapidcheck benchmark::benchmark

find_package(PkgConfig REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(benchmark REQUIRED)
# Not FindPostgreSQL: it also asks for the server's headers, which libpq-dev does not have.
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET libpq)

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  find_package(rapidcheck REQUIRED)
endif()

include(DuckDB)
