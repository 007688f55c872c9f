#include "data/shapes/shape_outline.h"

#include <cmath>
#include <numbers>

namespace convoy {
namespace {

double square(double x) { return x * x; }

// A star of five points, the first one upwards: inside of the straight edges between a point and
// the notch beside it.
bool star_has(double x, double y) {
  constexpr double sector = std::numbers::pi / 5, notch = 0.45;
  double angle = std::fmod(std::abs(std::atan2(x, -y)), 2 * sector);
  if (angle > sector) angle = 2 * sector - angle;
  // The edge runs from (1, 0) to notch * (cos, sin) of the sector, in coordinates of this point.
  const double radius = std::hypot(x, y);
  const double px = radius * std::cos(angle), py = radius * std::sin(angle);
  const double ex = notch * std::cos(sector) - 1, ey = notch * std::sin(sector);
  return ex * py - ey * (px - 1) >= 0;
}

bool heart_has(double x, double y) {
  const double u = x * 1.15, v = -y * 1.15 + 0.1;
  const double round = square(u) + square(v) - 1;
  return round * round * round - square(u) * v * v * v <= 0;
}

}  // namespace

bool shape_has(int kind, double x, double y) {
  const double radius = std::hypot(x, y);
  switch (kind) {
    case 0:
      return radius <= 1;
    case 1:
      return std::abs(x) <= 1 && std::abs(y) <= 1;
    case 2:
      return y <= 1 && y >= -1 && std::abs(x) <= (y + 1) / 2;
    case 3:
      return star_has(x, y);
    case 4:
      return radius <= 1 && radius >= 0.55;
    case 5:
      return std::abs(x) <= 1 && std::abs(y) <= 1 && (std::abs(x) <= 0.3 || std::abs(y) <= 0.3);
    case 6:
      return radius <= 1 && std::hypot(x - 0.5, y) >= 0.85;
    default:
      return heart_has(x, y);
  }
}

bool ShapePlace::is_far(double x, double y) const {
  const double dx = x - cx, dy = y - cy;
  return std::abs(dx * cosine + dy * sine) > half_width + 1 ||
         std::abs(dy * cosine - dx * sine) > half_height + 1;
}

bool ShapePlace::has(double x, double y) const {
  const double dx = x - cx, dy = y - cy;
  const double along = dx * cosine + dy * sine, across = dy * cosine - dx * sine;
  return shape_has(kind, along / half_width, across / half_height);
}

}  // namespace convoy
