// The results of detection: the objects of each picture and those that were found, scored as COCO
// does (boxes/coco_score.h).
//
// A row after the loss, in evaluation only: the picture's number, how many objects it has, their
// rows as in object_tensor::truth, and of each object found x, y, width, height, score, class.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "boxes/coco_score.h"
#include "boxes/nms.h"
#include "data/detection_form.h"
#include "train/tasks/results.h"

namespace convoy {

// The loss; then COCO's AP, AP50 and AP75 in [0, 1], or -1 if there are no objects.
inline constexpr std::array detection_metrics{
    loss_metric,
    MetricDef{
        .name = "mAP", .title = "mAP", .log_title = "mAP", .is_main = true, .in_training = false},
    MetricDef{.name = "mAP50", .title = "mAP50", .log_title = "mAP50", .in_training = false},
    MetricDef{.name = "mAP75", .title = "mAP75", .log_title = "mAP75", .in_training = false}};

// Replaces `row` by the row of a picture.
void make_detection_row(double loss, const PictureTruth& truth, std::span<const Detection> found,
                        std::vector<double>& row);

class DetectionResults final : public Results {
 public:
  // `categories`: classes without the background.
  explicit DetectionResults(int categories) : categories_(categories) {}

  std::vector<Metric> metrics() const override;
  Metric main() const override { return {&detection_metrics[1], score().ap}; }

  // All of COCO's numbers of the pictures so far.
  CocoScore whole_score() const;

 private:
  // Those that are metrics.
  struct Numbers {
    double ap = -1, ap50 = -1, ap75 = -1;
  };
  const Numbers& score() const;
  void add_rest(std::span<const double> row) override;
  void merge_rest(const Results& later) override;
  void clear_rest() override;
  void save_rest(SavedResults& into) const override;
  std::string restore_rest(const SavedResults& saved) override;

  int categories_;
  Rows pictures_;
  mutable std::optional<Numbers> score_;  // of pictures_, once it was asked for
};

}  // namespace convoy
