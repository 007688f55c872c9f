// Runs a plan: one op after another, each cut into tasks for the pool.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/threads/thread_pool.h"
#include "compile/plan.h"
#include "engine/collectives.h"
#include "engine/observer.h"
#include "engine/state.h"
#include "tensor/arena.h"

namespace convoy {

// Memory for activations and scratch, shared by plans that never run at the same time.
class Workspace {
 public:
  struct Size {
    size_t activations = 0, scratch = 0, worker = 0;  // worker: of each thread
    int threads = 1;
    size_t bytes() const { return activations + scratch + worker * static_cast<size_t>(threads); }
  };
  // What those plans need, before it is taken.
  static Size size(std::span<const Plan* const> plans, int threads);

  Workspace(std::span<const Plan* const> plans, int threads);

  std::byte* activations() const { return activations_.data(); }
  std::byte* scratch() const { return scratch_.data(); }
  std::byte* worker_scratch(int worker) const {
    return worker_scratch_.data() + static_cast<size_t>(worker) * worker_bytes_;
  }
  // Backs with pages what that plan uses, before anything is written: each thread its own scratch,
  // so that it lies in the memory of that thread's socket, and of the rest piece by piece whoever
  // comes first, as tasks are taken in a step: spread over the sockets. What only other plans use
  // is left to their first run.
  void first_touch(const Plan& plan, ThreadPool& pool) const;
  // Large enough for that plan on that many threads.
  bool fits(const Plan& plan, int threads) const;
  size_t bytes() const { return activations_.size() + scratch_.size() + worker_scratch_.size(); }

 private:
  Arena activations_, scratch_, worker_scratch_;
  size_t worker_bytes_ = 0;
};

class Executor {
 public:
  // Keeps all four. The state must have the plan's layout, the workspace must fit the plan.
  Executor(const Plan& plan, const State& state, const Workspace& workspace, ThreadPool& pool);

  // The input's data from now on: type and size as the plan's input says, alive while it runs.
  void bind(std::string_view input, const void* data);
  // As above for all inputs of that name in the plan; false when the plan has no such input.
  bool try_bind(std::string_view input, const void* data);

  // The memory of a region that the plan lays out apart, from now on: `Plan::apart` says how much.
  void give(const Region& region, std::byte* memory);

  // Every input must have been bound, every such region given, and collectives connected if the
  // plan has any. Allocates nothing after the first call. With `same`, the caller promises that
  // parameters are as they were in the last run.
  enum class Parameters { changed, same };
  void run(Parameters parameters = Parameters::changed);
  // The same for several executors of one plan in lockstep, each with its own workspace: every op
  // in each of them, in their order, before the next op. The first one's collectives and observer
  // are asked for all of them.
  static void run(std::span<Executor* const> all, Parameters parameters);

  // What does the plan's collectives; kept. Null: the plan may have none.
  void connect(Collectives* collectives) { collectives_ = collectives; }
  // Hears of every plan op from now on; kept. Null: no observer.
  void observe(PlanObserver* observer) { observer_ = observer; }

  // The data of a named result, valid until the workspace is used again.
  const float* output(std::string_view name) const;
  const TensorType& output_type(std::string_view name) const;

  // Where plan op number `op` reads its inputs, valid as above.
  std::byte* input_of(size_t op, size_t input) const { return ops_[op].in[input]; }

  const Plan& plan() const { return plan_; }

 private:
  struct Bound {
    const Kernel* kernel;
    std::vector<std::byte*> in, out;
    std::byte* packed;
    std::optional<Collective> collective;
  };
  struct Use {
    size_t op, arg;
  };

  void check_bound() const;
  void run_op(size_t op, bool skips) const;
  const Input& find_output(std::string_view name) const;
  std::byte* resolve(const Place& place) const;

  const Plan& plan_;
  const State& state_;
  const Workspace& workspace_;
  ThreadPool& pool_;
  std::vector<Bound> ops_;
  std::vector<std::vector<Use>> uses_;  // by input
  std::vector<std::byte*> bound_;       // by input; null: not yet
  std::vector<std::pair<const Region*, std::byte*>> given_;
  bool has_collectives_ = false;
  Collectives* collectives_ = nullptr;
  PlanObserver* observer_ = nullptr;
  Arena packed_;
};

}  // namespace convoy
