// One optimiser step: the gradients of every replica and micro-batch, their sum in a fixed tree,
// the update. Replicas run together as one batch or one after another, with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/executor.h"
#include "train/task.h"
#include "train/tree_accumulator.h"

namespace convoy {

struct StepShape {
  int64_t micro_batch = 1;  // images of one replica
  int replicas = 1;
  int accumulation = 1;
  bool together = false;  // all replicas in one run of the plan; needs accumulation 1

  int64_t plan_batch() const { return together ? micro_batch * replicas : micro_batch; }
  int plan_replicas() const { return together ? replicas : 1; }
  int parts() const { return together ? 1 : replicas * accumulation; }
  int64_t global_batch() const { return micro_batch * replicas * accumulation; }
};

// What varies from step to step.
struct StepInputs {
  float learning_rate = 0;
  float loss_scale = 1;
  float step = 0;
  float bn_momentum = 0.1f;
  bool bn_per_step = false;  // running statistics move once a step, not with every micro-batch
  bool skip_update = false;
};

class StepRunner {
 public:
  struct Executors {
    Executor& gradients;
    Executor& statistics;
    Executor& update;
  };

  // Keeps the references.
  StepRunner(const StepShape& shape, const Task& task, const State& state, ThreadPool& pool,
             const Executors& executors);

  // What the sums over several parts take.
  static int64_t sum_bytes(const StepShape& shape, const StateLayout& state);

  // Takes `parts()` batches from `next` (or one shorter batch through `gradients`, another executor
  // for the tail of an epoch). A loss that is no finite number skips the update.
  Tally run(const StepInputs& inputs, const std::function<const Batch&()>& next);
  Tally run_tail(const StepInputs& inputs, const Batch& batch, Executor& gradients);

 private:
  void run_part(Executor& gradients, const Batch& batch, Tally& tally, bool first = true);
  void move_statistics(float scale);
  void update(const StepInputs& inputs, const Tally& tally, int terms);
  bool alone() const { return shape_.parts() == 1; }

  StepShape shape_;
  const Task& task_;
  const State& state_;
  ThreadPool& pool_;
  Executors executors_;
  StepInputs now_;
  // Plan inputs are read through these.
  float grad_scale_ = 1, stat_scale_ = 1, skip_ = 0;
  // Several parts: a replica's sum over its micro-batches with the statistics of each, and the
  // tree.
  Arena leaf_;
  std::optional<TreeAccumulator> tree_;
};

}  // namespace convoy
