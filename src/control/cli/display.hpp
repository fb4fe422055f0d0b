#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "control/cli/progress.hpp"

namespace lockstep::control {

/// Draws progress at the bottom of a terminal, with log lines scrolling above it. One thread.
class Display {
 public:
  Display(int terminal_fd, const Clock& clock);
  /// True when the descriptor is a terminal that bars make sense on.
  static bool fits(int fd);

  void print_line(std::string_view line);
  void draw(const runtime::MirrorStatus& status);
  /// Leaves what was drawn last where it is.
  void finish();

 private:
  void erase();
  void put(const std::string& text) const;
  Rates rates_for(const runtime::MirrorStatus& status);
  Canvas canvas() const;

  const int fd_;
  const Clock& clock_;
  std::vector<std::string> drawn_;
  std::optional<std::chrono::nanoseconds> measured_at_;
  CopyTotals measured_;
  std::uint64_t measured_state_ = 0;
  Rates rates_;
};

}  // namespace lockstep::control
