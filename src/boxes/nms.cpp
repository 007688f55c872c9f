#include "boxes/nms.h"

#include <array>

namespace convoy {
namespace {

// Some of the kept boxes, as arrays: compilers compare a box with all of them at once. Free places
// have an area, and no part in common with any box.
struct Group {
  static constexpr size_t size = 8;
  std::array<float, size> ymin, xmin, ymax, xmax, area;

  Group() {
    ymin.fill(2), xmin.fill(2), ymax.fill(-2), xmax.fill(-2);
    area.fill(1);
  }

  void set(size_t i, const Box& box) {
    ymin[i] = box.ymin, xmin[i] = box.xmin, ymax[i] = box.ymax, xmax[i] = box.xmax;
    area[i] = box.area();
  }

  // As `overlap` of each. Written so that an overlap which is not a number excludes too.
  bool excludes(const Box& box, float box_area, float max_overlap) const {
    int excluding = 0;
    for (size_t i = 0; i < size; ++i) {
      const float height = std::min(ymax[i], box.ymax) - std::max(ymin[i], box.ymin);
      const float width = std::min(xmax[i], box.xmax) - std::max(xmin[i], box.xmin);
      const float common = std::max(height, 0.0f) * std::max(width, 0.0f);
      excluding |= !(common / (area[i] + box_area - common) < max_overlap);
    }
    return excluding != 0;
  }
};

}  // namespace

float overlap(const Box& a, const Box& b) {
  const float common = intersection(a, b);
  return common / (a.area() + b.area() - common);
}

void suppress(float max_overlap, std::vector<Detection>& detections) {
  std::vector<Group> kept;
  size_t count = 0;
  for (const Detection& next : detections) {
    const Box box = next.box;
    const float area = box.area();
    const auto excludes = [&](const Group& group) {
      return group.excludes(box, area, max_overlap);
    };
    if (std::any_of(kept.begin(), kept.end(), excludes)) continue;
    if (count % Group::size == 0) kept.emplace_back();
    kept.back().set(count % Group::size, box);
    detections[count++] = next;
  }
  detections.resize(count);
}

}  // namespace convoy
