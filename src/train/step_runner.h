// One optimiser step: the gradients of every replica and micro-batch, their sum in a fixed tree,
// the update. Replicas run together as one batch or one after another, with the same bits.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "dist/replica_split.h"
#include "dist/row_exchange.h"
#include "dist/span_exchange.h"
#include "engine/executor.h"
#include "ops/exchange.h"
#include "train/result_rows.h"
#include "train/tree_accumulator.h"

namespace convoy {

class StepPeers;
class Trace;

struct StepShape {
  int64_t micro_batch = 1;  // images of one replica
  int replicas = 1;
  int accumulation = 1;
  bool together = false;  // the replicas here in one run of the plan; needs accumulation 1

  // Which of them this process runs; a count of 0: all.
  ReplicaRange mine = {};
  // Every replica's gradient is rounded to bf16, whether or not it travels; not together.
  bool narrow = false;
  // Replicas that share the statistics of batch norms. Above 1 the replicas here run in step, each
  // with its own memory; not together.
  int span = 1;

  bool in_step() const { return span > 1; }
  // Runs of the plan, in all replicas that run in step at once.
  int runs() const { return in_step() ? accumulation : parts(); }

  int local() const { return mine.count ? mine.count : replicas; }
  int64_t plan_batch() const { return together ? micro_batch * local() : micro_batch; }
  int plan_replicas() const { return together ? local() : 1; }
  int parts() const { return together ? 1 : local() * accumulation; }
  int64_t global_batch() const { return micro_batch * replicas * accumulation; }
  // The samples of a step that come before this process's.
  int64_t first_sample() const { return mine.first * accumulation * micro_batch; }
};

// What varies from step to step.
struct StepInputs {
  float learning_rate = 0;
  float loss_scale = 1;
  float step = 0;
  float bn_momentum = 0.1f;
  bool bn_per_step = false;  // running statistics move once a step, not with every micro-batch
  bool skip_update = false;
};

// A replica that runs in step with the first: what is its own.
struct ReplicaInStep {
  State* state;
  Executor* executor;
};

class StepRunner {
 public:
  struct Executors {
    Executor& gradients;
    Executor& statistics;
    Executor& update;
    std::vector<ReplicaInStep> others = {};  // with `in_step`: those behind the first
    SpanExchange* spans = nullptr;           // likewise
  };

  // Keeps the references. `peers`: the other processes, whose memory the state's gradients are in;
  // null: there are none.
  StepRunner(const StepShape& shape, const Task& task, const State& state, ThreadPool& pool,
             const Executors& executors, StepPeers* peers = nullptr);

  // What the sums over several parts take.
  static int64_t sum_bytes(const StepShape& shape, const StateLayout& state);

  // Takes `parts()` batches from `next` (or one shorter batch through `gradients`, another executor
  // for the tail of an epoch). A loss that is no finite number skips the update. The results, of
  // the samples of all processes, are valid until the next step.
  const Results& run(const StepInputs& inputs, const std::function<const Batch&()>& next);
  const Results& run_tail(const StepInputs& inputs, const Batch& batch, Executor& gradients);
  // Samples of the newest step that were no images, in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return rows_.bad(); }

  // From now on everything a step does is told to it; null: no more.
  void trace(Trace* trace);

 private:
  // Runs with spans around the forward and the backward pass.
  void run_plan(const std::function<void()>& run);
  void run_part(Executor& gradients, const Batch& batch, bool first = true);
  void run_alone(const Batch& batch);
  void run_parts(const std::function<const Batch&()>& next);
  void run_in_step(const std::function<const Batch&()>& next);
  void after_common_step(size_t step);
  // Floats [begin, begin + count) of the sums over the replicas here go to `sums()`.
  void sum_rows(int64_t begin, int64_t count);
  void add_to_rows(int64_t begin, int64_t count);
  std::span<float> row(int replica) const;
  const State& state_of(int replica) const;
  void bind(Executor& gradients, const Batch& batch);
  // Adds gradients [begin, begin + count) of a micro-batch to the replica's; after the last they
  // are rounded, if they shall be.
  void add_to_leaf(int64_t begin, int64_t count, bool is_first, bool is_last);
  void round(float* gradients, int64_t count);
  void after_step(size_t step);
  // What processes that share the update tell one another in the midst of it.
  void share_rows();
  void send_bucket(int bucket);
  void begin(const StepInputs& inputs);
  void apply(const StepInputs& inputs);
  void move_statistics(float scale);
  void update(const StepInputs& inputs, int terms);
  bool alone() const { return shape_.parts() == 1 && !shape_.in_step(); }
  // The gradients of the step, and the statistics of each micro-batch behind them.
  std::span<float> sums() const;

  StepShape shape_;
  const Task& task_;
  const State& state_;
  ThreadPool& pool_;
  Executors executors_;
  StepPeers* peers_;
  std::vector<int> bucket_after_;  // by step of the plan: the bucket complete then, or -1
  bool is_last_part_ = false, is_first_micro_ = false;
  int part_ = 0;
  StepInputs now_;
  Trace* trace_ = nullptr;
  size_t backward_step_ = 0;  // of the plan: the first that makes gradients
  double backward_began_ = 0;
  std::vector<std::unique_ptr<RowExchange>> rows_after_;  // by step of the update; null: none
  // Plan inputs are read through these.
  float grad_scale_ = 1, stat_scale_ = 1, skip_ = 0;
  // Several parts: a replica's sum over its micro-batches with the statistics of each, and the
  // tree.
  Arena leaf_;
  std::optional<TreeAccumulator> tree_;
  // Replicas in step: a copy of each one's batch, and what the hooks need of the plan.
  std::vector<std::unique_ptr<Batch>> batches_;
  std::vector<Executor*> all_;
  std::vector<ops::SpanMark> span_after_;
  std::vector<const float*> given_;
  std::vector<float*> gathered_;
  ResultRows rows_;
  std::unique_ptr<Results> results_;
};

}  // namespace convoy
