// Evaluations during a run: of the weights and, if the run has one, of their average.
#pragma once

#include <optional>

#include "dist/run_watch.h"
#include "train/evaluate.h"
#include "train/run/run_site.h"

namespace convoy {

class RunEvaluation {
 public:
  // Keeps all references. `stop` is the number of the signal that asks to end, or 0. Without
  // --eval-epochs, `run` does nothing.
  RunEvaluation(const RunSite& site, RunWatch& watch, const std::atomic<int>& stop,
                TellBad tell_bad);

  struct Outcome {
    EvalDone plain;
    std::optional<EvalDone> average;
    // The evaluation that decides which weights are best.
    const EvalDone& counts() const { return average ? *average : plain; }
  };
  // Emits both evaluations or none: a run that stops between the two repeats both after the resume
  // and must not report one twice. Empty: a signal came. `average`: whether the average exists
  // already.
  std::optional<Outcome> run(const RunProgress& progress, bool average);

 private:
  std::optional<EvalDone> run_once(const RunProgress& progress, bool average);

  const RunSite& site_;
  RunWatch& watch_;
  const std::atomic<int>& stop_;
  std::optional<Evaluator> evaluator_;
};

}  // namespace convoy
