// The evaluation of a network from its weights, for `convoy eval` and at the end of a run.
#pragma once

#include <memory>
#include <string>

#include "app/network/inference.h"
#include "dist/run_watch.h"
#include "train/evaluate.h"

namespace convoy {

struct EvalOptions : InferenceOptions {
  bool all = false;
  int64_t eval_batch_size = 250;
  bool json = false;
  std::string plots;

  void describe(Fields& field) override;
};

// All options of `convoy eval`, those for files of detections included.
void describe_eval(Fields& field);

class NetworkEval {
 public:
  // Opens the data and plans the network. `options.threads` must be set. The transport may be null;
  // with several processes all of them make one and call `evaluate` together. Problems with samples
  // are warnings on standard error if `tells`. Keeps the references.
  NetworkEval(const EvalOptions& options, const OpenedModel& opened, Transport* transport,
              bool tells);

  // `quiet`: without a progress bar.
  Evaluator::Outcome evaluate(const WeightFile& file, bool quiet);

  const Dataset& data() const { return *data_; }
  const Task& task() const { return network_.task(); }

 private:
  std::shared_ptr<const Dataset> data_;
  AugmentChain chain_;
  int64_t batch_;
  InferenceNetwork network_;
  Evaluator evaluator_;
  RunWatch watch_;
};

}  // namespace convoy
