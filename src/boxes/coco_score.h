// COCO's detection metrics: average precision and recall of boxes, with the digits of pycocotools'
// COCOeval (float64, the same order of equal scores, the same rules for crowds and sizes).
//
// A detection is right if its overlap (IoU) with an object of its class reaches a threshold; each
// object counts once. AP is the mean of the precision at 101 recalls, AR the recall with the best
// 1, 10 or 100 detections of a class in an image; both are means over thresholds and over classes
// that have objects. Crowds, and objects outside of a range of areas, are neither asked for nor
// counted as wrong. Of each class the best 100 detections of an image count.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "boxes/coco_curve.h"
#include "boxes/coco_match.h"

namespace convoy {

class ThreadPool;

// The twelve numbers, in COCO's order.
enum class CocoNumber { ap, ap50, ap75, ap_s, ap_m, ap_l, ar1, ar10, ar100, ar_s, ar_m, ar_l };
inline constexpr int coco_numbers = 12;
struct CocoNumberName {
  std::string_view key;      // AP, AP50 ...
  std::string_view meaning;  // for people
};
const std::array<CocoNumberName, coco_numbers>& coco_number_names();

// What there was of a category, and its numbers. A number is -1 where there are no objects.
struct CocoCategoryScore {
  int64_t objects = 0, crowds = 0, detections = 0;
  double ap = -1, ap50 = -1, ap75 = -1, ar100 = -1;
};

struct CocoScore {
  std::array<double, coco_numbers> numbers;  // in [0, 1], or -1: there are no such objects
  std::vector<CocoCategoryScore> categories;
  // The precision at each recall, of objects of all sizes: [category, threshold, recall].
  std::vector<double> precisions;

  double operator[](CocoNumber number) const { return numbers[static_cast<size_t>(number)]; }
  std::span<const double> precision(int category, int threshold) const {
    return std::span(precisions)
        .subspan(static_cast<size_t>((category * coco_thresholds + threshold) * coco_recalls),
                 coco_recalls);
  }
};

// The AP of detections that are the objects themselves: 1, unless some objects cannot be found.
struct CocoCeiling {
  double ap;           // -1: there are no objects
  int64_t empty;       // objects whose boxes have no width or no height
  int64_t over_limit;  // objects that are more than 100 of a category in an image

  bool is_reached_by_truth() const { return ap < 0 || ap > 1 - 1e-9; }
};

// Images are added one by one; nothing depends on the order in which they are added.
class CocoScorer {
 public:
  explicit CocoScorer(int categories);

  // Add each image once, also without truths or detections. Needs finite numbers and no negative
  // size of a detection. Of equal scores the earlier detection counts first.
  void add(int64_t image, std::span<const CocoTruth> truths,
           std::span<const CocoDetection> detections);

  int categories() const { return static_cast<int>(detections_in_.size()); }

  // The same for any number of threads.
  CocoScore score(ThreadPool& pool) const;

  // A scorer with the same truths and, as detections, the objects among them.
  CocoScorer with_perfect_detections() const;
  // The self-test before an evaluation: it takes the time of matching only the objects.
  CocoCeiling ceiling(ThreadPool& pool) const;

 private:
  // The truths and detections of a category in an image: ranges of the lists below.
  struct Group {
    int category;
    int64_t image;
    size_t truth, truths, detection, detections;
  };
  struct Matches;
  struct Sums;

  std::span<const CocoTruth> truths_of(const Group& group) const;
  std::span<const CocoDetection> detections_of(const Group& group) const;
  std::vector<Group> sorted_groups() const;
  Matches match(std::span<const Group> groups, ThreadPool& pool) const;
  std::vector<CocoOutcomes> sorted_outcomes(std::span<const Group> groups,
                                            const CocoOutcomes* outcomes) const;
  // For the groups of a category and their outcomes.
  Sums sums(std::span<const Group> groups, const CocoOutcomes* outcomes,
            std::span<double> precisions) const;

  std::vector<CocoTruth> truths_;
  std::vector<CocoDetection> detections_;  // in each group by falling score, at most 100
  std::vector<Group> groups_;
  std::vector<int64_t> detections_in_;  // per category, before the limit
};

}  // namespace convoy
