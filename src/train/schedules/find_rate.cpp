#include "train/schedules/find_rate.h"

#include <cmath>

#include "train/checkpoint/start_weights.h"
#include "train/run/run_needs.h"

namespace convoy {

RateCurve find_rate(const RunSetup& setup, const FindRateOptions& options,
                    const std::atomic<int>& stop, const FindRateWatch& watch) {
  const RunConfig& config = setup.config;
  refuse_what_cannot_fit(setup, fs::temp_directory_path());
  Network network(setup.plans, config.thread_count(), config.cores());
  network.state().initialize(config.seed);
  if (!config.init_from.empty()) {
    watch.told(load_start(setup, network.state()).line());
  }
  config.precision.kept().round_first(network.state().layout(), network.state().params());
  RunProgress progress;
  progress.scaling.loss_scale = static_cast<double>(config.loss_scaling.scale);
  Loader loader(*setup.train_set, setup.train_chain, setup.epochs, setup.loader(0, options.steps));
  int64_t bad = 0;
  const auto next = [&]() -> const Batch& {
    const Batch& batch = loader.next();
    count_bad(batch.bad, config.data.max_bad, bad, watch.bad);
    return batch;
  };
  RateCurve curve(options.smooth);
  while (progress.step < options.steps && !stop) {
    const double rate = growing_rate(progress.step, options.steps, options.low, options.high);
    StepInputs inputs = setup.inputs(progress);
    inputs.learning_rate = static_cast<float>(rate);
    const Results& results = train_step(setup, network, progress.step++, inputs, next);
    const LossScaling::Verdict verdict =
        config.loss_scaling.judge(network.steps().outcome(), progress.scaling);
    // Gradients that are not finite change nothing, and the loss would stay as it is.
    const bool diverged = verdict == LossScaling::Verdict::stop;
    const bool goes_on = curve.add(rate, diverged ? INFINITY : results.mean_loss());
    watch.after_step(curve);
    if (!goes_on) break;
  }
  return curve;
}

}  // namespace convoy
