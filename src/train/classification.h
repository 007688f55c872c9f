// Images in, one label out: the task of every model here so far.
#pragma once

#include "models/model.h"
#include "ops/cross_entropy.h"
#include "train/task.h"

namespace convoy {

class Classification : public Task {
 public:
  Classification(const Variant& model, int classes, ops::CrossEntropyOptions loss,
                 bool zero_init_residual = false)
      : model_(model), classes_(classes), loss_(loss), zero_init_residual_(zero_init_residual) {}

  // Inputs image, label, key, and loss_scale when training. Outputs `loss` and `rank`, one number a
  // sample (ops/cross_entropy.h), and `logits` in evaluation. Smoothing is for training alone: the
  // loss of an evaluation is the plain one.
  TaskGraph build(const TaskShape& shape) const override;
  void count(const Executor& executor, int64_t valid, Tally& tally) const override;

 private:
  const Variant& model_;
  int classes_;
  ops::CrossEntropyOptions loss_;
  bool zero_init_residual_;
};

}  // namespace convoy
