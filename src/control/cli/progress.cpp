#include "control/cli/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace lockstep::control {
namespace {

using destination::TableState;
using runtime::MirrorState;
using runtime::MirrorStatus;
using runtime::TableStatus;

bool is_copied(const TableStatus& table) {
  return table.state == TableState::joining || table.state == TableState::live;
}

/// Between 0 and 1; a table whose size nobody knows is half done until it is done.
double fraction(const TableStatus& table) {
  if (is_copied(table)) return 1;
  if (table.rows_copied == 0) return 0;
  if (table.rows_estimated < 1) return 0.5;
  // Estimates are often low: never full before the end.
  return std::min(0.99, static_cast<double>(table.rows_copied) / table.rows_estimated);
}

std::string bar(double done, std::size_t width) {
  const auto full = static_cast<std::size_t>(std::lround(std::clamp(done, 0.0, 1.0) * static_cast<double>(width)));
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<long>(std::min(seconds, 360'000.0));
  return whole >= 3600 ? fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60)
                       : fmt::format("{}:{:02}", whole / 60, whole % 60);
}

/// Cuts to at most `width` characters; a cut never falls inside a UTF-8 character.
std::string cut(std::string text, std::size_t width) {
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0u) != 0x80u;
    if (begins && shown++ == width) return text.substr(0, i);
  }
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::string shown = cut(text, width);
  const auto count = static_cast<std::size_t>(std::count_if(
      shown.begin(), shown.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
  return shown + std::string(width - std::min(width, count), ' ');
}

std::string painted(const std::string& text, const char* code, const Canvas& canvas) {
  return canvas.color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string total_line(const MirrorStatus& status, const Rates& rates, const Canvas& canvas) {
  const CopyTotals totals = copy_totals(status);
  const double done =
      totals.bytes == 0 ? 0 : static_cast<double>(totals.bytes_done) / static_cast<double>(totals.bytes);
  std::string line =
      fmt::format("{} {} {:3.0f}%  {} of {} tables  {} of {}", runtime::name_of(status.state),
                  bar(done, canvas.width >= 100 ? 24 : 12), std::floor(done * 100), totals.tables_done, totals.tables,
                  human_bytes(static_cast<double>(totals.bytes_done)), human_bytes(static_cast<double>(totals.bytes)));
  if (rates.bytes_per_second > 0) {
    const double left = static_cast<double>(totals.bytes - totals.bytes_done) / rates.bytes_per_second;
    line += fmt::format("  {}/s  ETA {}", human_bytes(rates.bytes_per_second), clock_text(left));
  }
  line += fmt::format("  {} rows", totals.rows_done);  // last: a narrow terminal cuts it off
  return painted(cut(line, canvas.width), "1", canvas);
}

std::string table_line(const TableStatus& table, const Canvas& canvas) {
  const std::size_t name_width = std::clamp<std::size_t>(canvas.width / 3, 8, 40);
  const double done = fraction(table);
  std::string line = fmt::format("  {} {} {:3.0f}%  {} rows", padded(to_text(table.name), name_width), bar(done, 16),
                                 std::floor(done * 100), table.rows_copied);
  if (table.rows_estimated >= 1 && !is_copied(table)) line += fmt::format(" of about {:.0f}", table.rows_estimated);
  return cut(line, canvas.width);
}

std::vector<std::string> copy_lines(const MirrorStatus& status, const Rates& rates, const Canvas& canvas) {
  std::vector<std::string> lines{total_line(status, rates, canvas)};
  std::vector<const TableStatus*> shown;
  for (const TableStatus& table : status.tables) {
    if (table.state == TableState::copying || table.state == TableState::resyncing) shown.push_back(&table);
  }
  // Those that are being read first; the untouched rest of a large schema would only push them away.
  std::stable_sort(shown.begin(), shown.end(), [](const TableStatus* a, const TableStatus* b) {
    const double of_a = fraction(*a);
    const double of_b = fraction(*b);
    return (of_a > 0 && of_a < 1) > (of_b > 0 && of_b < 1);
  });
  if (shown.size() > canvas.rows_max) shown.resize(canvas.rows_max);
  for (const TableStatus* table : shown) lines.push_back(table_line(*table, canvas));
  return lines;
}

std::string stream_line(const MirrorStatus& status, const Rates& rates, const Canvas& canvas) {
  std::string line = fmt::format("{}", runtime::name_of(status.state));
  if (status.applied) {
    line += fmt::format("  state {}  {}", status.applied->state.value, to_text(status.applied->position));
    if (const auto lag = runtime::lag_bytes(status)) {
      line += fmt::format("  behind {}, {:.1f} s", human_bytes(static_cast<double>(*lag)), rates.lag_seconds);
    }
    if (rates.states_per_second >= 0.5) line += fmt::format("  {:.0f} transactions/s", rates.states_per_second);
  }
  return painted(cut(line, canvas.width), status.state == MirrorState::streaming ? "32" : "33", canvas);
}

}  // namespace

CopyTotals copy_totals(const MirrorStatus& status) {
  CopyTotals totals;
  for (const TableStatus& table : status.tables) {
    if (table.state == TableState::left_out || table.state == TableState::quarantined) continue;
    ++totals.tables;
    totals.tables_done += is_copied(table) ? 1u : 0u;
    totals.rows_done += table.rows_copied;
    totals.bytes += table.bytes_estimated;
    totals.bytes_done += static_cast<std::uint64_t>(fraction(table) * static_cast<double>(table.bytes_estimated));
  }
  return totals;
}

std::vector<std::string> render_progress(const MirrorStatus& status, const Rates& rates, const Canvas& canvas) {
  std::vector<std::string> lines;
  switch (status.state) {
    case MirrorState::copying:
    case MirrorState::joining: lines = copy_lines(status, rates, canvas); break;
    case MirrorState::streaming:
    case MirrorState::paused: lines = {stream_line(status, rates, canvas)}; break;
    case MirrorState::assessing:
    case MirrorState::failed:
    case MirrorState::stopped: lines = {cut(runtime::name_of(status.state), canvas.width)}; break;
  }
  if (!status.error.empty()) lines.push_back(painted(cut(status.error, canvas.width), "31", canvas));
  return lines;
}

std::string human_bytes(double bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 999.5 && unit + 1 < units.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

}  // namespace lockstep::control
