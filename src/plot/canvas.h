// A raster to draw on: filled boxes, smooth lines, text. Coordinates are pixels; the middle of the
// first one is at 0.5, 0.5. What lies outside is cut off.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "pictures/picture.h"

namespace convoy {

struct Ink {
  uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Ink&) const = default;
};

struct Point {
  double x = 0, y = 0;
};

class Canvas {
 public:
  Canvas(int64_t width, int64_t height, Ink paper);

  void fill(const PixelRect& box, Ink ink);

  // One stroke through all points, which are finite, and nothing outside `clip`. Where a stroke
  // meets itself it is no darker. A single point is a dot.
  void stroke(std::span<const Point> points, double width, Ink ink, const PixelRect& clip);

  // `x`, `y`: the left upper corner. The letters are twice the size of the font's, their stairs
  // rounded.
  void text(int64_t x, int64_t y, std::string_view words, Ink ink, bool bold = false);
  static int64_t text_width(std::string_view words);
  static constexpr int64_t letter_step = 12, letter_height = 14;  // without what hangs below

  PixelRect all() const { return pixels_.region; }
  const Pixels& pixels() const { return pixels_; }

 private:
  void mix(int64_t x, int64_t y, Ink ink, double share);

  Pixels pixels_;
};

}  // namespace convoy
