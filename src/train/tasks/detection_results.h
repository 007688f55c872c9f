// The results of detection: the objects of each picture and those that were found, scored as COCO
// does (boxes/coco_score.h).
//
// A row after the loss: the part of the loss that is about boxes; in evaluation also the picture's
// number, how many objects it has, their rows as in object_tensor::truth, and of each object found
// x, y, width, height, score, class.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "boxes/coco_score.h"
#include "boxes/nms.h"
#include "boxes/scores/confidence.h"
#include "data/detection_form.h"
#include "train/tasks/results.h"

namespace convoy {

// The loss; then COCO's AP, AP50 and AP75 in [0, 1], or -1 if there are no objects; precision and
// recall at the least score with the highest mean F1 (boxes/scores/confidence.h), or -1; and the
// two parts of the loss.
inline constexpr std::array detection_metrics{
    loss_metric,
    MetricDef{
        .name = "mAP", .title = "mAP", .log_title = "mAP", .is_main = true, .in_training = false},
    MetricDef{.name = "mAP50", .title = "mAP50", .log_title = "mAP50", .in_training = false},
    MetricDef{.name = "mAP75", .title = "mAP75", .log_title = "mAP75", .in_training = false},
    MetricDef{.name = "precision", .title = "P", .log_title = "P", .in_training = false},
    MetricDef{.name = "recall", .title = "R", .log_title = "R", .in_training = false},
    MetricDef{"box_loss", "box loss", "box_loss", false},
    MetricDef{"class_loss", "class loss", "class_loss", false}};

// Of a sample.
struct DetectionLosses {
  double all, of_boxes;
};

// Replaces `row` by the row of a picture.
void make_detection_row(const DetectionLosses& losses, const PictureTruth& truth,
                        std::span<const Detection> found, std::vector<double>& row);

class DetectionResults final : public Results {
 public:
  // `categories`: classes without the background.
  explicit DetectionResults(int categories) : categories_(categories) {}

  std::vector<Metric> metrics() const override;
  Metric main() const override { return {&detection_metrics[1], score().ap}; }
  // The background is the first of `names`.
  std::shared_ptr<const ObjectResults> objects(
      const std::vector<std::string>& names) const override;

  int categories() const { return categories_; }
  // All of COCO's numbers of the pictures so far.
  CocoScore whole_score() const;
  // The pictures so far, in the order of samples.
  std::vector<ScoredPicture> pictures() const;

 private:
  // Those that are metrics.
  struct Numbers {
    double ap = -1, ap50 = -1, ap75 = -1, precision = -1, recall = -1;
    ConfidenceCurves curves = {};
  };
  const Numbers& score() const;
  void add_rest(std::span<const double> row) override;
  void merge_rest(const Results& later) override;
  void clear_rest() override;
  void save_rest(SavedResults& into) const override;
  std::string restore_rest(const SavedResults& saved) override;

  int categories_;
  double box_loss_ = 0;  // sum over the samples
  Rows pictures_;
  mutable std::optional<Numbers> score_;  // of pictures_, once it was asked for
};

}  // namespace convoy
