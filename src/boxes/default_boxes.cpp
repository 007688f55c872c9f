#include "boxes/default_boxes.h"

#include <cmath>

namespace convoy {
namespace {

struct BoxSize {
  double height, width;  // as fractions of the image
};

std::vector<BoxSize> shapes_of(const DefaultBoxMap& map, double image) {
  const double size = map.size / image;
  const double between = std::sqrt(size * map.next_size / image);
  std::vector<BoxSize> shapes{{size, size}, {between, between}};
  for (const double ratio : map.ratios) {
    const double longer = size * std::sqrt(ratio), shorter = size / std::sqrt(ratio);
    shapes.push_back({shorter, longer});
    shapes.push_back({longer, shorter});
  }
  return shapes;
}

}  // namespace

const DefaultBoxSpec& ssd300_boxes() {
  static const DefaultBoxSpec spec{.image = 300,
                                   .maps = {{38, 8, 21, 45, {2}},
                                            {19, 16, 45, 99, {2, 3}},
                                            {10, 32, 99, 153, {2, 3}},
                                            {5, 64, 153, 207, {2, 3}},
                                            {3, 100, 207, 261, {2}},
                                            {1, 300, 261, 315, {2}}}};
  return spec;
}

DefaultBoxes::DefaultBoxes(const DefaultBoxSpec& spec) : maps_(spec.maps) {
  const auto clipped = [](double x) { return static_cast<float>(std::min(std::max(x, 0.0), 1.0)); };
  for (const DefaultBoxMap& map : spec.maps) {
    for (const BoxSize& shape : shapes_of(map, spec.image)) {
      for (int64_t cell = 0; cell < map.cells * map.cells; ++cell) {
        const auto centre = [&](int64_t at) {
          return clipped((static_cast<double>(at) + 0.5) * map.step / spec.image);
        };
        const CentredBox box{centre(cell / map.cells), centre(cell % map.cells),
                             clipped(shape.height), clipped(shape.width)};
        centred_.push_back(box);
        corners_.push_back(
            {box.cy - box.h / 2, box.cx - box.w / 2, box.cy + box.h / 2, box.cx + box.w / 2});
      }
    }
  }
}

}  // namespace convoy
