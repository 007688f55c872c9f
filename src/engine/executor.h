// Runs a plan: one plan op after another, each cut into tasks for the thread pool. `Workspace` owns
// the memory for activations and scratch; the executor borrows it.
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
    size_t activations = 0, scratch = 0, worker = 0;  // worker: scratch per thread
    int threads = 1;
    size_t bytes() const { return activations + scratch + worker * static_cast<size_t>(threads); }
  };
  // The memory that these plans need, computed before it is allocated.
  static Size size(std::span<const Plan* const> plans, int threads);

  Workspace(std::span<const Plan* const> plans, int threads);

  std::byte* activations() const { return activations_.data(); }
  std::byte* scratch() const { return scratch_.data(); }
  std::byte* worker_scratch(int worker) const {
    return worker_scratch_.data() + static_cast<size_t>(worker) * worker_bytes_;
  }
  // Maps the memory that `plan` uses to physical pages, before anything is written. Each thread
  // touches its own scratch, so that it is on that thread's socket; the rest is touched in pieces
  // by all threads, as tasks are, so that it is spread over the sockets. Memory that only other
  // plans use is left to their first run.
  void first_touch(const Plan& plan, ThreadPool& pool) const;
  // Whether the workspace is large enough for this plan with this many threads.
  bool fits(const Plan& plan, int threads) const;
  size_t bytes() const { return activations_.size() + scratch_.size() + worker_scratch_.size(); }

 private:
  Arena activations_, scratch_, worker_scratch_;
  size_t worker_bytes_ = 0;
};

class Executor {
 public:
  // Borrows all four, which must outlive it. The state must have the plan's layout, and the
  // workspace must fit the plan.
  Executor(const Plan& plan, const State& state, const Workspace& workspace, ThreadPool& pool);

  // Sets the input's data; type and size must be the plan input's, and it must stay valid in each
  // run.
  void bind(std::string_view input, const void* data);
  // The same for all inputs of this name; false if the plan has none.
  bool try_bind(std::string_view input, const void* data);

  // Sets the memory of a region of the kind `apart`; `Plan::apart` gives its size.
  void give(const Region& region, std::byte* memory);

  // Runs the plan. All inputs must be bound, all such regions set, and collectives connected if the
  // plan has any. Allocates nothing after the first call. With `same` the caller promises that
  // parameters have not changed since the last run, and kernels reuse their packed weights.
  enum class Parameters { changed, same };
  void run(Parameters parameters = Parameters::changed);
  // Runs several executors of one plan in lockstep, each with its own workspace: every plan op in
  // all executors, in their order, before the next op. The first one's collectives and observer
  // serve all of them.
  static void run(std::span<Executor* const> all, Parameters parameters);

  // Sets the collectives; borrowed. Null: only for plans without exchanges.
  void connect(Collectives* collectives) { collectives_ = collectives; }
  // Sets the observer of every plan op; borrowed. Null: none.
  void observe(PlanObserver* observer) { observer_ = observer; }

  // The data of a named output, valid until the workspace is used again.
  const float* output(std::string_view name) const;
  const TensorType& output_type(std::string_view name) const;

  // The address from which plan op `op` reads input `input`, valid as above.
  std::byte* input_of(size_t op, size_t input) const { return ops_[op].in[input]; }

  // The address of a value of the plan, valid as above; null: an input that is not bound.
  const std::byte* data_of(Value v) const {
    return resolve(plan_.places[static_cast<size_t>(v.id)]);
  }

  const Plan& plan() const { return plan_; }
  // For work on the outputs; free between runs.
  ThreadPool& pool() const { return pool_; }

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
  const NamedValue& find_output(std::string_view name) const;
  std::byte* resolve(const Place& place) const;

  const Plan& plan_;
  const State& state_;
  const Workspace& workspace_;
  ThreadPool& pool_;
  std::vector<Bound> ops_;
  std::vector<std::vector<Use>> uses_;  // by input: the plan ops that read it
  std::vector<std::byte*> bound_;       // by input; null: not bound yet
  std::vector<std::pair<const Region*, std::byte*>> given_;
  bool has_collectives_ = false;
  Collectives* collectives_ = nullptr;
  PlanObserver* observer_ = nullptr;
  Arena packed_;
};

}  // namespace convoy
