// A model made ready: its plans, the state they share, one workspace, and what runs them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/thread_pool.h"
#include "compile/compile.h"
#include "engine/executor.h"
#include "train/clipping.h"
#include "train/optimizer.h"
#include "train/step_peers.h"
#include "train/step_runner.h"
#include "train/task.h"

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
  int instances = 1, rank = 0;  // processes that share the replicas, and which of them this is
  StepPeers::Options exchange = {};
  int64_t tail_batch = 0;  // a shorter last step; 0: none
  bool average = false;
};

// Every plan of a run, complete before anything is allocated: what it will need can be asked.
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
  int instances() const { return instances_; }
  const StepPeers::Options& exchange() const { return exchange_; }
  const StateLayout& state() const { return plans_.front().plan->state; }
  int slots() const { return slots_; }
  // What of the parameters is updated here, and held of each slot.
  const UpdateShares& shares() const { return shares_; }
  bool average() const { return average_; }

 private:
  void add(std::string kind, int64_t batch, Plan plan);
  void add_task(std::string kind, const TaskShape& shape, const NetworkSpec& spec);

  const Task& task_;
  StepShape step_;
  int instances_ = 1;
  StepPeers::Options exchange_;
  int slots_ = 0;
  UpdateShares shares_;
  bool average_ = false;
  std::vector<Named> plans_;
};

class Network {
 public:
  // Allocates all the plans need. Keeps them. `cores`: see ThreadPool. `transport`: to the other
  // processes, if the plans are for several; kept.
  Network(const NetworkPlans& plans, int threads, const std::vector<int>& cores = {},
          Transport* transport = nullptr);

  ThreadPool& pool() { return pool_; }
  State& state() { return state_; }
  const Workspace& workspace() const { return workspace_; }

  // Those whose plans there are.
  Executor* gradients() { return gradients_.get(); }
  Executor* statistics() { return statistics_.get(); }
  Executor* update() { return update_.get(); }
  Executor* evaluation() { return evaluation_.get(); }
  Executor* tail() { return tail_.get(); }
  Executor* average() { return average_.get(); }
  StepRunner& steps() { return *steps_; }
  StepPeers* peers() { return peers_.get(); }  // null: a single process

 private:
  std::unique_ptr<Executor> executor(std::string_view kind);
  void make_replicas_in_step(StepRunner::Executors& executors, Transport* transport);

  const NetworkPlans& plans_;
  ThreadPool pool_;
  std::unique_ptr<StepPeers> peers_;
  State state_;
  Workspace workspace_;
  // Replicas in step.
  struct Further {
    Further(const State& first, const Plan& plan, ThreadPool& pool);
    State state;
    Workspace workspace;
    Executor executor;
  };
  std::vector<std::unique_ptr<Further>> further_;
  std::unique_ptr<ReplicaSplit> split_;
  std::unique_ptr<SpanExchange> spans_;
  std::unique_ptr<Executor> gradients_, tail_, evaluation_, statistics_, update_, average_;
  std::unique_ptr<StepRunner> steps_;
};

}  // namespace convoy
