// Detection with default boxes (SSD): images in; of each default box a class and the code of its
// object out.
#pragma once

#include "models/model.h"
#include "ops/byte_image.h"
#include "train/tasks/task.h"

namespace convoy {

class Detection : public Task {
 public:
  // `classes` includes the background, class 0.
  Detection(const Variant& model, int classes, ModelOptions options = {},
            ops::ByteTables tables = {})
      : model_(model),
        classes_(classes),
        options_(std::move(options)),
        tables_(std::move(tables)) {}

  // Inputs: image, key; in training box_classes s32 [n, boxes], box_codes f32 [n, boxes, 4] (the
  // targets, boxes/match.h) and loss_scale. Outputs: in training `loss`, one number per sample
  // (ops/loss/detection_loss.h); otherwise `class_logits` [n, boxes, classes] and `box_codes` [n,
  // boxes, 4], in the order of boxes/default_boxes.h.
  TaskGraph build(const TaskShape& shape) const override;
  std::unique_ptr<Results> results() const override;
  void read(const Executor& executor, const Batch& batch, Rows& rows) const override;

 private:
  const Variant& model_;
  int classes_;
  ModelOptions options_;
  ops::ByteTables tables_;
};

}  // namespace convoy
