#include "app/progress.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "report/bar.h"

namespace convoy {
namespace {

constexpr int columns = 60;
constexpr double redraw_s = 0.1;

}  // namespace

ProgressLine::ProgressLine(std::string label, bool wanted)
    : label_(std::move(label)), shows_(wanted && ::isatty(STDERR_FILENO) == 1) {}

void ProgressLine::clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
}

void ProgressLine::at(int64_t done, int64_t total) {
  if (!shows_) return;
  const double now = steady_seconds();
  if (drawn_ && done < total && now - drawn_at_ < redraw_s) return;
  show(stderr, "\r\033[K{}",
       render_bar({.label = label_, .done = done, .total = total, .eta_s = {}}, columns, {}));
  std::fflush(stderr);
  drawn_ = true;
  drawn_at_ = now;
}

}  // namespace convoy
