// Scenes of the generated detection set: a few shapes, which may overlap, on a textured ground. A
// scene is a pure function of its key and size.
#pragma once

#include <cstdint>
#include <vector>

#include "boxes/box.h"
#include "data/shapes/shape_ground.h"
#include "data/shapes/shape_outline.h"
#include "pictures/picture.h"

namespace convoy {

struct ShapeObject {
  ShapePlace place;
  PixelBox box;     // the smallest around the shape, to a quarter of a pixel
  double area = 0;  // of the shape, in square pixels
  // Two colours in stripes of this width in pixels, or, without a width, from left to right.
  ShapeColour first, second;
  double stripe = 0;
};

// The longer side of each object's box is 8 % to 60 % of the picture's side; boxes lie within the
// picture, and of each object at least three fifths are visible.
struct ShapeScene {
  int64_t side = 0;
  uint64_t key = 0;
  std::vector<ShapeObject> objects;  // the last one on top
};
inline constexpr double least_shape = 0.08, most_shape = 0.6;
inline constexpr int64_t least_shape_side = 48;  // of a picture, in pixels

ShapeScene shape_scene(int64_t side, uint64_t key);

// The picture of a scene.
Pixels paint(const ShapeScene& scene);

}  // namespace convoy
