#include "train/run_evaluation.h"

#include <algorithm>

namespace convoy {

RunEvaluation::RunEvaluation(const RunSite& site, RunWatch& watch, const std::atomic<int>& stop,
                             TellBad tell_bad)
    : site_(site), watch_(watch), stop_(stop) {
  const RunSetup& setup = site.setup;
  if (!site.network.evaluation()) return;
  evaluator_.emplace(*setup.task, *site.network.evaluation(), *setup.eval_set, setup.eval_chain,
                     setup.eval_batch(), site.config.data.loader(), std::move(tell_bad),
                     site.transport);
}

std::optional<RunEvaluation::Outcome> RunEvaluation::run(const RunProgress& progress,
                                                         bool average) {
  std::optional<EvalDone> plain = run_once(progress, false);
  if (!plain) return std::nullopt;
  Outcome all{std::move(*plain), {}};
  if (average) {
    all.average = run_once(progress, true);
    if (!all.average) return std::nullopt;
  }
  site_.listener.on(all.plain);
  if (all.average) site_.listener.on(*all.average);
  return all;
}

std::optional<EvalDone> RunEvaluation::run_once(const RunProgress& progress, bool average) {
  const State& state = site_.network.state();
  // The evaluation plan reads the parameters in place, so the average is swapped in for that time.
  const auto swap = [&] {
    if (!average) return;
    std::swap_ranges(state.params().begin(), state.params().end(), state.average_params().begin());
    std::swap_ranges(state.stats().begin(), state.stats().end(), state.average_stats().begin());
  };
  swap();
  const double begin = steady_seconds();
  const auto outcome = evaluator_->run([&](int64_t done) {
    site_.listener.on(EvalProgress{done, evaluator_->samples()});
    watch_.advance();
    return stop_ == 0;
  });
  swap();
  if (!outcome) return std::nullopt;
  const std::span<const SampleResult> each = outcome->results->each();
  EvalDone done{.epoch = site_.setup.epochs.epochs_after(progress.step),
                .step = progress.step,
                .metrics = outcome->results->metrics(),
                .total = outcome->results->samples(),
                .ema = average,
                .seconds = steady_seconds() - begin};
  if (!each.empty()) {
    done.each = std::make_shared<const SampleResults>(
        SampleResults{{each.begin(), each.end()}, site_.setup.eval_set->class_names()});
  }
  if (site_.writes_files() && site_.config.outputs.shows_pictures()) {
    done.objects = outcome->results->objects(site_.setup.eval_set->class_names());
  }
  return done;
}

}  // namespace convoy
