#include "control/cli/display.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace lockstep::control {

Display::Display(int terminal_fd, const Clock& clock) : fd_(terminal_fd), clock_(clock) {}

bool Display::fits(int fd) {
  const char* terminal = std::getenv("TERM");
  return ::isatty(fd) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
}

Canvas Display::canvas() const {
  Canvas canvas;
  winsize size{};
  if (::ioctl(fd_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    canvas.width = size.ws_col - 1u;  // the last column makes some terminals wrap
    canvas.rows_max = std::clamp<std::size_t>(size.ws_row / 2u, 1, 20);
  }
  const char* no_color = std::getenv("NO_COLOR");  // no-color.org: any value but an empty one
  canvas.color = no_color == nullptr || *no_color == '\0';
  return canvas;
}

void Display::put(const std::string& text) const {
  std::string_view rest = text;
  while (!rest.empty()) {
    const ssize_t put = ::write(fd_, rest.data(), rest.size());
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return;  // a terminal that is gone needs no bars
    rest.remove_prefix(static_cast<std::size_t>(put));
  }
}

void Display::erase() {
  if (drawn_.empty()) return;
  put("\r\x1b[" + std::to_string(drawn_.size()) + "A\x1b[J");
  drawn_.clear();
}

void Display::print_line(std::string_view line) {
  const std::vector<std::string> below = drawn_;
  erase();
  std::string text = std::string(line) + "\n";
  for (const std::string& drawn : below) text += drawn + "\n";
  put(text);
  drawn_ = below;
}

Rates Display::rates_for(const runtime::MirrorStatus& status) {
  const auto now = clock_.monotonic();
  const CopyTotals totals = copy_totals(status);
  const std::uint64_t state = status.applied ? status.applied->state.value : 0;
  if (measured_at_ && now > *measured_at_) {
    constexpr double weight = 0.3;  // of the newest measure: calm to the eye, yet a stall shows within seconds
    const double seconds = std::chrono::duration<double>(now - *measured_at_).count();
    const auto smooth = [&](double& rate, std::uint64_t before, std::uint64_t after) {
      const double newest = after > before ? static_cast<double>(after - before) / seconds : 0;
      rate += weight * (newest - rate);
    };
    smooth(rates_.bytes_per_second, measured_.bytes_done, totals.bytes_done);
    smooth(rates_.states_per_second, measured_state_, state);
  }
  measured_at_ = now;
  measured_ = totals;
  measured_state_ = state;
  rates_.lag_seconds = runtime::lag_seconds(status, UnixMicros{clock_.wall().count()});
  return rates_;
}

void Display::draw(const runtime::MirrorStatus& status) {
  std::vector<std::string> lines = render_progress(status, rates_for(status), canvas());
  if (lines == drawn_) return;
  erase();
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  put(text);
  drawn_ = std::move(lines);
}

void Display::finish() { drawn_.clear(); }

}  // namespace lockstep::control
