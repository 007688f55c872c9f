// Classification: images in, one of several classes out.
#pragma once

#include "models/model.h"
#include "ops/byte_image.h"
#include "ops/loss/cross_entropy.h"
#include "ops/loss/label_weight.h"
#include "train/tasks/task.h"

namespace convoy {

class Classification : public Task {
 public:
  Classification(const Variant& model, int classes, ops::CrossEntropyOptions loss,
                 ModelOptions options = {}, ops::ByteTables tables = {},
                 ops::ClassWeights weights = {}, bool mixes = false)
      : model_(model),
        classes_(classes),
        loss_(loss),
        options_(std::move(options)),
        tables_(std::move(tables)),
        weights_(std::move(weights)),
        mixes_(mixes) {}

  // Inputs: image, label, key, and loss_scale in training. With byte tables the image is bytes, and
  // the first node converts it to floats. Outputs: `loss` and `rank`, one number per sample
  // (ops/loss/cross_entropy.h), and `logits` in evaluation; for export only `logits`. Label
  // smoothing, class weights and mixing apply in training only; the tensors of mixing
  // (data/mixing/mixing.h) are then inputs. Evaluation uses the plain loss.
  TaskGraph build(const TaskShape& shape) const override;
  std::unique_ptr<Results> results() const override;
  void read(const Executor& executor, const Batch& batch, Rows& rows) const override;

 private:
  const Variant& model_;
  int classes_;
  ops::CrossEntropyOptions loss_;
  ModelOptions options_;
  ops::ByteTables tables_;
  ops::ClassWeights weights_;
  bool mixes_;
};

}  // namespace convoy
