# duckdb::duckdb: DuckDB 2.0.0 through its C API. The library comes out of the Java package, which exports every
# function of duckdb.h and needs no Java at run time; the header comes out of the Go bindings of the same commit.

include(Registry)

if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(_duckdb_file libduckdb_java.so_linux_arm64)
else()
  set(_duckdb_file libduckdb_java.so_linux_amd64)
endif()

registry_package(duckdb_library KIND maven PACKAGE org.duckdb:duckdb_jdbc VERSION 2.0.0.1
  SHA256 6cb8b0e0fc51b2e45aead2d2c1e1fd09dd10267db2966e69aaab0de67319f826
  ONLY "${_duckdb_file}")
registry_package(duckdb_header KIND go PACKAGE github.com/duckdb/duckdb-go-bindings VERSION v0.20000.0
  SHA256 9684dd8f13649676633654cdaa359ed48011d0e078eefffc04378aea32e29a9e)

# The library lies beside our binary, under the name that the loader will ask for (its SONAME), and the binary looks
# for it at $ORIGIN (lockstep_runs_beside_its_libraries in Room.cmake). A hard link costs no disk where the file
# system allows one.
set(_duckdb_beside "${CMAKE_BINARY_DIR}/${_duckdb_file}")
file(CREATE_LINK "${duckdb_library_DIR}/${_duckdb_file}" "${_duckdb_beside}" COPY_ON_ERROR)

add_library(duckdb::duckdb SHARED IMPORTED)
set_target_properties(duckdb::duckdb PROPERTIES
  IMPORTED_LOCATION "${_duckdb_beside}"
  IMPORTED_SONAME "${_duckdb_file}"
  INTERFACE_INCLUDE_DIRECTORIES "${duckdb_header_DIR}/github.com/duckdb/duckdb-go-bindings@v0.20000.0/include")
