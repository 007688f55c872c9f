#include "plot/plot.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace convoy {
namespace {

constexpr Ink paper{255, 255, 255}, ink{30, 30, 36}, soft{90, 92, 100}, grid{226, 228, 234},
    frame{120, 122, 130};
constexpr int64_t gap = 8, right = 24, row = Canvas::letter_height + 2 * gap, below = 2 * row - gap;
constexpr double y_margin = 0.06;

int x_ticks(const PixelRect& area) {
  return static_cast<int>(std::max<int64_t>(2, area.width / 110));
}
int y_ticks(const PixelRect& area) {
  return static_cast<int>(std::max<int64_t>(2, area.height / 40));
}

// The width of the y axis numbers, the same in all panels, so that their x axes are aligned.
int64_t left_room(const Plot& plot) {
  int64_t most = Canvas::letter_step;
  for (const Panel& panel : plot.panels) {
    for (const Tick& tick : y_scale(panel).ticks(static_cast<int>(plot.height / 40))) {
      most = std::max(most, Canvas::text_width(tick.label));
    }
  }
  return std::min(most, plot.width / 3) + 3 * gap;
}

class PanelDrawing {
 public:
  PanelDrawing(Canvas& canvas, const Panel& panel, const PixelRect& area)
      : canvas_(canvas), panel_(panel), area_(area), x_(x_scale(panel)), y_(y_scale(panel)) {}

  void axes() {
    for (const Tick& tick : x_.ticks(x_ticks(area_))) {
      const int64_t x = column(tick.value);
      canvas_.fill({x, area_.y, 1, area_.height}, grid);
      if (tick.label.empty()) continue;
      canvas_.fill({x, area_.y + area_.height, 1, gap / 2}, frame);
      const int64_t width = Canvas::text_width(tick.label);
      canvas_.text(std::min(x - width / 2, canvas_.all().width - width),
                   area_.y + area_.height + gap, tick.label, soft);
    }
    for (const Tick& tick : y_.ticks(y_ticks(area_))) {
      const int64_t y = line(tick.value);
      canvas_.fill({area_.x, y, area_.width, 1}, grid);
      if (tick.label.empty()) continue;
      canvas_.fill({area_.x - gap / 2, y, gap / 2, 1}, frame);
      canvas_.text(area_.x - gap - Canvas::text_width(tick.label), y - Canvas::letter_height / 2,
                   tick.label, soft);
    }
    canvas_.fill({area_.x - 1, area_.y, 1, area_.height + 1}, frame);
    canvas_.fill({area_.x - 1, area_.y + area_.height, area_.width + 1, 1}, frame);
    const int64_t label = Canvas::text_width(panel_.x.label);
    canvas_.text(area_.x + (area_.width - label) / 2, area_.y + area_.height + row - 2,
                 panel_.x.label, ink);
    canvas_.text(area_.x, area_.y - row + gap, panel_.y.label, ink);
  }

  // Writes the legend from right to left; entries that would overlap the title are left out.
  void legend() {
    int64_t x = area_.x + area_.width;
    const int64_t least = area_.x + Canvas::text_width(panel_.y.label) + 2 * gap;
    const auto add = [&](const std::string& name, Ink colour) {
      const int64_t width = Canvas::text_width(name) + 5 * gap;
      if (name.empty() || x - width < least) return;
      x -= width;
      canvas_.fill({x, area_.y - row + gap + Canvas::letter_height / 2 - 1, 3 * gap, 4}, colour);
      canvas_.text(x + 4 * gap, area_.y - row + gap, name, ink);
      x -= gap;
    };
    for (size_t i = panel_.marks.size(); i-- > 0;) add(panel_.marks[i].name, panel_.marks[i].ink);
    for (size_t i = panel_.series.size(); i-- > 0;) {
      add(panel_.series[i].name, panel_.series[i].ink);
    }
  }

  void curves() {
    for (const Series& series : panel_.series) {
      expect(series.x.size() == series.y.size(), "a series has as many x as y");
      std::vector<Point> points;
      for (size_t i = 0; i < series.x.size(); ++i) {
        if (x_.shows(series.x[i]) && y_.shows(series.y[i])) {
          points.push_back(place(series.x[i], series.y[i]));
        } else {
          finish(series, points);
        }
      }
      finish(series, points);
    }
    for (const PlotMark& mark : panel_.marks) {
      if (x_.shows(mark.x)) canvas_.fill({column(mark.x), area_.y, 2, area_.height}, mark.ink);
    }
  }

 private:
  Point place(double x, double y) const {
    // Clamped: values far outside the picture are clipped anyway.
    const double up = std::clamp(y_.at(y), -1e3, 1e3);
    return {static_cast<double>(area_.x) + x_.at(x) * static_cast<double>(area_.width),
            static_cast<double>(area_.y) + (1 - up) * static_cast<double>(area_.height)};
  }
  int64_t column(double x) const {
    return area_.x + std::llround(x_.at(x) * static_cast<double>(area_.width - 1));
  }
  int64_t line(double y) const {
    return area_.y + std::llround((1 - y_.at(y)) * static_cast<double>(area_.height - 1));
  }
  void finish(const Series& series, std::vector<Point>& points) {
    constexpr double dot = 5;
    const bool is_dot = points.size() == 1;
    canvas_.stroke(points, is_dot ? std::max(series.width, dot) : series.width, series.ink, area_);
    points.clear();
  }

  Canvas& canvas_;
  const Panel& panel_;
  PixelRect area_;
  Scale x_, y_;
};

}  // namespace

Scale x_scale(const Panel& panel) {
  std::vector<double> all = panel.x.covers;
  for (const Series& series : panel.series) {
    all.insert(all.end(), series.x.begin(), series.x.end());
  }
  for (const PlotMark& mark : panel.marks) all.push_back(mark.x);
  return {all, panel.x.logarithmic, 0};
}

Scale y_scale(const Panel& panel) {
  std::vector<double> all = panel.y.covers;
  for (const Series& series : panel.series) {
    for (const double y : series.y) {
      if (y <= panel.y_most) all.push_back(y);
    }
  }
  return {all, panel.y.logarithmic, y_margin};
}

std::vector<PixelRect> curve_areas(const Plot& plot) {
  double shares = 0;
  for (const Panel& panel : plot.panels) shares += panel.share;
  const int64_t left = left_room(plot), top = plot.title.empty() ? gap : row;
  const auto panels = std::ssize(plot.panels);
  const int64_t room = plot.height - top - panels * (row + below);
  std::vector<PixelRect> areas;
  int64_t y = top;
  for (const Panel& panel : plot.panels) {
    const auto height =
        static_cast<int64_t>(std::floor(static_cast<double>(room) * panel.share / shares));
    areas.push_back({left, y + row, plot.width - left - right, height});
    y += row + height + below;
  }
  return areas;
}

Pixels draw(const Plot& plot) {
  const std::vector<PixelRect> areas = curve_areas(plot);
  for (const PixelRect& area : areas) {
    expect(area.width > 1 && area.height > 1, "a plot has room for its panels");
  }
  Canvas canvas(plot.width, plot.height, paper);
  canvas.text((plot.width - Canvas::text_width(plot.title)) / 2, gap, plot.title, ink, true);
  for (size_t i = 0; i < areas.size(); ++i) {
    PanelDrawing drawing(canvas, plot.panels[i], areas[i]);
    drawing.axes();
    drawing.legend();
    drawing.curves();
  }
  return canvas.pixels();
}

}  // namespace convoy
