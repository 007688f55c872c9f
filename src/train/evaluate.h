// Evaluation: every sample once, exactly counted. Training and the eval verb run this same code on
// the same kind of plan, so their digits agree.
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
  // Keeps the references. `loader` gives workers and prefetch, and how many samples may be no
  // images: they are not counted, and told to `tell_bad`.
  Evaluator(const Task& task, Executor& executor, const Dataset& dataset, const AugmentChain& chain,
            int64_t batch, const LoaderSpec& loader, TellBad tell_bad,
            Transport* transport = nullptr);

  // `watch(samples done)` is called with every batch, and at the end; false abandons the
  // evaluation, and then there is none. With several processes batches are dealt to them in turn,
  // and all get the same result; it is abandoned by all when one of them asks for it.
  struct Outcome {
    std::unique_ptr<Results> results;
    int64_t bad = 0;  // samples that were no images, and are not among the others
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
