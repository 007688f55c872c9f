// The precision-recall curve of an evaluation in the form of TensorBoard's plugin pr_curves.
#pragma once

#include <span>
#include <vector>

#include "train/tasks/object_results.h"
#include "train/tasks/sample_result.h"

namespace convoy {

inline constexpr int precision_thresholds = 101;

// At threshold t a sample counts as found if its predicted class has at least that probability. Six
// rows of `precision_thresholds` numbers: true positives, false positives, true negatives, false
// negatives, precision, recall. `of_class`: only predictions of it, and samples that are of it; -1:
// all predictions, of which each is right or wrong.
std::vector<float> precision_rows(std::span<const SampleResult> samples, int of_class);

// Of a detector's curve: detections with at least that score. What is neither an object nor a
// detection cannot be counted: true negatives are 0.
std::vector<float> precision_rows(const ConfidenceCurve& curve);

}  // namespace convoy
