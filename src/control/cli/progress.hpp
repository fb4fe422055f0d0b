#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/status.hpp"

namespace lockstep::control {

/// What a terminal can show.
struct Canvas {
  std::size_t width = 80;
  std::size_t rows_max = 12;  ///< of bars, at most
  bool color = false;
};

/// What the status alone does not tell.
struct Rates {
  double bytes_per_second = 0;  ///< of the copy, smoothed
  double states_per_second = 0;
  double lag_seconds = 0;
};

/// Bytes and rows of a whole copy, as far as the source's estimates tell.
struct CopyTotals {
  std::uint64_t bytes_done = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rows_done = 0;
  std::size_t tables_done = 0;
  std::size_t tables = 0;
};
CopyTotals copy_totals(const runtime::MirrorStatus& status);

/// The lines to draw, none longer than the canvas is wide: bars while tables are copied, one line while it streams.
std::vector<std::string> render_progress(const runtime::MirrorStatus& status, const Rates& rates, const Canvas& canvas);

/// "1.5 MB", "312 B": powers of 1000, as the source's own tools print them.
std::string human_bytes(double bytes);

}  // namespace lockstep::control
