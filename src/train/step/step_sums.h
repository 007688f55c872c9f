// The sums of a step within a process. The leaf of a replica is a vector: its gradients, summed
// over its micro-batches, followed by the batch statistics of each micro-batch, which are not
// summed over them. Leaves are summed over the replicas, in a balanced tree over the replica index.
#pragma once

#include <span>

#include "compile/plan.h"
#include "dist/bucket.h"
#include "train/step/step_shape.h"
#include "train/step/tree_accumulator.h"

namespace convoy {

// Rounds each value to the nearest bf16 number.
void round_to_bf16(std::span<float> values, ThreadPool& pool);

class StepSums {
 public:
  // Keeps the pool. Replicas that are in memory at once have a leaf each, which others use in turn.
  StepSums(const StepShape& shape, const StateLayout& layout, ThreadPool& pool);
  // The memory it takes; 0 if a single run gives the sums.
  static int64_t bytes(const StepShape& shape, const StateLayout& layout);

  // Begins a new step.
  void start() { tree_.clear(); }
  Bucket statistics(int micro) const;  // the range of one micro-batch's statistics in a leaf
  Bucket all_statistics() const;       // the range of those of all micro-batches

  // Adds gradients to the leaf; those of micro-batch 0 replace its content. `where`: their range;
  // `values`: the first of them. In all functions `replica` is an index in this process.
  void add(int replica, int micro, const Bucket& where, const float* values);
  void set_statistics(int replica, int micro, std::span<const float> values);
  // The floats of a replica's leaf in that range.
  std::span<float> leaf(int replica, const Bucket& where) const;
  // Adds a complete leaf to the tree; its memory is then free for another replica. In the order of
  // the replicas, and not for the last one or those of the last group.
  void push(int replica);
  // Writes to `target` the sum over all replicas of this process: of the pushed leaves and of those
  // that are left. Overwrites what it sums: each float only once per step.
  void sum(const Bucket& where, std::span<float> target);

 private:
  int64_t stats_, params_, leaf_floats_;
  int leaves_, micros_;
  ThreadPool& pool_;
  Arena memory_;
  TreeAccumulator tree_;
};

}  // namespace convoy
