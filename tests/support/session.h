// A compiled graph with everything it needs to run, for tests.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compile/compile.h"
#include "engine/executor.h"
#include "engine/state.h"

namespace convoy::test {

// The pool of that many threads, at most 8; made once.
ThreadPool& pool(int threads);

// compile() with the vocabulary of ops/, without `without`.
Plan plan(Graph graph, std::vector<Loss> losses = {}, Value loss_scale = {},
          std::vector<std::string> without = {}, StorageRules storage = {});
// A plan for inference.
Plan inference_plan(Graph graph, StorageRules storage = {});

class Session {
 public:
  explicit Session(Plan compiled);

  // By name. The spans stay valid as long as the session.
  std::span<float> param(const std::string& name);
  std::span<float> grad(const std::string& name);
  std::span<float> stat(const std::string& name);
  std::span<float> batch_stat(const std::string& name);

  void bind(const std::string& name, const void* data) { bindings_[name] = data; }
  // Fills all that a run must write before it reads with NaNs, then runs.
  void run(int threads = 2);
  std::vector<float> output(const std::string& name) const;

  const Plan& plan() const { return plan_; }
  State& state() { return state_; }

 private:
  void poison();

  Plan plan_;
  State state_;
  Workspace workspace_;
  std::map<std::string, const void*> bindings_;
  std::unique_ptr<Executor> executor_;
};

// How many nodes of that op the plan runs.
int count_ops(const Graph& graph, std::string_view op);

}  // namespace convoy::test
