#include "data/shapes/shape_ground.h"

#include <algorithm>
#include <cmath>

namespace convoy {
namespace {

// Smooth noise in [0, 1] with one random number per cell.
double noise(uint64_t seed, double x, double y) {
  const double cx = std::floor(x), cy = std::floor(y);
  const auto smooth = [](double t) { return t * t * (3 - 2 * t); };
  const double tx = smooth(x - cx), ty = smooth(y - cy);
  const auto at = [&](int i, int j) {
    const auto column = static_cast<uint64_t>(static_cast<int64_t>(cx) + i),
               row = static_cast<uint64_t>(static_cast<int64_t>(cy) + j);
    return Random(mix(seed ^ (column * 0x9e3779b97f4a7c15u) ^ mix(row + 0x51ed2701u))).uniform();
  };
  const double upper = at(0, 0) + (at(1, 0) - at(0, 0)) * tx;
  const double lower = at(0, 1) + (at(1, 1) - at(0, 1)) * tx;
  return upper + (lower - upper) * ty;
}

}  // namespace

ShapeColour draw_colour(Random& random, double least_strength, double most_strength) {
  const double hue = 6 * random.uniform();
  const double strength = between(random, least_strength, most_strength);
  const double value = between(random, 60, 250);
  const auto part = [&](double offset) {
    const double pure = std::clamp(std::abs(std::fmod(hue + offset, 6.0) - 3) - 1, 0.0, 1.0);
    return value * (1 - strength + strength * pure);
  };
  return {part(0), part(4), part(2)};
}

double distance(const ShapeColour& a, const ShapeColour& b) {
  return std::hypot(a.red - b.red, a.green - b.green, a.blue - b.blue);
}

ShapeColour mixed(const ShapeColour& a, const ShapeColour& b, double share) {
  return {a.red + (b.red - a.red) * share, a.green + (b.green - a.green) * share,
          a.blue + (b.blue - a.blue) * share};
}

ShapeGround::ShapeGround(uint64_t key, int64_t side) : side_(side) {
  Random random(mix(key + 1));
  first_ = draw_colour(random, 0, 0.4);
  second_ = mixed(first_, draw_colour(random, 0, 0.4), 0.5);
  cell_ = between(random, 0.04, 0.25) * static_cast<double>(side);
  slope_ = between(random, -0.3, 0.3);
  seed_ = random.bits();
}

ShapeColour ShapeGround::at(int64_t x, int64_t y) const {
  const auto px = static_cast<double>(x), py = static_cast<double>(y);
  const double coarse = noise(seed_, px / cell_, py / cell_);
  const double detail = noise(seed_ + 1, px / 2.5, py / 2.5);
  const double even = slope_ * (px + py) / (2.0 * static_cast<double>(side_));
  const ShapeColour colour =
      mixed(first_, second_, std::clamp(0.7 * coarse + 0.3 * detail + even, 0.0, 1.0));
  const double light = 24 * (detail - 0.5);
  return {colour.red + light, colour.green + light, colour.blue + light};
}

}  // namespace convoy
