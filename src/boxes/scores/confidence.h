// How precision and recall of a detector depend on the least score of a detection that counts, at
// an overlap (IoU) of 0.5: per class and as the mean over the classes that have objects.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "boxes/coco_match.h"

namespace convoy {

// The objects of a picture and what was found in it. Detections in any order.
struct ScoredPicture {
  int64_t image = 0;
  std::vector<CocoTruth> truths;
  std::vector<CocoDetection> found;
};

inline constexpr int confidence_steps = 1001;  // scores 0.000, 0.001 ... 1.000
double confidence(int at);

// At each least score; precision is 1 where nothing is found.
struct ConfidenceCurve {
  int64_t objects = 0;   // without crowds
  int64_t pictures = 0;  // with such objects
  std::vector<double> precision, recall, f1;
};

struct ConfidenceCurves {
  std::vector<ConfidenceCurve> classes;
  ConfidenceCurve mean;  // over the classes that have objects; empty if none has
  int best = 0;          // the step with the highest mean F1, the first one of equals
};

// By COCO's rules: the best 100 detections of a class in a picture, crowds count neither way.
ConfidenceCurves confidence_curves(std::span<const ScoredPicture> pictures, int classes);

}  // namespace convoy
