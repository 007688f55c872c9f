// What an evaluation of a detector shows besides its metrics: a line for each class, curves, the
// confusion matrix, and pictures with their objects. The files have the names that YOLO programs
// give them.
#pragma once

#include <string>
#include <vector>

#include "base/files/file.h"
#include "boxes/coco_score.h"
#include "data/dataset.h"
#include "train/tasks/detection_results.h"

namespace convoy {

// The numbers of an evaluation by class. `names`: of all classes, the background first.
struct DetectionSummary : ObjectResults {
  DetectionSummary(const DetectionResults& results, const std::vector<std::string>& names);

  CocoScore score;

  // For people: all classes, then each class that has objects or detections.
  std::string table() const;
};

// Writes into `folder`, which it makes:
//   PR_curve.png                          precision by recall of each class, at an overlap of 0.5
//   P_curve.png R_curve.png F1_curve.png  by the least score
//   confusion_matrix.png                  boxes/scores/confusion.h
//   val_batch0..2_labels.jpg, _pred.jpg   pictures with their objects, and with those found
//   classes.txt                           the table
//   predictions.png                       some pictures, truth and prediction side by side
// `data` is what was evaluated.
void write_detection_plots(const fs::path& folder, const DetectionSummary& summary,
                           const Dataset& data);

}  // namespace convoy
