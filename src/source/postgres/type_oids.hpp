#pragma once

#include <cstdint>

/// Numbers of PostgreSQL's built-in types. They never change. Source: src/include/catalog/pg_type.dat.
namespace lockstep::postgres::oid {

inline constexpr std::uint32_t boolean = 16;
inline constexpr std::uint32_t bytea = 17;
inline constexpr std::uint32_t character = 18;  ///< the one-byte type "char", not char(n)
inline constexpr std::uint32_t name = 19;
inline constexpr std::uint32_t int8 = 20;
inline constexpr std::uint32_t int2 = 21;
inline constexpr std::uint32_t int2_vector = 22;
inline constexpr std::uint32_t int4 = 23;
inline constexpr std::uint32_t text = 25;
inline constexpr std::uint32_t object_id = 26;
inline constexpr std::uint32_t tid = 27;
inline constexpr std::uint32_t xid = 28;
inline constexpr std::uint32_t cid = 29;
inline constexpr std::uint32_t oid_vector = 30;
inline constexpr std::uint32_t json = 114;
inline constexpr std::uint32_t xml = 142;
inline constexpr std::uint32_t cidr = 650;
inline constexpr std::uint32_t float4 = 700;
inline constexpr std::uint32_t float8 = 701;
inline constexpr std::uint32_t macaddr8 = 774;
inline constexpr std::uint32_t money = 790;
inline constexpr std::uint32_t macaddr = 829;
inline constexpr std::uint32_t inet = 869;
inline constexpr std::uint32_t bpchar = 1042;  ///< char(n)
inline constexpr std::uint32_t varchar = 1043;
inline constexpr std::uint32_t date = 1082;
inline constexpr std::uint32_t time = 1083;
inline constexpr std::uint32_t timestamp = 1114;
inline constexpr std::uint32_t timestamp_tz = 1184;
inline constexpr std::uint32_t interval = 1186;
inline constexpr std::uint32_t time_tz = 1266;
inline constexpr std::uint32_t bit = 1560;
inline constexpr std::uint32_t varbit = 1562;
inline constexpr std::uint32_t numeric = 1700;
inline constexpr std::uint32_t refcursor = 1790;
inline constexpr std::uint32_t uuid = 2950;
inline constexpr std::uint32_t pg_lsn = 3220;
inline constexpr std::uint32_t jsonb = 3802;
inline constexpr std::uint32_t jsonpath = 4072;
inline constexpr std::uint32_t xid8 = 5069;

/// Types with a number from here on were made in this database, by users or extensions.
inline constexpr std::uint32_t first_user_type = 16384;

}  // namespace lockstep::postgres::oid
