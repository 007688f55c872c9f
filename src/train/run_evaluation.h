// Evaluations inside of a run: of the weights and, where there is one, of their moving average.
#pragma once

#include <optional>

#include "dist/run_watch.h"
#include "train/evaluate.h"
#include "train/run/run_site.h"

namespace convoy {

class RunEvaluation {
 public:
  // Keeps all of them. `stop` holds the signal that asks to end, or 0. Without --eval-epochs there
  // is nothing to run.
  RunEvaluation(const RunSite& site, RunWatch& watch, const std::atomic<int>& stop,
                TellBad tell_bad);

  struct Outcome {
    EvalDone plain;
    std::optional<EvalDone> average;
    // What decides which weights are best.
    const EvalDone& counts() const { return average ? *average : plain; }
  };
  // Tells of both or none: a run stopped between the two evaluates again, and must not tell twice.
  // Nothing: a signal came meanwhile. `average`: whether the moving average has been made.
  std::optional<Outcome> run(const RunProgress& progress, bool average);

 private:
  std::optional<EvalDone> run_once(const RunProgress& progress, bool average);

  const RunSite& site_;
  RunWatch& watch_;
  const std::atomic<int>& stop_;
  std::optional<Evaluator> evaluator_;
};

}  // namespace convoy
