#include "train/schedules/find_rate.h"

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
  Loader loader(*setup.train_set, setup.train_chain, setup.epochs, setup.loader(0, options.steps));
  int64_t bad = 0;
  const auto next = [&]() -> const Batch& {
    const Batch& batch = loader.next();
    count_bad(batch.bad, config.data.max_bad, bad, watch.bad);
    return batch;
  };
  RateCurve curve(options.smooth);
  for (int64_t step = 0; step < options.steps && !stop; ++step) {
    const double rate = growing_rate(step, options.steps, options.low, options.high);
    StepInputs inputs = setup.inputs(step);
    inputs.learning_rate = static_cast<float>(rate);
    const Results& results = train_step(setup, network, step, inputs, next);
    const bool goes_on = curve.add(rate, results.mean_loss());
    watch.after_step(curve);
    if (!goes_on) break;
  }
  return curve;
}

}  // namespace convoy
