// The memory that persists between optimizer steps: parameters, gradients, statistics, optimizer
// buffers (slots), averages. All plans of a run share it; its layout follows from the model alone.
// It owns the memory unless the caller provides some.
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
  // `slots`: the number of optimizer buffers. `average`: also allocate moving averages of
  // parameters and statistics. `slot_floats`: the size of each buffer, if the optimizer's state is
  // sharded over ranks; -1: all parameters. `bytes` computes the memory before it is allocated.
  static size_t bytes(const StateLayout& layout, int slots, bool average, int64_t slot_floats = -1);

  // `grads`: memory of the caller for the gradients; it must outlive this. Empty: allocated here.
  State(const StateLayout& layout, int slots, bool average, std::span<float> grads = {},
        int64_t slot_floats = -1);

  // A further set of gradients and batch statistics; parameters, statistics and slots are those of
  // `other`, which must outlive this. For replicas that run at the same time.
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
  // The memory of a region; empty: not part of the state, or not allocated.
  std::span<float> region(const Region& which) const;
  bool has_average() const { return !average_params_.empty(); }

  // Sets the initial values: a function of the seed and each parameter's name.
  void initialize(uint64_t seed);

  // Maps all memory to physical pages, spread over the pool's threads, before anything is written.
  void first_touch(ThreadPool& pool) const { arena_.first_touch(arena_.size(), pool); }

  size_t bytes() const { return arena_.size(); }

 private:
  StateLayout layout_;
  Arena arena_;
  std::span<float> params_, grads_, stats_, batch_stats_, average_params_, average_stats_;
  std::vector<std::span<float>> slots_;
};

}  // namespace convoy
