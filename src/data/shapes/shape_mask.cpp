#include "data/shapes/shape_mask.h"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

constexpr int fine = 4;  // samples per pixel in each direction

void cover_pixel(const ShapePlace& place, int64_t x, int64_t y, ShapeMask& mask) {
  if (place.is_far(static_cast<double>(x) + 0.5, static_cast<double>(y) + 0.5)) {
    mask.share.push_back(0);
    return;
  }
  int hits = 0;
  for (int j = 0; j < fine; ++j) {
    for (int i = 0; i < fine; ++i) {
      const double sx = static_cast<double>(x) + static_cast<double>(i) / fine,
                   sy = static_cast<double>(y) + static_cast<double>(j) / fine;
      if (!place.has(sx + 0.5 / fine, sy + 0.5 / fine)) continue;
      ++hits;
      mask.left = std::min(mask.left, sx);
      mask.top = std::min(mask.top, sy);
      mask.right = std::max(mask.right, sx + 1.0 / fine);
      mask.bottom = std::max(mask.bottom, sy + 1.0 / fine);
    }
  }
  const double share = hits / static_cast<double>(fine * fine);
  mask.share.push_back(static_cast<float>(share));
  mask.area += share;
}

}  // namespace

ShapeMask mask_of(const ShapePlace& place, int64_t side) {
  const double reach = std::hypot(place.half_width, place.half_height);
  const auto clamped = [&](double at) {
    return std::clamp<int64_t>(static_cast<int64_t>(std::floor(at)), 0, side);
  };
  const int64_t x = clamped(place.cx - reach), y = clamped(place.cy - reach);
  ShapeMask mask{
      .at = {x, y, clamped(place.cx + reach + 1) - x, clamped(place.cy + reach + 1) - y}};
  for (int64_t row = y; row < y + mask.at.height; ++row) {
    for (int64_t column = x; column < x + mask.at.width; ++column) {
      cover_pixel(place, column, row, mask);
    }
  }
  return mask;
}

ShapeReach reach_of(const ShapePlace& place) {
  constexpr int steps = 64;
  const double half = std::hypot(place.half_width, place.half_height);
  ShapeReach reach;
  for (int j = 0; j < steps; ++j) {
    for (int i = 0; i < steps; ++i) {
      const double x = half * ((2 * i + 1.0) / steps - 1), y = half * ((2 * j + 1.0) / steps - 1);
      if (!place.has(x, y)) continue;
      reach = {std::max(reach.left, -x), std::max(reach.right, x), std::max(reach.up, -y),
               std::max(reach.down, y)};
    }
  }
  return reach;
}

}  // namespace convoy
