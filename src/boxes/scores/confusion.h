// Which classes a detector takes for which: a matrix with a further row and column for the
// background.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boxes/scores/confidence.h"

namespace convoy {

class ConfusionMatrix {
 public:
  // Of detections with at least this score. A detection belongs to the object, of any class, with
  // which it overlaps most, by more than `least_overlap` (IoU); each object and each detection has
  // one partner at most, and larger overlaps go first. What has none is the background's: a
  // detection without an object, an object without a detection. Crowds are left out, with the
  // detections that lie in them.
  ConfusionMatrix(std::span<const ScoredPicture> pictures, int classes, double least_score = 0.25,
                  double least_overlap = 0.45);

  int classes() const { return classes_; }
  // `found` and `truth`: a class, or `classes()` for the background.
  int64_t count(int found, int truth) const {
    return counts_[static_cast<size_t>(found * (classes_ + 1) + truth)];
  }
  // Objects that nothing found, detections without an object, and these two with the objects that
  // were taken for another class.
  int64_t missed() const;
  int64_t false_alarms() const;
  int64_t mistakes() const;
  // The share of the objects of that class (of the background: of the detections without object).
  double share(int found, int truth) const;

 private:
  void add(const ScoredPicture& picture, double least_score, double least_overlap);

  int classes_;
  std::vector<int64_t> counts_;
};

}  // namespace convoy
