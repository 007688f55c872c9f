#include "boxes/nms.h"

namespace convoy {

float overlap(const Box& a, const Box& b) {
  const float common = intersection(a, b);
  return common / (a.area() + b.area() - common);
}

void suppress(float max_overlap, std::vector<Detection>& detections) {
  auto end = detections.begin();  // of those that are kept
  for (const Detection& next : detections) {
    // Written so that an overlap which is not a number excludes too.
    const auto is_new = [&](const Detection& kept) {
      return overlap(kept.box, next.box) < max_overlap;
    };
    if (std::all_of(detections.begin(), end, is_new)) *end++ = next;
  }
  detections.erase(end, detections.end());
}

}  // namespace convoy
