// What a step sums within a process: gradients over micro-batches and replicas, the statistics of
// each micro-batch over replicas. A replica's sums are its leaf: the gradients, and behind them its
// statistics micro-batch by micro-batch. Leaves meet in a balanced tree over the replica index.
#pragma once

#include <span>

#include "compile/plan.h"
#include "dist/bucket.h"
#include "train/step/step_shape.h"
#include "train/step/tree_accumulator.h"

namespace convoy {

// Each to the nearest number of bf16.
void round_to_bf16(std::span<float> values, ThreadPool& pool);

class StepSums {
 public:
  // Keeps the pool. Replicas in lockstep have a leaf each; others use one in turn.
  StepSums(const StepShape& shape, const StateLayout& layout, ThreadPool& pool);
  // What it takes; nothing where one run makes everything.
  static int64_t bytes(const StepShape& shape, const StateLayout& layout);

  // A new step.
  void start() { tree_.clear(); }
  // Of the leaf, what is about a micro-batch's statistics, or those of all.
  Bucket statistics(int micro) const;
  Bucket all_statistics() const;

  // `replica` counts those of this process. Gradients at `where`, of which `values` are the first,
  // are added to those of earlier micro-batches.
  void add(int replica, int micro, const Bucket& where, const float* values);
  void set_statistics(int replica, int micro, std::span<const float> values);
  // The floats at `where` of its leaf.
  std::span<float> leaf(int replica, const Bucket& where) const;
  // The leaf is complete, and not that of the last replica: it is free for the next one.
  void push(int replica);
  // The sum over all replicas, of which the last need not be pushed; of each float once.
  void sum(const Bucket& where, std::span<float> target);

 private:
  int64_t stats_, params_, leaf_floats_;
  int leaves_, micros_;
  ThreadPool& pool_;
  Arena memory_;
  TreeAccumulator tree_;
};

}  // namespace convoy
