// A model in memory: the state shared by its plans, one workspace, and the executors of the plans.
// In lockstep each replica of a group but the first has a state and a workspace of its own.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/threads/thread_pool.h"
#include "train/step/network_plans.h"
#include "train/step/step_runner.h"

namespace convoy {

class Network {
 public:
  // Allocates everything that the plans need. Keeps `plans`, and `transport` (to the other
  // processes, if the plans are for several). `cores`: see ThreadPool.
  Network(const NetworkPlans& plans, int threads, const std::vector<int>& cores = {},
          Transport* transport = nullptr);

  ThreadPool& pool() { return pool_; }
  State& state() { return state_; }
  const Workspace& workspace() const { return workspace_; }

  // Each executor runs the plan of `NetworkPlans` with the same name, `gradients` the plan "train"
  // and `evaluation` the plan "eval". Null: there is no such plan.
  Executor* gradients() { return gradients_.get(); }
  Executor* statistics() { return statistics_.get(); }
  Executor* update() { return update_.get(); }
  Executor* evaluation() { return evaluation_.get(); }
  Executor* tail() { return tail_.get(); }
  Executor* average() { return average_.get(); }
  StepRunner& steps() { return *steps_; }      // only if there is a plan "train"
  StepPeers* peers() { return peers_.get(); }  // null: a single process

 private:
  std::unique_ptr<Executor> executor(std::string_view kind);
  // The separate memory of each further replica in lockstep.
  struct Further {
    Further(const State& first, const Plan& plan, ThreadPool& pool);
    State state;
    Workspace workspace;
    Executor executor;
  };

  const NetworkPlans& plans_;
  ThreadPool pool_;
  std::unique_ptr<StepPeers> peers_;
  State state_;
  Workspace workspace_;
  std::vector<std::unique_ptr<Further>> further_;
  std::unique_ptr<Executor> gradients_, tail_, evaluation_, statistics_, update_, average_;
  std::unique_ptr<StepCollectives> collectives_;
  std::unique_ptr<StepRunner> steps_;
};

}  // namespace convoy
