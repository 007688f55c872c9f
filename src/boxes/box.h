// A box in a picture or an image.
#pragma once

#include <algorithm>
#include <cstdint>

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

// In pixels of a picture, as COCO's files have it.
struct PixelBox {
  double x, y, width, height;  // of the left upper corner; may reach outside
};

// A box given as fractions of a picture of this size.
inline PixelBox in_pixels(const Box& box, int64_t width, int64_t height) {
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  const auto xmin = static_cast<double>(box.xmin), ymin = static_cast<double>(box.ymin);
  return {xmin * w, ymin * h, (static_cast<double>(box.xmax) - xmin) * w,
          (static_cast<double>(box.ymax) - ymin) * h};
}

}  // namespace convoy
