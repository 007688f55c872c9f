// Communication with other processes in a step: sums gradients and statistics over all of them, and
// tells all of them after the step if one received a signal.
#pragma once

#include <atomic>
#include <vector>

#include "compile/plan.h"
#include "dist/gradient_exchange.h"
#include "train/step/step_shape.h"

namespace convoy {

class StepPeers {
 public:
  // Keeps transport and pool. `buckets`: see NetworkPlans.
  StepPeers(Transport& transport, const StepShape& shape, const StateLayout& layout,
            const std::vector<Bucket>& buckets, ThreadPool& pool);

  GradientExchange& gradients() { return gradients_; }
  const GradientExchange& gradients() const { return gradients_; }

  // Sets the variable with this rank's own signal.
  void watch(const std::atomic<int>& signal) { signal_ = &signal; }
  int signal() const { return signal_ ? signal_->load() : 0; }
  // The first signal that any rank had before the end of a step; 0: none.
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
  const std::atomic<int>* signal_ = nullptr;
  int stop_ = 0;
};

}  // namespace convoy
