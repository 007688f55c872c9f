// Renders the progress bar as text: one line that fits the terminal.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "train/tasks/metric.h"

namespace convoy {

enum class LossTrend { unknown, falling, level, rising };

struct Bar {
  std::string label;  // "epoch 3/10"
  int64_t done = 0, total = 0;
  // NaN: unknown and not shown.
  double loss = std::numeric_limits<double>::quiet_NaN();
  LossTrend trend = LossTrend::unknown;
  std::optional<Metric> metric = {};
  double images_per_s = std::numeric_limits<double>::quiet_NaN();
  std::optional<double> eta_s;
  int64_t memory_bytes = 0;  // 0: unknown
};

struct BarStyle {
  bool unicode = false, colour = false;
};

// At most `width - 1` columns, because a full last column would wrap on some terminals. On a narrow
// terminal the less important fields are dropped first, then the bar, then characters.
std::string render_bar(const Bar& bar, int width, const BarStyle& style);

}  // namespace convoy
