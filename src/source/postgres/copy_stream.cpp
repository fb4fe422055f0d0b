// Why a range is read in such a ceremony (docs/copy-join-publish.md has the rule): a snapshot keeps rows, but neither the
// place where they lie (VACUUM FULL, TRUNCATE and rewrites are not MVCC-safe for page ranges) nor the shape that they are
// read in (the relation's current one is used). So, in one transaction: take the weakest lock, which keeps both as they
// are, then see whether both are still what the plan says, and only then read.

#include "source/postgres/copy_stream.hpp"

#include <libpq-fe.h>

#include <map>
#include <optional>
#include <utility>

#include "source/postgres/copy_channel.hpp"
#include "source/postgres/copy_rows.hpp"
#include "source/postgres/heaps.hpp"
#include "source/postgres/names.hpp"
#include "source/postgres/ranges.hpp"
#include "source/postgres/shapes.hpp"
#include "source/postgres/snapshot.hpp"

namespace lockstep::postgres {
namespace {

using std::chrono::milliseconds;

Error moved(const TableName& name, const char* what) {
  return {ErrorKind::conflict, std::string("the table was ") + what + " after its copy began", "it is copied again",
          to_text(name)};
}

/// The server's errors, as the reader of a table has to take them.
Error judged(Error error, const TableName& name) {
  const std::string& code = error.native;
  error.table = to_text(name);
  if (code == "42P01" || code == "42703" || code == "3F000") return moved(name, "renamed, dropped or altered");
  if (code == "55P03" || code == "57014") error.kind = ErrorKind::busy;
  if (code == "22023" || code == "42704" || code == "55000") {  // SET TRANSACTION SNAPSHOT's ways of saying it
    error.kind = ErrorKind::unreachable;
    error.what = "the snapshot that the table was to be read under is gone";
  }
  return error;
}

/// "SELECT a, format('%s', b) …": what is not decoded from its binary form comes as its output function writes it.
std::string select_list(const TypeRows& types, const CatalogTable& table, std::vector<bool>& as_text) {
  std::string list;
  for (const CatalogColumn& column : table.columns) {
    if (!column.sent()) continue;
    const std::string name = quote_identifier(column.name);
    as_text.push_back(arrives_as_text(types, column));
    if (!list.empty()) list += ", ";
    // A composite value of nothing but NULLs "IS NULL", yet is none.
    list += as_text.back() ? "CASE WHEN num_nonnulls(" + name + ") = 1 THEN format('%s', " + name + ") END" : name;
  }
  return list;
}

/// The columns that a statement would have now, against those that the snapshot's catalog has. The server describes a
/// domain as what it is made of.
bool same_columns(const TypeRows& types, const Rows& by_snapshot, const Rows& now) {
  if (by_snapshot.size() != now.column_count()) return false;
  for (std::size_t i = 0; i < by_snapshot.size(); ++i) {
    const int column = static_cast<int>(i);
    if (by_snapshot.number(i, 0) != PQftablecol(now.raw(), column)) return false;
    if (by_snapshot.text(i, 1) != PQfname(now.raw(), column)) return false;
    auto type = static_cast<std::uint32_t>(by_snapshot.unsigned_number(i, 2));
    std::int64_t modifier = by_snapshot.number(i, 3);
    for (auto row = types.find(type); row != types.end() && row->second.kind == 'd'; row = types.find(type)) {
      type = row->second.base;
      modifier = row->second.base_modifier;
    }
    if (type != PQftype(now.raw(), column) || modifier != PQfmod(now.raw(), column)) return false;
  }
  return true;
}

std::vector<Heap> heaps_of(const Rows& rows) {
  std::vector<Heap> heaps;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    heaps.push_back({static_cast<std::uint32_t>(rows.unsigned_number(r, 0)),
                     static_cast<std::uint32_t>(rows.unsigned_number(r, 1)), 0, 0});
  }
  return heaps;
}

class CopyStream final : public RowStream {
 public:
  CopyStream(std::shared_ptr<ConnectionPool> pool, std::unique_ptr<Connection> connection, std::string snapshot_name,
             source::RangePlan plan, std::shared_ptr<source::RangeQueue> ranges)
      : pool_(std::move(pool)),
        connection_(std::move(connection)),
        snapshot_name_(std::move(snapshot_name)),
        plan_(std::move(plan)),
        ranges_(std::move(ranges)),
        channel_(open_channel(*connection_, false)) {}

  /// Learns what the ranges need, and starts the first one.
  Status open(std::vector<ColumnDecoder> decoders) {
    TRY(catalog, read_catalog(*connection_, {plan_.shape.table}));
    const auto found = catalog.tables.find(plan_.shape.table);
    if (found == catalog.tables.end()) return moved(plan_.shape.name, "dropped");
    if (shape_of(catalog.types, found->second) != plan_.shape) return moved(plan_.shape.name, "altered");
    partitioned_ = found->second.kind == 'p';
    std::vector<bool> as_text;
    select_list_ = select_list(catalog.types, found->second, as_text);
    types_ = std::move(catalog.types);
    rows_.emplace(std::move(decoders), std::move(as_text));
    TRY_DO(name_heaps());
    return start_range();
  }

  Result<std::size_t> read(std::span<VectorView> columns, std::size_t capacity) override {
    CHECK(columns.size() == plan_.shape.columns.size());
    channel_->release();
    std::size_t count = 0;
    while (in_range_ && count < capacity) {
      Result<CopyChannel::Message> message = channel_->next(milliseconds(1000));
      if (!message.ok()) return failed(message.error());
      if (message.value().got == CopyChannel::Got::nothing) continue;
      if (message.value().got == CopyChannel::Got::end) {
        if (Status started = start_range(); !started.ok()) return failed(started.error());
        continue;
      }
      Result<std::size_t> decoded = rows_->decode(message.value().bytes, columns, count);
      if (!decoded.ok()) return failed(of_column(decoded.error()));
      count += decoded.value();
    }
    return count;
  }

