// Detection with default boxes (SSD): images in; of each default box a class and the code of its
// object out.
#pragma once

#include <memory>

#include "boxes/detector.h"
#include "data/detection_form.h"
#include "models/model.h"
#include "ops/byte_image.h"
#include "train/tasks/task.h"

namespace convoy {

class DetectionTask : public Task {
 public:
  // `classes` includes the background, class 0. The model has default boxes for the image, [c, h,
  // w].
  DetectionTask(const Variant& model, int classes, const Shape& image, ModelOptions options = {},
                ops::ByteTables tables = {});

  // Inputs: image and key; unless for export, box_classes and box_codes (data/detection_form.h); in
  // training loss_scale. Outputs: `loss` and its part `box_loss`, one number per sample
  // (ops/loss/detection_loss.h), except for export; and except in training `class_logits` [n,
  // boxes, classes] and `box_codes` [n, boxes, 4], in the order of boxes/default_boxes.h.
  TaskGraph build(const TaskShape& shape) const override;
  // A row holds the loss; in evaluation also the true objects of the picture and those found.
  std::unique_ptr<Results> results() const override;
  void read(const Executor& executor, const Batch& batch, Rows& rows) const override;
  const SampleForm* form() const override { return &form_; }

 private:
  const Variant& model_;
  int classes_;
  ModelOptions options_;
  ops::ByteTables tables_;
  DetectionForm form_;
  mutable Detector detector_;  // its memory is kept between calls of `read`, one at a time
};

}  // namespace convoy
