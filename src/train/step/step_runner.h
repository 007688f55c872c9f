// Executes the schedule of an optimizer step (train/step/step_schedule.h), action by action.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/executor.h"
#include "train/precision/loss_scaling.h"
#include "train/step/finite_watch.h"
#include "train/step/network_plans.h"
#include "train/step/step_collectives.h"
#include "train/step/step_peers.h"
#include "train/step/step_sums.h"
#include "train/step/step_trace.h"
#include "train/tasks/result_rows.h"

namespace convoy {

// Inputs that vary from step to step.
struct StepInputs {
  float learning_rate = 0;
  float loss_scale = 1;
  float step = 0;
  float bn_momentum = 0.1f;
  bool skip_update = false;
  int64_t rounding_key = 0;  // of stochastic rounding
};

class StepRunner {
 public:
  // An executor of the gradient plan, with the state that it writes gradients and batch statistics
  // to. There is one lane for all replicas of this process or, in lockstep, one for each replica
  // that runs at the same time.
  struct Lane {
    const State* state;
    Executor* executor;
  };
  struct Executors {
    std::vector<Lane> lanes;
    Executor* tail;  // null: no epoch ends with a shorter step
    Executor &statistics, &update;
  };

  // Keeps references to all arguments but `executors`. `peers`: the other processes, null: a
  // single process. With peers the gradients of the first lane must be in the memory of their
  // exchange (`GradientExchange::data`). `collectives`: those of the plans, null: none.
  StepRunner(const NetworkPlans& plans, ThreadPool& pool, Executors executors, StepPeers* peers,
             StepCollectives* collectives);

  // Runs one step. Takes a batch from `next` for every `batch` action. If the loss is not finite,
  // neither parameters nor running statistics are updated; if only a gradient is not, running
  // statistics are. Returns the results of the samples of
  // all processes, valid until the next step.
  using Next = std::function<const Batch&()>;
  const Results& run(const StepInputs& inputs, const Next& next);
  // The short last step of an epoch.
  const Results& run_tail(const StepInputs& inputs, const Next& next);
  // The undecodable samples of the last step, of all processes, in the order of its samples.
  const std::vector<Batch::Bad>& bad() const { return rows_.bad(); }

  // Of the last step. The parameters were updated if it was finite.
  LossScaling::Step outcome() const;
  float loss_scale() const { return inputs_.loss_scale; }  // of the last step

  // Watches the values of the following steps; borrowed. Null: nothing.
  void watch(FiniteWatch* watch);
  // Records the following steps: ops, phases and exchanges, but no ops of a short last step of an
  // epoch. Null: stops recording; write the trace before that, since it refers to facts about ops.
  void trace(Trace* trace);

 private:
  const Results& follow(const StepSchedule& schedule, const StepInputs& inputs, const Next& next);
  void act(const Action& action, std::span<const Action> inside);
  void take_batch(const Action& action);
  void run_plan(const Action& action, std::span<const Action> inside);
  // Executes the actions inside the current run that belong to this bucket.
  void act_inside(int bucket);
  void record_results(const Action& action);
  void add_to_leaf(const Action& action);
  void round(const Action& action);
  void sum(int part);
  void finish_exchange();
  void gather_results();
  void move_statistics(int micro);
  void update();

  void set_observers();
  // Tells the watch that a run of these executors begins.
  void watch_run(std::string_view plan, std::span<Executor* const> members, const Action& action);

  // The lanes of an action's replicas, and the index of a replica's lane.
  std::span<Lane> lanes_of(const Action& action);
  size_t lane_of(int replica) const;
  int local_index(int replica) const { return replica - plans_.step().mine.first; }
  Bucket floats_of(int part) const;
  // Where the sums of the batch statistics are, one vector per micro-batch. Empty: the plan has
  // written them to the state already.
  std::span<float> statistics_sums() const;
  const State& state() const { return *executors_.lanes.front().state; }

  // The inputs of the plans.
  struct PlanInputs : StepInputs {
    // `grad_scale` and `stat_scale` turn sums over replicas and micro-batches into means. `skip` is
    // 1 with `skip_update` or a loss that is not finite, else 0.
    float grad_scale = 1, stat_scale = 1, skip = 0;
  };
  // The state of the current step.
  struct Now {
    const Next* next = nullptr;
    std::span<const Action> inside;     // actions inside the current run
    std::vector<const Batch*> batches;  // by lane
    std::vector<Executor*> ran;         // by lane
    bool updated = false;
  };

  const NetworkPlans& plans_;
  ThreadPool& pool_;
  Executors executors_;
  StepPeers* peers_;
  StepCollectives* collectives_;
  std::optional<StepSums> sums_;  // empty: a single run of the plan computes the sums
  PlanInputs inputs_;
  Now now_;
  std::vector<std::unique_ptr<Batch>> copies_;  // in lockstep, by lane: a copy of its batch
  ResultRows rows_;
  std::unique_ptr<Results> results_;
  Trace* trace_ = nullptr;
  std::unique_ptr<StepTrace> step_trace_;
  FiniteWatch* watch_ = nullptr;
  Observers observers_;
};

}  // namespace convoy