 private:
  Error failed(Error error) {
    in_range_ = false;
    if (connection_ != nullptr) connection_.reset();  // in the middle of something: of no use to anybody
    return error.table.empty() ? judged(std::move(error), plan_.shape.name) : error;
  }

  Error of_column(Error error) const {
    error.table = to_text(plan_.shape.name);
    error.column = plan_.shape.columns[rows_->column_at_fault()].name;
    return error;
  }

  Status name_heaps() {
    if (!partitioned_) {
      heap_names_[oid_of(plan_.shape.table)] = quote_table(plan_.shape.name.schema, plan_.shape.name.table);
      return Done{};
    }
    TRY(rows, connection_->query("SELECT c.oid, n.nspname, c.relname FROM pg_partition_tree($1::oid::regclass) t"
                                 " JOIN pg_class c ON c.oid = t.relid JOIN pg_namespace n ON n.oid = c.relnamespace",
                                 {std::to_string(plan_.shape.table.value)}));
    for (std::size_t r = 0; r < rows.size(); ++r) {
      heap_names_[static_cast<std::uint32_t>(rows.unsigned_number(r, 0))] =
          quote_table(rows.text(r, 1), rows.text(r, 2));
    }
    return Done{};
  }

  /// Ends the range that was read and starts the next one, if there is one.
  Status start_range() {
    const std::optional<source::Range> range = ranges_->take();
    const std::string end = in_range_ ? "COMMIT; " : "";
    in_range_ = false;
    if (!range) return finish(end);
    const auto heap = heap_names_.find(heap_of(*range));
    if (heap == heap_names_.end()) return moved(plan_.shape.name, "partitioned otherwise");
    TRY_DO(check(end, heap_of(*range), heap->second));
    std::string sql = "COPY (SELECT " + select_list_ + " FROM ONLY " + heap->second + " WHERE ctid >= '(" +
                      std::to_string(page_of(range->begin)) + ",0)'";
    if (range->end) sql += " AND ctid < '(" + std::to_string(page_of(*range->end)) + ",0)'";
    if (Status started = channel_->start(sql + ") TO STDOUT (FORMAT binary)"); !started.ok()) {
      return judged(started.error(), plan_.shape.name);
    }
    rows_->restart();
    in_range_ = true;
    return Done{};
  }

  Status finish(const std::string& end) {
    if (!end.empty()) TRY_DO(connection_->run("COMMIT"));
    pool_->give_back(std::move(connection_));
    return Done{};
  }

  /// Begins the transaction, locks the heap, and compares.
  Status check(const std::string& end, std::uint32_t heap, const std::string& heap_name) {
    Result<std::vector<Rows>> answers = connection_->query_each(
        end + begin_under(snapshot_name_) + "; SET LOCAL lock_timeout = '2s'; LOCK TABLE ONLY " + heap_name +
        " IN ACCESS SHARE MODE; SELECT " + quote_literal(heap_name) +
        "::regclass::oid; SELECT attnum, attname, atttypid, atttypmod FROM pg_attribute WHERE attrelid = " +
        std::to_string(heap) + " AND attnum > 0 AND NOT attisdropped ORDER BY attnum; SELECT * FROM ONLY " + heap_name +
        " LIMIT 0; " + filenodes_query(plan_.shape.table));
    if (!answers.ok()) return judged(answers.error(), plan_.shape.name);
    const std::size_t count = answers.value().size();
    CHECK(count >= 4);
    const Rows& oid = answers.value()[count - 4];
    if (oid.unsigned_number(0, 0) != heap) return moved(plan_.shape.name, "renamed");
    if (!same_columns(types_, answers.value()[count - 3], answers.value()[count - 2]))
      return moved(plan_.shape.name, "altered");
    const std::vector<Heap> heaps = heaps_of(answers.value()[count - 1]);
    if (storage_of(heaps, partitioned_) != plan_.storage) return moved(plan_.shape.name, "rewritten");
    return Done{};
  }

  std::shared_ptr<ConnectionPool> pool_;
  std::unique_ptr<Connection> connection_;
  std::string snapshot_name_;
  source::RangePlan plan_;
  std::shared_ptr<source::RangeQueue> ranges_;
  std::unique_ptr<CopyChannel> channel_;  // holds what `read` gave out; ends before the connection
  std::optional<CopyRows> rows_;
  std::string select_list_;
  TypeRows types_;
  std::map<std::uint32_t, std::string> heap_names_;
  bool partitioned_ = false;
  bool in_range_ = false;
};

}  // namespace

Result<std::unique_ptr<RowStream>> open_copy_stream(std::shared_ptr<ConnectionPool> pool,
                                                    std::unique_ptr<Connection> connection, std::string snapshot_name,
                                                    const source::RangePlan& plan,
                                                    std::shared_ptr<source::RangeQueue> ranges,
                                                    std::vector<ColumnDecoder> decoders) {
  auto stream = std::make_unique<CopyStream>(std::move(pool), std::move(connection), std::move(snapshot_name), plan,
                                             std::move(ranges));
  TRY_DO(stream->open(std::move(decoders)));
  return std::unique_ptr<RowStream>(std::move(stream));
}

}  // namespace lockstep::postgres
