// Everything that follows from a RunConfig before memory is allocated and the first step runs:
// data, batch arithmetic, task, plans. train, plan and bench all start from it, so they describe
// the same run.
#pragma once

#include <functional>
#include <memory>

#include "data/augment/augment_chain.h"
#include "data/dataset.h"
#include "data/loading/epoch_plan.h"
#include "data/loading/loader.h"
#include "train/run/run_config.h"
#include "train/run/run_progress.h"
#include "train/step/network.h"
#include "train/tasks/task.h"

namespace convoy {

struct ProcessPlace {
  int rank = 0, size = 1;
};

class RunSetup {
 public:
  // Opens the data and makes the plans. Keeps the config; `watch` observes the compiler passes.
  // `process`: which of the processes that share the replicas this is.
  explicit RunSetup(const RunConfig& config, const PassWatch& watch = {},
                    ProcessPlace process = {});

  // --max-steps truncates the run; the schedule still covers the requested epochs.
  int64_t total_steps() const;
  double learning_rate(int64_t step) const;
  StepInputs inputs(int64_t step) const;
  // The inputs of the next step of a run that has got so far.
  StepInputs inputs(const RunProgress& progress) const;

  // The loader options for steps [first, last).
  LoaderSpec loader(int64_t first, int64_t last) const;

  // Images per batch in evaluation: the same in all processes.
  int64_t eval_batch() const { return eval_batch(shape.micro_batch, config.recompute); }

  // The network of this run with another micro-batch, and perhaps another --recompute.
  NetworkSpec network_spec(int64_t micro_batch, Recompute mode) const {
    return network_spec(micro_batch, {.mode = mode, .points = points});
  }
  NetworkSpec network_spec(int64_t micro_batch) const {
    return network_spec(micro_batch, config.recompute);
  }

  const RunConfig& config;
  const ProcessPlace process;
  const std::unique_ptr<Dataset> train_set, eval_set;
  const AugmentChain train_chain, eval_chain;
  StepShape shape;  // not changed after the plans are made
  const EpochPlan epochs;
  const std::unique_ptr<Task> task;
  const std::vector<std::string> points;  // the stages of --pipeline, as blocks of the network
  const NetworkPlans plans;

 private:
  int64_t eval_batch(int64_t micro_batch, Recompute mode) const;
  NetworkSpec network_spec(int64_t micro_batch, RecomputeRule rule) const;
  // Takes from the network's spec what was chosen by the memory.
  NetworkSpec fit(NetworkSpec spec);
  // The blocks between which activations are computed again, if the user names them.
  std::vector<std::string> recompute_points() const;
};

// Runs step number `step`, whole or as the short last step of an epoch. `network` must be made from
// `setup`'s plans. The results are valid until the next step.
const Results& train_step(const RunSetup& setup, Network& network, int64_t step,
                          const StepInputs& inputs, const std::function<const Batch&()>& next);

}  // namespace convoy
