// A box in a picture or an image.
#pragma once

#include <algorithm>

namespace convoy {

// As fractions of the height and width, unless stated otherwise.
struct Box {
  float ymin, xmin, ymax, xmax;

  float area() const { return (ymax - ymin) * (xmax - xmin); }
  bool operator==(const Box&) const = default;
};

// The area that both boxes cover; 0 if they only touch.
inline float intersection(const Box& a, const Box& b) {
  const float height = std::min(a.ymax, b.ymax) - std::max(a.ymin, b.ymin);
  const float width = std::min(a.xmax, b.xmax) - std::max(a.xmin, b.xmin);
  return std::max(height, 0.0f) * std::max(width, 0.0f);
}

}  // namespace convoy
