// The shapes of the generated detection set: eight kinds, each a region of the square [-1, 1] x
// [-1, 1] that touches all its sides or nearly so.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace convoy {

inline constexpr int shape_kinds = 8;
inline constexpr std::array<std::string_view, shape_kinds> shape_names{
    "circle", "square", "triangle", "star", "ring", "cross", "moon", "heart"};

// Whether the shape has the point; y grows downwards.
bool shape_has(int kind, double x, double y);

// A shape in a picture, in pixels: the square stretched to these half sides, then turned.
struct ShapePlace {
  int kind = 0;
  double cx = 0, cy = 0;
  double half_width = 0, half_height = 0;
  double cosine = 1, sine = 0;  // of the angle by which it is turned

  bool has(double x, double y) const;
  // Whether it has no point of the pixel around this one.
  bool is_far(double x, double y) const;
};

}  // namespace convoy
