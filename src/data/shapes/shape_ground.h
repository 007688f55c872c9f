// Colours, and the textured grounds of the generated detection set.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace convoy {

inline double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

struct ShapeColour {
  double red = 0, green = 0, blue = 0;  // 0 to 255
};

// Of a random hue; strength 0 is grey.
ShapeColour draw_colour(Random& random, double least_strength, double most_strength);
double distance(const ShapeColour& a, const ShapeColour& b);
ShapeColour mixed(const ShapeColour& a, const ShapeColour& b, double share);

// Two colours in smooth noise of two sizes, and an even change over the picture.
class ShapeGround {
 public:
  ShapeGround(uint64_t key, int64_t side);

  const ShapeColour& first() const { return first_; }
  const ShapeColour& second() const { return second_; }
  ShapeColour mean() const { return mixed(first_, second_, 0.5); }
  ShapeColour at(int64_t x, int64_t y) const;

 private:
  int64_t side_;
  ShapeColour first_, second_;
  double cell_;    // of the coarse noise, in pixels
  double slope_;   // of the even change
  uint64_t seed_;  // of the noise
};

}  // namespace convoy
