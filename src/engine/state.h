// What persists from step to step: parameters, gradients, statistics, optimiser slots, averages.
// Every plan of a run shares it; its layout follows from the model alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "compile/plan.h"
#include "tensor/arena.h"

namespace convoy {

class State {
 public:
  // `slots`: parameter-sized buffers for the optimiser. `average`: room for moving averages of
  // parameters and statistics.
  // `slot_floats`: of each such buffer, when it holds a part of the parameters alone; -1: all.
  // What one takes, before it is taken.
  static size_t bytes(const StateLayout& layout, int slots, bool average, int64_t slot_floats = -1);

  // `grads`: memory of others for the gradients, where it shall be; it stays theirs.
  State(const StateLayout& layout, int slots, bool average, std::span<float> grads = {},
        int64_t slot_floats = -1);

  // One more set of gradients and batch statistics beside the parameters, statistics and slots of
  // `other`, which must live as long: for replicas that run at the same time.
  struct Beside {
    const State& other;
  };
  explicit State(const Beside& beside);

  const StateLayout& layout() const { return layout_; }

  std::span<float> params() const { return params_; }
  std::span<float> grads() const { return grads_; }
  std::span<float> stats() const { return stats_; }
  std::span<float> batch_stats() const { return batch_stats_; }
  std::span<float> slot(int i) const { return slots_[static_cast<size_t>(i)]; }
  int slot_count() const { return static_cast<int>(slots_.size()); }
  std::span<float> average_params() const { return average_params_; }
  std::span<float> average_stats() const { return average_stats_; }
  // Of the regions that are state, by their row; empty: not state, or not there.
  std::span<float> region(const Region& which) const;
  bool has_average() const { return !average_params_.empty(); }

  // The start of a run, a function of the seed and each parameter's name.
  void initialize(uint64_t seed);

  // Backs all of it with pages, spread over the pool's threads, before anything is written.
  void first_touch(ThreadPool& pool) const { arena_.first_touch(arena_.size(), pool); }

  size_t bytes() const { return arena_.size(); }

 private:
  StateLayout layout_;
  Arena arena_;
  std::span<float> params_, grads_, stats_, batch_stats_, average_params_, average_stats_;
  std::vector<std::span<float>> slots_;
};

}  // namespace convoy
