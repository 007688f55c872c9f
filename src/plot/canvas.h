// A raster to draw on: filled boxes, smooth lines, text. Coordinates are pixels; the centre of the
// first pixel is (0.5, 0.5). Anything outside the raster is clipped.
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

  // Draws one line through all points (which must be finite), clipped to `clip`. Where a line
  // crosses itself it is not darker. A single point becomes a dot.
  void stroke(std::span<const Point> points, double width, Ink ink, const PixelRect& clip);

  // Writes a text; `x`, `y` is its upper left corner. Letters are twice the size of the font, with
  // smoothed edges.
  void text(int64_t x, int64_t y, std::string_view words, Ink ink, bool bold = false);
  static int64_t text_width(std::string_view words);
  static constexpr int64_t letter_step = 12, letter_height = 14;  // without descenders

  PixelRect all() const { return pixels_.region; }
  const Pixels& pixels() const { return pixels_; }

 private:
  void mix(int64_t x, int64_t y, Ink ink, double share);

  Pixels pixels_;
};

}  // namespace convoy
