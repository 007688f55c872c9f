// All plans of a run and the schedule of its steps. Complete before anything is allocated, so the
// needs of a run can be computed first.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compile.h"
#include "dist/bucket.h"
#include "train/step/step_schedule.h"
#include "train/tasks/task.h"
#include "train/update/clipping.h"
#include "train/update/optimizer.h"

namespace convoy {

// How the plan for evaluation differs from that for training.
struct EvaluationForm {
  Shape image = {};     // rank 0: as in training
  bool folded = false;  // it is a plan for inference (CompileOptions)
};

struct NetworkSpec {
  Shape image;             // [c, h, w]
  int64_t eval_batch = 0;  // 0: no evaluation
  EvaluationForm eval = {};
  PassWatch watch;  // prints, times or skips the passes of the compiler
  Choices choices = {};
  StorageRules storage = {};
  RecomputeRule recompute = {};
  DType image_type = DType::f32;  // of the input `image`, if it is floats: f32 or bf16

  // For training only.
  const Optimizer* optimizer = nullptr;  // null: evaluation only
  Clipping clip = {};
  KeptWeights kept = {};
  // Marks in a training graph which parameters are frozen and how fast the others learn.
  std::function<void(Graph&)> tune = {};
  StepShape step;
  int64_t tail_batch = 0;  // batch of the shorter last step; 0: none
  bool average = false;
};

class NetworkPlans {
 public:
  // Keeps a reference to the task. Refuses (Fault::bug) schedules in which `check_schedules` finds
  // faults; of the ranks it gets one for each number of replicas, as the others do the same.
  NetworkPlans(const Task& task, const NetworkSpec& spec);

  struct Named {
    std::string kind;  // "train", "tail", "eval", "statistics", "update", "average"
    int64_t batch;     // 0: a plan without a batch
    std::unique_ptr<Plan> plan;
  };
  const std::vector<Named>& all() const { return plans_; }
  const Plan* find(std::string_view kind) const;  // null if absent
  std::vector<const Plan*> pointers() const;

  const Task& task() const { return task_; }
  const StepShape& step() const { return step_; }
  const StateLayout& state() const { return plans_.front().plan->state; }
  int slots() const { return slots_; }  // buffers of the optimizer
  // Which parameters, and which part of each optimizer buffer, this process updates.
  const UpdateShares& shares() const { return shares_; }
  bool average() const { return average_; }

  // What processes exchange in a step: buckets of the gradients of trainable parameters in backward
  // order, then one bucket with the statistics of all micro-batches, if any. Empty: a single
  // process.
  const std::vector<Bucket>& buckets() const { return buckets_; }
  // The schedules of this process: of a whole step, and of the shorter last step of an epoch.
  const StepSchedule& schedule() const { return schedule_; }
  const StepSchedule& tail_schedule() const { return tail_; }
  // The schedule of another rank.
  StepSchedule schedule_of_rank(int rank) const;

 private:
  void add(std::string kind, int64_t batch, Plan plan);
  void add_task(std::string kind, const TaskShape& shape, const NetworkSpec& spec);
  void distribute(Graph& graph);
  void write_schedules(const NetworkSpec& spec);
  ExchangedParts exchanged_parts() const;

  const Task& task_;
  StepShape step_;
  int slots_ = 0;
  UpdateShares shares_;
  bool average_ = false;
  std::vector<Bucket> buckets_;
  StepSchedule schedule_, tail_;
  std::vector<Named> plans_;
};

}  // namespace convoy
