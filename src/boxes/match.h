// Matches the objects of an image to default boxes, and writes what training compares the network's
// outputs with. A default box belongs to the object that it overlaps most (of equal ones: the
// first), if the overlap is at least a half. Besides, each object gets the default box that it
// overlaps most (of equal ones: the first, even without any overlap); if several objects claim a
// default box, the first of them gets it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boxes/default_boxes.h"

namespace convoy {

class BoxMatcher {
 public:
  explicit BoxMatcher(const DefaultBoxSpec& spec);

  const DefaultBoxes& boxes() const { return boxes_; }

  // Memory of a match, reused by later ones.
  struct Workplace {
    std::vector<float> best;
    std::vector<int32_t> best_object;
    std::vector<int64_t> best_box;
  };

  // `objects`: fractions of the image, finite, ymin <= ymax, xmin <= xmax. `classes`: of each, from
  // 1. Writes for every default box, in their order, its class (0: background) to `box_classes` and
  // ty, tx, th, tw (0 for background) to `codes`. Returns how many are matched.
  int64_t match(std::span<const Box> objects, std::span<const int32_t> classes, Workplace& place,
                std::span<int32_t> box_classes, std::span<float> codes) const;

 private:
  DefaultBoxes boxes_;
  int64_t padded_;             // the length of a plane
  std::vector<float> planes_;  // ymin, xmin, ymax, xmax, area
};

}  // namespace convoy
