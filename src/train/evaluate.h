// Evaluation: runs every sample exactly once and counts exactly. Training and the eval verb share
// this code and use the same kind of plan, so their results agree digit by digit.
#pragma once

#include <functional>
#include <optional>

#include "data/augment/augment_chain.h"
#include "data/dataset.h"
#include "data/loading/loader.h"
#include "dist/transport.h"
#include "train/bad_samples.h"
#include "train/tasks/task.h"

namespace convoy {

class Evaluator {
 public:
  // Keeps the references. `loader` sets workers, prefetch and the allowed number of bad samples;
  // bad samples are reported to `tell_bad` and not counted.
  Evaluator(const Task& task, Executor& executor, const Dataset& dataset, const AugmentChain& chain,
            int64_t batch, const LoaderSpec& loader, TellBad tell_bad,
            Transport* transport = nullptr);

  // `watch(samples done)` is called after each batch and at the end; if it returns false, the
  // evaluation stops and nothing is returned. With several processes the batches are distributed
  // round-robin and all processes get the same result; if one of them stops, all stop.
  struct Outcome {
    std::unique_ptr<Results> results;
    int64_t bad = 0;  // undecodable samples, not part of the results
  };
  std::optional<Outcome> run(const std::function<bool(int64_t)>& watch);

  int64_t samples() const { return dataset_.size(); }

 private:
  void run_batch(const Batch& batch);

  const Task& task_;
  Executor& executor_;
  const Dataset& dataset_;
  const AugmentChain& chain_;
  EpochPlan plan_;
  LoaderSpec spec_;
  TellBad tell_bad_;
  Transport* transport_;
};

}  // namespace convoy
