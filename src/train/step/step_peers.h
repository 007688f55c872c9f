// The communication of a step with the other processes: the exchange of gradients and statistics,
// and the signal (Ctrl-C, SIGTERM) that one of them received. Signals travel with the results of a
// step, so all processes stop after the same step.
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

  // Sets the variable that holds the signal this rank has received, 0 for none; borrowed.
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
