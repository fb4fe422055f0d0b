#include "follower.hpp"

#include <algorithm>
#include <stdexcept>

#include "model/row.hpp"
#include "server.hpp"

namespace lockstep::postgres_test {
namespace {

std::vector<LogicalType> types_of(const TableShape& shape) {
  std::vector<LogicalType> types;
  for (const Column& column : shape.columns) types.push_back(column.type);
  return types;
}

void append_lines(ColumnBatch& batch, std::size_t count, std::vector<std::string>& lines) {
  for (std::size_t r = 0; r < count; ++r) {
    std::string line;
    for (std::size_t c = 0; c < batch.columns().size(); ++c)
      line += (c > 0 ? "|" : "") + value_text(batch.columns()[c], r);
    lines.push_back(std::move(line));
  }
}

}  // namespace

std::vector<std::string> copy_all(source::Source& source, const source::Snapshot& snapshot,
                                  const source::RangePlan& plan, int streams) {
  const std::vector<LogicalType> types = types_of(plan.shape);
  const auto queue = std::make_shared<source::RangeQueue>(plan.ranges);
  std::vector<std::unique_ptr<RowStream>> open;
  for (int i = 0; i < streams; ++i) open.push_back(must(source.snapshots->open_stream(snapshot, plan, queue, types)));
  std::vector<std::string> lines;
  ColumnBatch batch(types, 1000);
  while (!open.empty()) {
    for (auto& stream : open) {
      batch.clear();
      const std::size_t count = must(stream->read(batch.columns(), batch.capacity()));
      append_lines(batch, count, lines);
      if (count == 0) stream.reset();
    }
    std::erase(open, nullptr);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

std::string Follower::row_text(TableId table, Bytes row) {
  if (row.empty()) return "-";
  const TableShape& shape = shapes_.at(table);
  std::vector<Cell> cells;
  if (!split_row(row, cells) || cells.size() != shape.columns.size()) return "(no row)";
  ColumnBatch batch(types_of(shape), 1);
  std::string text = "(";
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text += ", ";
    saw_binary_ = saw_binary_ || cells[i].state == Cell::State::binary;
    if (cells[i].state == Cell::State::unchanged) {
      text += "unchanged";
      continue;
    }
    const ColumnDecoder decoder = must(source_.decoders->decoder(shape.columns[i], shape.columns[i].type));
    if (decoder.decode(decoder, cells[i], batch.columns()[i], 0) != Decoded::ok)
      return "(undecodable " + shape.columns[i].name + ")";
    text += value_text(batch.columns()[i], 0);
  }
  return text + ")";
}

std::string Follower::change_text(const RowChanged& changed) {
  const std::string name = shapes_.contains(changed.table) ? shapes_[changed.table].name.table : "?";
  const std::string old_row = row_text(changed.table, changed.change.old_row);
  const std::string new_row = row_text(changed.table, changed.change.new_row);
  if (changed.change.kind == ChangeKind::insert) return "insert " + name + " " + new_row;
  if (changed.change.kind == ChangeKind::erase) return "delete " + name + " " + old_row;
  return "update " + name + " " + old_row + " " + new_row;
}

std::string Follower::line_of(SourceMessage& message) {
  if (const auto* begun = std::get_if<TransactionBegun>(&message)) {
    xids_.push_back(begun->xid);
    return "begin";
  }
  if (const auto* committed = std::get_if<TransactionCommitted>(&message)) {
    last_commit_ = through_ = committed->end;
    return committed->was_open ? "commit streamed" : "commit";
  }
  if (const auto* part = std::get_if<PartBegun>(&message)) return part->first ? "part first" : "part";
  if (std::holds_alternative<PartEnded>(message)) return "part end";
  if (const auto* aborted = std::get_if<PartAborted>(&message))
    return aborted->sub == aborted->xid ? "abort" : "abort sub";
  if (auto* seen = std::get_if<ShapeSeen>(&message)) {
    TableShape& known = shapes_[seen->shape.table];
    if (known == seen->shape) return {};  // the server repeats one whenever its caches were dropped
    known = seen->shape;
    return "shape " + seen->shape.name.table;
  }
  if (const auto* changed = std::get_if<RowChanged>(&message)) return change_text(*changed);
  if (const auto* step = std::get_if<StepTaken>(&message)) {
    if (step->change.kind == ChangeKind::message) {
      return "message " + std::string(step->change.prefix) + " " + std::string(text_of(step->change.content));
    }
    std::string line = "truncate";
    for (const TableId table : step->change.tables)
      line += " " + (shapes_.contains(table) ? shapes_[table].name.table : "?");
    return line;
  }
  if (const auto* progressed = std::get_if<Progressed>(&message)) through_ = progressed->through;
  return {};
}

std::vector<std::string> Follower::until_caught_up() {
  must(source_.changes->heartbeat());
  const Position end = must(source_.changes->end_of_log());
  std::vector<std::string> lines;
  for (int quiet = 0; through_ < end && quiet < 300;) {
    auto message = source_.changes->next(std::chrono::milliseconds(100));
    if (!message.ok()) {
      error_ = message.error();
      return lines;
    }
    if (std::holds_alternative<NothingYet>(message.value())) ++quiet;
    if (std::string line = line_of(message.value()); !line.empty()) lines.push_back(std::move(line));
  }
  if (through_ < end) throw std::runtime_error("the stream did not reach " + to_text(end));
  return lines;
}

std::vector<std::string> Follower::until_line(const std::string& start) {
  std::vector<std::string> lines;
  for (int quiet = 0; quiet < 300;) {
    auto message = source_.changes->next(std::chrono::milliseconds(100));
    if (!message.ok()) {
      error_ = message.error();
      return lines;
    }
    if (std::holds_alternative<NothingYet>(message.value())) ++quiet;
    std::string line = line_of(message.value());
    const bool found = line.starts_with(start);
    if (!line.empty()) lines.push_back(std::move(line));
    if (found) return lines;
  }
  throw std::runtime_error("the stream never said '" + start + "'");
}

}  // namespace lockstep::postgres_test
