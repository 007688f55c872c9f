// Which detections of a category in an image are right, by COCO's rules.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace convoy {

inline constexpr int coco_thresholds = 10;  // IoU 0.50, 0.55 ... 0.95
inline constexpr int coco_most_detections = 100;
double coco_threshold(int at);

// Lengths in any unit, the same for truths and detections; pixels of the picture in COCO, whose
// ranges of areas are in square pixels. Categories are indices, in [0, categories).
struct CocoTruth {
  double x, y, width, height, area;
  int category;
  bool crowd = false;
  // COCOeval takes an object whose annotation has the id 0 for "no object": what finds it counts as
  // wrong. Set it to get the same numbers.
  bool has_id_zero = false;
};

struct CocoDetection {
  double x, y, width, height, score;
  int category;
};

// Ranges of areas, limits included: all, small, medium, large.
inline constexpr int coco_areas = 4;
struct CocoAreaRange {
  double low, high;
  bool contains(double area) const { return area >= low && area <= high; }
};
const std::array<CocoAreaRange, coco_areas>& coco_area_ranges();

// The outcome for a detection in a range of areas: a bit for each threshold.
struct CocoOutcome {
  uint16_t is_right;    // found an object
  uint16_t is_ignored;  // counts as neither right nor wrong
};
using CocoOutcomes = std::array<CocoOutcome, coco_areas>;

// Whether the truth is asked for in that range of areas.
inline bool counts(const CocoTruth& truth, const CocoAreaRange& range) {
  return !truth.crowd && range.contains(truth.area);
}

// `detections` by falling score; `outcomes` gets one for each. Memory: a few bytes per truth.
void match_coco(std::span<const CocoTruth> truths, std::span<const CocoDetection> detections,
                std::span<CocoOutcomes> outcomes);

}  // namespace convoy
