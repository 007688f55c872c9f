// Precision by recall of one category, at one threshold and in one range of areas.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "boxes/coco_match.h"

namespace convoy {

inline constexpr int coco_recalls = 101;  // 0.00, 0.01 ... 1.00
double coco_recall(int at);

struct CocoCurve {
  double recall;  // with all detections
  // At each recall the best precision there or beyond; 0 where that recall is not reached.
  std::array<double, coco_recalls> precision;
};

// `sorted`: the outcomes of the category's detections in all images, by falling score. `objects`:
// how many are asked for, at least 1.
CocoCurve coco_curve(std::span<const CocoOutcomes> sorted, int area, int threshold,
                     int64_t objects);

}  // namespace convoy
