#include "boxes/default_boxes.h"

#include <cmath>

namespace convoy {

std::vector<BoxShape> ssd_shapes(double image, double size, double next_size,
                                 const std::vector<double>& ratios) {
  const double side = size / image;
  const double between = std::sqrt(side * next_size / image);
  std::vector<BoxShape> shapes{{side, side}, {between, between}};
  for (const double ratio : ratios) {
    const double longer = side * std::sqrt(ratio), shorter = side / std::sqrt(ratio);
    shapes.push_back({shorter, longer});
    shapes.push_back({longer, shorter});
  }
  return shapes;
}

const DefaultBoxSpec& ssd300_boxes() {
  static const DefaultBoxSpec spec{.image = 300,
                                   .maps = {{38, 8, ssd_shapes(300, 21, 45, {2})},
                                            {19, 16, ssd_shapes(300, 45, 99, {2, 3})},
                                            {10, 32, ssd_shapes(300, 99, 153, {2, 3})},
                                            {5, 64, ssd_shapes(300, 153, 207, {2, 3})},
                                            {3, 100, ssd_shapes(300, 207, 261, {2})},
                                            {1, 300, ssd_shapes(300, 261, 315, {2})}}};
  return spec;
}

DefaultBoxes::DefaultBoxes(const DefaultBoxSpec& spec) : maps_(spec.maps) {
  const auto clipped = [](double x) { return static_cast<float>(std::min(std::max(x, 0.0), 1.0)); };
  for (const DefaultBoxMap& map : spec.maps) {
    for (const BoxShape& shape : map.shapes) {
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
