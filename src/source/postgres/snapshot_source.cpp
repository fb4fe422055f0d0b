#include "source/postgres/snapshot_source.hpp"

#include <map>

#include "source/postgres/copy_stream.hpp"
#include "source/postgres/decoder_factory.hpp"
#include "source/postgres/heaps.hpp"
#include "source/postgres/names.hpp"
#include "source/postgres/ranges.hpp"
#include "source/postgres/shapes.hpp"
#include "source/postgres/snapshot.hpp"

namespace lockstep::postgres {
namespace {

/// Every Snapshot that reaches us is one that we made.
const PgSnapshot& ours(const source::Snapshot& snapshot) { return static_cast<const PgSnapshot&>(snapshot); }

Error changing(const TableName& name, std::string what) {
  return {ErrorKind::busy, std::move(what), "it is tried again", to_text(name)};
}

Result<Catalog> read_under(Connection& connection, const std::string& snapshot_name,
                           const std::vector<TableId>& tables) {
  TRY_DO(connection.run(begin_under(snapshot_name)));
  Result<Catalog> catalog = read_catalog(connection, tables);
  if (!catalog.ok()) return catalog;
  TRY_DO(connection.run("COMMIT"));
  return catalog;
}

/// Tables that somebody holds or wants ACCESS EXCLUSIVE on: their shape may be another one in a moment.
Status check_nobody_alters(Connection& connection, const std::vector<TableId>& tables) {
  TRY(rows, connection.query("SELECT n.nspname, c.relname, l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation"
                             " JOIN pg_namespace n ON n.oid = c.relnamespace"
                             " WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock'"
                             " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                             " AND l.relation = ANY($1::oid[]) LIMIT 1",
                             {array_of(tables)}));
  if (rows.size() == 0) return Done{};
  return changing({rows.string(0, 0), rows.string(0, 1)}, "process " + rows.string(0, 2) + " is altering the table");
}

Result<std::vector<source::RangePlan>> make_plans(const Catalog& catalog,
                                                  const std::map<TableId, std::vector<Heap>>& heaps,
                                                  std::uint64_t page_bytes, const std::vector<TableId>& tables) {
  std::vector<source::RangePlan> plans;
  for (const TableId id : tables) {
    const CatalogTable& table = catalog.tables.at(id);
    const auto found = heaps.find(id);
    source::RangePlan plan;
    plan.shape = shape_of(catalog.types, table);
    const std::vector<Heap> none;
    const std::vector<Heap>& own = found == heaps.end() ? none : found->second;
    plan.storage = storage_of(own, table.kind == 'p');
    plan.ranges = plan_ranges(own, page_bytes);
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace

Result<std::unique_ptr<source::Snapshot>> PgSnapshotSource::take_snapshot() {
  TRY(connection, Connection::open(pool_->address(), Purpose::ordinary));
  TRY(snapshot, PgSnapshot::take(std::move(connection)));
  return std::unique_ptr<source::Snapshot>(std::move(snapshot));
}

Status PgSnapshotSource::write_mark(const std::string& text) {
  TRY(connection, pool_->take());
  TRY(rows, connection->query("SELECT pg_logical_emit_message(true, 'lockstep.mark', $1::text)", {text}));
  static_cast<void>(rows);
  pool_->give_back(std::move(connection));
  return Done{};
}

Result<std::vector<source::RangePlan>> PgSnapshotSource::plan(const source::Snapshot& snapshot,
                                                              const std::vector<TableId>& tables) {
  TRY(connection, pool_->take());
  TRY(then, read_under(*connection, ours(snapshot).name(), tables));
  TRY_DO(check_nobody_alters(*connection, tables));
  TRY(heaps, read_heaps(*connection, tables));
  TRY(now, read_catalog(*connection, tables));
  TRY(page, connection->query("SELECT current_setting('block_size')"));
  for (const TableId id : tables) {
    const auto seen = then.tables.find(id);
    const auto current = now.tables.find(id);
    if (seen == then.tables.end() || current == now.tables.end()) {
      return changing({"oid", std::to_string(id.value)}, "the table was just created or dropped");
    }
    if (shape_of(then.types, seen->second) != shape_of(now.types, current->second)) {
      return changing(current->second.name, "the table has just been altered");
    }
  }
  TRY_DO(connection->run(begin_under(ours(snapshot).name())));
  TRY(rewritten, first_rewritten(*connection, heaps));
  TRY_DO(connection->run("COMMIT"));
  if (rewritten)
    return changing(now.tables.at(*rewritten).name, "the table was rewritten after the snapshot was taken");
  TRY(plans, make_plans(now, heaps, page.unsigned_number(0, 0), tables));
  pool_->give_back(std::move(connection));
  return plans;
}

Result<std::unique_ptr<RowStream>> PgSnapshotSource::open_stream(const source::Snapshot& snapshot,
                                                                 const source::RangePlan& plan,
                                                                 std::shared_ptr<source::RangeQueue> ranges,
                                                                 const std::vector<LogicalType>& targets) {
  CHECK(targets.size() == plan.shape.columns.size());
  std::vector<ColumnDecoder> decoders;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    TRY(decoder, PgDecoderFactory().decoder(plan.shape.columns[i], targets[i]));
    decoders.push_back(decoder);
  }
  TRY(connection, pool_->take());
  return open_copy_stream(pool_, std::move(connection), ours(snapshot).name(), plan, std::move(ranges),
                          std::move(decoders));
}

}  // namespace lockstep::postgres
