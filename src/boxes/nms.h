// Non-maximum suppression: of boxes that show the same object, only the best remains.
#pragma once

#include <cstdint>
#include <vector>

#include "boxes/box.h"

namespace convoy {

// An object found in an image. The box is not clipped to the image.
struct Detection {
  Box box;
  int32_t label;  // from 1
  float score;    // 0 to 1
};

// The area that both boxes cover as a share of the area that any covers. Not a number if neither
// has an area.
float overlap(const Box& a, const Box& b);

// Keeps, from the first to the last, each detection whose overlap with every one kept before is
// below `max_overlap`. Without an area, boxes of detections exclude each other. Call it with the
// detections of one class, the best first.
void suppress(float max_overlap, std::vector<Detection>& detections);

}  // namespace convoy
