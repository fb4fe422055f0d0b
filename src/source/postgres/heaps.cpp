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
      " WHERE c.oid = ANY($1::oid[]) ORDER BY c.oid, h.oid",
      {array_of(tables)});
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

// The row in pg_class is the snapshot's; the heap's filenode is today's.
Result<std::optional<TableId>> first_rewritten(Connection& connection,
                                               const std::map<TableId, std::vector<Heap>>& heaps) {
  std::vector<TableId> oids;
  std::map<std::uint64_t, std::pair<TableId, std::uint64_t>> now;
  for (const auto& [table, own] : heaps) {
    for (const Heap& heap : own) {
      oids.push_back(TableId{heap.oid});
      now[heap.oid] = {table, heap.filenode};
    }
  }
  TRY(seen, connection.query("SELECT oid, relfilenode FROM pg_class WHERE oid = ANY($1::oid[])", {array_of(oids)}));
  for (std::size_t r = 0; r < seen.size(); ++r) {
    const auto& [table, filenode] = now.at(seen.unsigned_number(r, 0));
    if (seen.unsigned_number(r, 1) != filenode) return std::optional(table);
  }
  return std::optional<TableId>();
}

std::string filenodes_query(TableId table) {
  const std::string oid = std::to_string(table.value) + "::oid";
  return "SELECT h.oid, pg_relation_filenode(h.oid) FROM (SELECT c.oid FROM pg_class c WHERE c.oid = " + oid +
         " AND c.relkind <> 'p' UNION ALL SELECT t.relid::oid FROM pg_class c, pg_partition_tree(c.oid) t WHERE c.oid = " +
         oid + " AND c.relkind = 'p' AND t.isleaf) h(oid) ORDER BY h.oid";
}

}  // namespace lockstep::postgres
