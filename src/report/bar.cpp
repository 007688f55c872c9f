#include "report/bar.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text/text.h"

namespace convoy {
namespace {

constexpr int least_bar = 8, most_bar = 32;

struct Piece {
  std::string text;
  int need;  // the smallest is dropped first
};

std::string_view mark_of(LossTrend trend, bool unicode) {
  switch (trend) {
    case LossTrend::falling:
      return unicode ? " ↘" : " \\";
    case LossTrend::level:
      return unicode ? " →" : " -";
    case LossTrend::rising:
      return unicode ? " ↗" : " /";
    default:
      return "";
  }
}

std::vector<Piece> pieces_of(const Bar& bar, double share, bool unicode) {
  std::vector<Piece> pieces;
  pieces.push_back({fmt::format("{:>3}%", static_cast<int>(100 * share)), 9});
  const std::string total = std::to_string(bar.total);
  pieces.push_back({fmt::format("{:>{}}/{}", bar.done, total.size(), total), 1});
  if (!std::isnan(bar.loss)) {
    pieces.push_back({fmt::format("loss {:.4f}{}", bar.loss, mark_of(bar.trend, unicode)), 7});
  }
  if (bar.metric) {
    pieces.push_back({fmt::format("{} {}", bar.metric->def->title, shown_value(*bar.metric)), 4});
  }
  if (!std::isnan(bar.images_per_s)) {
    pieces.push_back({fmt::format("{:.0f} img/s", bar.images_per_s), 3});
  }
  if (bar.memory_bytes > 0) {
    pieces.push_back({human_bytes(static_cast<double>(bar.memory_bytes)), 2});
  }
  if (bar.eta_s) pieces.push_back({"ETA " + human_seconds(*bar.eta_s), 6});
  return pieces;
}

// Two blanks before each piece except the label.
int columns_of(const std::vector<Piece>& pieces) {
  int sum = 0;
  for (const Piece& piece : pieces) {
    sum += 2 + static_cast<int>(
                   std::ranges::count_if(piece.text, [](char c) { return (c & 0xc0) != 0x80; }));
  }
  return sum;
}

std::string drawn(int columns, double share, const BarStyle& style) {
  const int full = std::clamp(static_cast<int>(std::lround(share * columns)), 0, columns);
  std::string text = style.colour ? "\x1b[32m" : "";
  for (int i = 0; i < full; ++i) text += style.unicode ? "━" : "#";
  if (style.colour) text += "\x1b[0;2m";
  for (int i = full; i < columns; ++i) text += style.unicode ? "─" : "-";
  if (style.colour) text += "\x1b[0m";
  return text;
}

}  // namespace

std::string render_bar(const Bar& bar, int width, const BarStyle& style) {
  const int room = std::max(width - 1, 0);
  const double share =
      bar.total > 0
          ? std::clamp(static_cast<double>(bar.done) / static_cast<double>(bar.total), 0.0, 1.0)
          : 0.0;
  const int label = static_cast<int>(bar.label.size());
  std::vector<Piece> pieces = pieces_of(bar, share, style.unicode);
  const auto left = [&] { return room - label - columns_of(pieces); };
  // The step counter and the speed may be dropped for the bar, but not the loss or the ETA.
  while (!pieces.empty()) {
    const auto least =
        std::min_element(pieces.begin(), pieces.end(),
                         [](const Piece& a, const Piece& b) { return a.need < b.need; });
    const bool bar_fits = left() >= least_bar + 2;
    if (bar_fits || (least->need > 4 && left() >= 0)) break;
    pieces.erase(least);
  }
  std::string text = bar.label;
  const int columns = std::min(left() - 2, most_bar);
  if (columns >= least_bar) text += "  " + drawn(columns, share, style);
  for (const Piece& piece : pieces) text += "  " + piece.text;
  if (pieces.empty()) text.resize(static_cast<size_t>(std::min(label, room)));
  return text;
}

}  // namespace convoy
