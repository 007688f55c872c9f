// A model made ready: its plans, the state they share, one workspace, and what runs them.
#pragma once

#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "compile/compile.h"
#include "engine/executor.h"
#include "train/optimizer.h"
#include "train/step_runner.h"
#include "train/task.h"

namespace convoy {

struct NetworkSpec {
  Shape image;             // [c, h, w]
  int64_t eval_batch = 0;  // 0: no evaluation
  int threads = 1;
  PassWatch watch;

  // For training.
  const Optimizer* optimizer = nullptr;  // null: evaluation alone
  StepShape step;
  int64_t tail_batch = 0;  // a shorter last step; 0: none
  bool average = false;
};

class Network {
 public:
  // Keeps the task and the optimiser.
  Network(const Task& task, const NetworkSpec& spec);

  ThreadPool& pool() { return pool_; }
  State& state() { return *state_; }
  const Workspace& workspace() const { return *workspace_; }

  Executor& evaluation() { return *evaluation_; }
  StepRunner& steps() { return *steps_; }
  Executor& tail() { return *tail_; }
  Executor& average() { return *average_; }

  struct NamedPlan {
    std::string kind;  // "train", "tail", "eval", …
    int64_t batch;     // 0: of updates
    std::unique_ptr<Plan> plan;
  };
  const std::vector<NamedPlan>& plans() const { return plans_; }

 private:
  Plan* add(std::string kind, int64_t batch, Plan plan);
  Plan* add_task(std::string kind, const TaskShape& shape);
  std::unique_ptr<Executor> executor(const Plan* plan);

  const Task& task_;
  PassWatch watch_;
  ThreadPool pool_;
  std::vector<NamedPlan> plans_;
  std::unique_ptr<State> state_;
  std::unique_ptr<Workspace> workspace_;
  std::unique_ptr<Executor> gradients_, tail_, evaluation_, statistics_, update_, average_;
  std::unique_ptr<StepRunner> steps_;
};

}  // namespace convoy
