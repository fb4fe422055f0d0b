#include "source/postgres/heaps.hpp"

namespace lockstep::postgres {

// pg_partition_tree and pg_relation_filenode look past the snapshot, at what is there now. A partitioned table's tree
// begins with itself; a plain table's is itself alone. Reading a size waits for whoever rewrites the table, so not for long.
Result<std::map<TableId, std::vector<Heap>>> read_heaps(Connection& connection, const std::vector<TableId>& tables) {
  TRY_DO(connection.run("BEGIN; SET LOCAL lock_timeout = '2s'"));
  Result<Rows> rows = connection.query(
      "SELECT c.oid, h.oid, pg_relation_filenode(h.oid), pg_relation_size(h.oid), pg_table_size(h.oid)"
      " FROM pg_class c CROSS JOIN LATERAL (SELECT c.oid WHERE c.relkind <> 'p' UNION ALL"
      "  SELECT t.relid FROM pg_partition_tree(c.oid) t WHERE c.relkind = 'p' AND t.isleaf) h(oid)"
      " WHERE c.oid = ANY($1::oid[]) ORDER BY c.oid, h.oid", {array_of(tables)});
  TRY_DO(connection.run(rows.ok() ? "COMMIT" : "ROLLBACK"));
  if (!rows.ok()) return rows.error();
  std::map<TableId, std::vector<Heap>> heaps;
  for (std::size_t r = 0; r < rows.value().size(); ++r) {
    const Rows& all = rows.value();
    heaps[TableId{all.unsigned_number(r, 0)}].push_back({static_cast<std::uint32_t>(all.unsigned_number(r, 1)),
                                                          static_cast<std::uint32_t>(all.unsigned_number(r, 2)),
                                                          all.unsigned_number(r, 3), all.unsigned_number(r, 4)});
  }
  return heaps;
}

std::string filenodes_query(TableId table) {
  const std::string oid = std::to_string(table.value) + "::oid";
  return "SELECT h.oid, pg_relation_filenode(h.oid) FROM (SELECT c.oid FROM pg_class c WHERE c.oid = " + oid +
         " AND c.relkind <> 'p' UNION ALL SELECT t.relid::oid FROM pg_class c, pg_partition_tree(c.oid) t WHERE c.oid = " +
         oid + " AND c.relkind = 'p' AND t.isleaf) h(oid) ORDER BY h.oid";
}

}  // namespace lockstep::postgres
