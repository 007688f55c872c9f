// The overlap of one box with many: the inner loop of matching objects to default boxes.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// The number of boxes must be a multiple of this.
constexpr int64_t overlap_group = 16;

// Corners and area of many boxes, each in a plane of `count` floats.
struct BoxPlanes {
  const float *ymin, *xmin, *ymax, *xmax, *area;
  int64_t count;
};

// Computes the overlap of `object` (ymin, xmin, ymax, xmax) with each box: intersection / union,
// and 0 for boxes that do not intersect. Where it is larger than `best[i]`, it replaces best[i],
// and `number` replaces `best_object[i]`. Returns the first of the boxes with the largest overlap.
// Without fused multiply-add, so that equal overlaps are equal at every ISA level.
int64_t overlap_with_all(const BoxPlanes& boxes, const float* object, int32_t number, float* best,
                         int32_t* best_object);

}  // namespace convoy::kernels
