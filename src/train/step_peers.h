// What a step has to do with other processes: its gradients and statistics are summed over all of
// them, and a signal that one of them had is known to all after the step.
#pragma once

#include <atomic>
#include <vector>

#include "compile/plan.h"
#include "dist/gradient_exchange.h"

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

  void start() { gradients_.start(); }

  // The parameters that the processes share the update of: this rank's are new, all get all.
  bool shards() const { return shards_; }
  void gather_params(std::span<float> params) { gradients_.gather(params); }

  // This rank's own signals.
  void watch(const std::atomic<int>& signal) { signal_ = &signal; }
  int signal() const { return signal_ ? signal_->load() : 0; }
  // The first signal that some rank had before the end of a step; 0: none.
  int stop() const { return stop_; }
  void note_stop(int64_t signal) {
    if (!stop_) stop_ = static_cast<int>(signal);
  }

  Transport& transport() { return transport_; }
  const ReplicaSplit& split() const { return split_; }

 private:
  Transport& transport_;
  ReplicaSplit split_;
  GradientExchange gradients_;
  bool shards_;
  const std::atomic<int>* signal_ = nullptr;
  int stop_ = 0;
};

}  // namespace convoy
