// Which pixels of a picture a shape covers.
#pragma once

#include <vector>

#include "data/shapes/shape_outline.h"
#include "pictures/picture.h"

namespace convoy {

// The share of each pixel of a rectangle that a shape covers, in sixteenths.
struct ShapeMask {
  PixelRect at;
  std::vector<float> share;
  double left = 1e9, top = 1e9, right = -1e9, bottom = -1e9;  // of the samples it covers
  double area = 0;
};

// In a square picture of this side; the rectangle is clipped to it.
ShapeMask mask_of(const ShapePlace& place, int64_t side);

// How far a turned shape reaches from its centre.
struct ShapeReach {
  double left = 0, right = 0, up = 0, down = 0;
};
// Of a place at (0, 0).
ShapeReach reach_of(const ShapePlace& place);

}  // namespace convoy
