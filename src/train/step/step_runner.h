// Goes through the schedule of an optimizer step (train/step/step_schedule.h), action by action.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/executor.h"
#include "train/step/network_plans.h"
#include "train/step/step_collectives.h"
#include "train/step/step_peers.h"
#include "train/step/step_sums.h"
#include "train/step/step_trace.h"
#include "train/tasks/result_rows.h"

namespace convoy {

// What varies from step to step.
struct StepInputs {
  float learning_rate = 0;
  float loss_scale = 1;
  float step = 0;
  float bn_momentum = 0.1f;
  bool skip_update = false;
};

class StepRunner {
 public:
  // What runs the gradient plan: one for all replicas here, or in lockstep one for each, which has
  // its own gradients and batch statistics.
  struct Lane {
    const State* state;
    Executor* executor;
  };
  struct Executors {
    std::vector<Lane> lanes;
    Executor* tail;  // null: every step is whole
    Executor &statistics, &update;
  };

  // Keeps the references. `peers`: the other processes, whose memory the gradients of the first
  // lane are in; null: there are none. `collectives`: of the plans; null: they have none.
  StepRunner(const NetworkPlans& plans, ThreadPool& pool, Executors executors, StepPeers* peers,
             StepCollectives* collectives);

  // Takes a batch from `next` for each that the schedule names. A loss that is no finite number
  // skips the update. The results, of the samples of all processes, are valid until the next step.
  using Next = std::function<const Batch&()>;
  const Results& run(const StepInputs& inputs, const Next& next);
  // The short last step of an epoch.
  const Results& run_tail(const StepInputs& inputs, const Next& next);
  // Samples of the newest step that were no images, in the order of samples.
  const std::vector<Batch::Bad>& bad() const { return rows_.bad(); }

  // From now on everything a step does is told to it; null: no more.
  void trace(Trace* trace);

 private:
  const Results& follow(const StepSchedule& schedule, const StepInputs& inputs, const Next& next);
  void act(const Action& action, std::span<const Action> inside);
  void take_batch(const Action& action);
  void run_plan(const Action& action, std::span<const Action> inside);
  // Of the run that goes on: those that wait for that bucket.
  void act_inside(int bucket);
  void count(const Action& action);
  void add_to_leaf(const Action& action);
  void round(const Action& action);
  void sum(int part);
  void finish_exchange();
  void gather_results();
  void move_statistics(int micro);
  void update();

  // The lanes of an action's replicas, and the first one's number.
  std::span<Lane> lanes_of(const Action& action);
  size_t lane_of(int replica) const;
  int local(int replica) const { return replica - plans_.step().mine.first; }
  Bucket floats_of(int part) const;
  // The sums of a micro-batch's statistics; empty: they stand where the plan has put them.
  std::span<float> statistics_sums() const;
  const State& state() const { return *executors_.lanes.front().state; }

  // What plans read.
  struct PlanInputs : StepInputs {
    float grad_scale = 1, stat_scale = 1, skip = 0;
  };
  // What goes on at the moment.
  struct Now {
    const Next* next = nullptr;
    std::span<const Action> inside;     // of the run
    std::vector<const Batch*> batches;  // by lane
    std::vector<Executor*> ran;         // by lane
  };

  const NetworkPlans& plans_;
  ThreadPool& pool_;
  Executors executors_;
  StepPeers* peers_;
  StepCollectives* collectives_;
  std::optional<StepSums> sums_;  // none: one run makes everything
  PlanInputs inputs_;
  Now now_;
  std::vector<std::unique_ptr<Batch>> copies_;  // in lockstep, by lane: of its batch
  ResultRows rows_;
  std::unique_ptr<Results> results_;
  Trace* trace_ = nullptr;
  std::unique_ptr<StepTrace> step_trace_;
};

}  // namespace convoy
