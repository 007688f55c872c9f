// Every plan of a run and the schedule of its steps, complete before anything is allocated: what a
// run will need can be asked.
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

struct NetworkSpec {
  Shape image;             // [c, h, w]
  int64_t eval_batch = 0;  // 0: no evaluation
  PassWatch watch;
  Choices choices = {};

  // For training.
  const Optimizer* optimizer = nullptr;  // null: evaluation alone
  Clipping clip = {};
  std::function<void(Graph&)> tune = {};  // says what is frozen, and how fast the rest learns
  StepShape step;
  int64_t tail_batch = 0;  // a shorter last step; 0: none
  bool average = false;
};

class NetworkPlans {
 public:
  // Keeps the task.
  NetworkPlans(const Task& task, const NetworkSpec& spec);

  struct Named {
    std::string kind;  // "train", "tail", "eval", "statistics", "update", "average"
    int64_t batch;     // 0: of updates
    std::unique_ptr<Plan> plan;
  };
  const std::vector<Named>& all() const { return plans_; }
  const Plan* find(std::string_view kind) const;  // null: there is none
  std::vector<const Plan*> pointers() const;

  const Task& task() const { return task_; }
  const StepShape& step() const { return step_; }
  const StateLayout& state() const { return plans_.front().plan->state; }
  int slots() const { return slots_; }
  // What of the parameters is updated here, and held of each slot.
  const UpdateShares& shares() const { return shares_; }
  bool average() const { return average_; }

  // What processes exchange in a step: the gradients in backward order, as far as they learn, and
  // last the statistics of each micro-batch, if there are any. None: a single process.
  const std::vector<Bucket>& buckets() const { return buckets_; }
  // Of this process, and of a shorter last step.
  const StepSchedule& schedule() const { return schedule_; }
  const StepSchedule& tail_schedule() const { return tail_; }
  // That of another.
  StepSchedule schedule_of_rank(int rank) const;

 private:
  void add(std::string kind, int64_t batch, Plan plan);
  void add_task(std::string kind, const TaskShape& shape, const NetworkSpec& spec);
  void distribute(Graph& graph);
  void write_schedules(const NetworkSpec& spec);
  StepParts parts() const;

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
