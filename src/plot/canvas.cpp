#include "plot/canvas.h"

#include <algorithm>
#include <cmath>

#include "plot/font.h"

namespace convoy {
namespace {

PixelRect common(const PixelRect& a, const PixelRect& b) {
  const int64_t x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max<int64_t>(0, std::min(a.x + a.width, b.x + b.width) - x),
          std::max<int64_t>(0, std::min(a.y + a.height, b.y + b.height) - y)};
}

double distance(const Point& p, const Point& a, const Point& b) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = dx * dx + dy * dy;
  const double along =
      length > 0 ? std::clamp(((p.x - a.x) * dx + (p.y - a.y) * dy) / length, 0.0, 1.0) : 0;
  return std::hypot(p.x - a.x - along * dx, p.y - a.y - along * dy);
}

// The columns or rows in [begin, end) that a line between two coordinates can touch.
struct Range {
  int64_t begin, end;
};
Range touched(double a, double b, double reach, int64_t begin, int64_t end) {
  const auto at = [&](double x) {
    return static_cast<int64_t>(
        std::clamp(x, static_cast<double>(begin), static_cast<double>(end)));
  };
  return {at(std::floor(std::min(a, b) - reach)), at(std::ceil(std::max(a, b) + reach))};
}

// One quarter of a font pixel, drawn at twice the size. If the two neighbours at this corner are
// equal and differ from the two opposite ones, the quarter takes their value: this smooths diagonal
// edges.
bool quarter(char letter, int x, int y, int dx, int dy) {
  const auto ink = [&](int i, int j) { return has_ink(letter, x + i, y + j); };
  const bool side = ink(dx, 0), above = ink(0, dy);
  const bool is_corner = side == above && side != ink(-dx, 0) && above != ink(0, -dy);
  return is_corner ? side : ink(0, 0);
}

}  // namespace

Canvas::Canvas(int64_t width, int64_t height, Ink paper) : pixels_{{0, 0, width, height}, {}} {
  pixels_.bytes.resize(static_cast<size_t>(width * height * 4), 0xff);
  fill(all(), paper);
}

void Canvas::mix(int64_t x, int64_t y, Ink ink, double share) {
  uint8_t* at = pixels_.bytes.data() + (y * pixels_.region.width + x) * 4;
  const auto put = [&](uint8_t& into, uint8_t value) {
    into = static_cast<uint8_t>(std::lround(into + (value - into) * share));
  };
  put(at[0], ink.red);
  put(at[1], ink.green);
  put(at[2], ink.blue);
}

void Canvas::fill(const PixelRect& box, Ink ink) {
  const PixelRect seen = common(box, all());
  for (int64_t y = seen.y; y < seen.y + seen.height; ++y) {
    uint8_t* at = pixels_.bytes.data() + (y * pixels_.region.width + seen.x) * 4;
    for (int64_t x = 0; x < seen.width; ++x, at += 4) {
      at[0] = ink.red;
      at[1] = ink.green;
      at[2] = ink.blue;
    }
  }
}

void Canvas::stroke(std::span<const Point> points, double width, Ink ink, const PixelRect& clip) {
  const PixelRect seen = common(clip, all());
  if (points.empty() || seen.width == 0 || seen.height == 0) return;
  // The coverage of each pixel: the maximum over all segments of the line.
  std::vector<float> covered(static_cast<size_t>(seen.width * seen.height));
  const double reach = width / 2 + 0.5;
  for (size_t i = 0; i < std::max<size_t>(points.size() - 1, 1); ++i) {
    const Point &a = points[i], &b = points[std::min(i + 1, points.size() - 1)];
    const Range columns = touched(a.x, b.x, reach, seen.x, seen.x + seen.width);
    const Range rows = touched(a.y, b.y, reach, seen.y, seen.y + seen.height);
    for (int64_t y = rows.begin; y < rows.end; ++y) {
      float* row = covered.data() + (y - seen.y) * seen.width - seen.x;
      for (int64_t x = columns.begin; x < columns.end; ++x) {
        const Point middle{static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5};
        const double share = std::clamp(reach - distance(middle, a, b), 0.0, 1.0);
        row[x] = std::max(row[x], static_cast<float>(share));
      }
    }
  }
  for (int64_t i = 0; i < std::ssize(covered); ++i) {
    const float share = covered[static_cast<size_t>(i)];
    if (share > 0) {
      mix(seen.x + i % seen.width, seen.y + i / seen.width, ink, static_cast<double>(share));
    }
  }
}

void Canvas::text(int64_t x, int64_t y, std::string_view words, Ink ink, bool bold) {
  for (const char letter : printable(words)) {
    for (int row = 0; row < 2 * glyph_height; ++row) {
      for (int column = 0; column < 2 * glyph_width; ++column) {
        if (quarter(letter, column / 2, row / 2, column % 2 ? 1 : -1, row % 2 ? 1 : -1)) {
          fill({x + column, y + row, bold ? 2 : 1, 1}, ink);
        }
      }
    }
    x += letter_step;
  }
}

int64_t Canvas::text_width(std::string_view words) {
  return std::ssize(printable(words)) * letter_step;
}

}  // namespace convoy
