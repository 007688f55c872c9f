// What a step has to do with other processes: its gradients and statistics are summed over all of
// them, and its tally counts everybody's samples, in their order: the same digits as one process.
#pragma once

#include <atomic>
#include <vector>

#include "compile/plan.h"
#include "dist/gradient_exchange.h"
#include "train/shared_tally.h"
#include "train/task.h"

namespace convoy {

struct StepShape;

class StepPeers {
 public:
  struct Options {
    int64_t bucket_floats = 1 << 20;
    bool narrow = false;  // see GradientExchange::Spec
    bool shard = false;   // each process updates its share of the parameters: see UpdateShares
  };
  // Keeps transport and pool.
  StepPeers(Transport& transport, const StepShape& shape, const StateLayout& layout,
            const Options& options, ThreadPool& pool);

  // The gradients, in backward order, as far as they are wanted, and one bucket more: the
  // statistics of each micro-batch.
  static std::vector<Bucket> buckets(const StepShape& shape, const StateLayout& layout,
                                     const Options& options);

  GradientExchange& gradients() { return gradients_; }
  const GradientExchange& gradients() const { return gradients_; }

  void start();
  // The results of a run on a batch of this process: part `part` of its samples.
  void add(const Task& task, const Executor& executor, const Batch& batch, int part);
  // Everybody's. Every rank knows then that all are done with this step.
  Tally gather();

  // The parameters that the processes share the update of: this rank's are new, all get all.
  bool shards() const { return shards_; }
  void gather_params(std::span<float> params) { gradients_.gather(params); }

  // The signal that some rank has had before the last `gather`; 0: none.
  int stop() const { return stop_; }
  // This rank's own signals.
  void watch(const std::atomic<int>& signal) { signal_ = &signal; }
  // Samples of the step that were no images, of all ranks in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return tally_.bad(); }

  Transport& transport() { return transport_; }
  const ReplicaSplit& split() const { return split_; }

 private:
  Transport& transport_;
  ReplicaSplit split_;
  GradientExchange gradients_;
  bool shards_;
  SharedTally tally_;
  int64_t each_part_;
  const std::atomic<int>* signal_ = nullptr;
  int stop_ = 0;
};

}  // namespace convoy
