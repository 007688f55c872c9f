#include "train/replay/replay.h"

#include <cmath>

#include "base/error.h"
#include "train/replay/step_samples.h"
#include "train/run/run_needs.h"
#include "train/run/run_restore.h"

namespace convoy {
namespace {

void expect_step(int64_t step, const RunSetup& setup) {
  if (step >= 1 && step <= setup.total_steps()) return;
  raise(Fault::usage, "--step {}: the run has the steps 1 to {}; try: one of them", step,
        setup.total_steps());
}

}  // namespace

Replay replay_step(const RunConfig& config, const RunDir& dir, int64_t step, Listener& listener,
                   const std::function<void(int64_t done, int64_t all)>& told) {
  const RunSetup setup(config,
                       {.dump = {}, .without = config.without, .print = {}, .seconds = nullptr});
  expect_step(step, setup);
  const MemoryNeeds needs = memory_needs(setup);
  refuse_what_cannot_fit(setup, dir.path(), needs, -1);
  Network network(setup.plans, config.thread_count(), config.cores());
  const RunSite site{config, dir, listener, nullptr, setup, network};
  RunState state;
  state.epoch = setup.task->results();
  const WholeSlots slots(network.state(), setup.plans.shares(), nullptr);
  Replay replay{.step = step, .from = restore_before(site, state, slots, step - 1)};
  if (replay.from.empty()) restore_start(site, state, slots);
  RunProgress& progress = state.progress;
  replay.repeated = step - 1 - progress.step;
  if (config.stop.max_hours > 0 && replay.repeated > 0) {
    listener.on(Warning{
        "--max-hours changed the learning rate by the clock: steps after the checkpoint are "
        "repeated with the rate of that time"});
  }
  FiniteWatch watch(network.pool());
  Loader loader(*setup.train_set, setup.train_chain, setup.epochs,
                setup.loader(progress.step, step));
  for (int64_t done = 0; progress.step < step; ++done) {
    const bool is_last = progress.step + 1 == step;
    told(done, replay.repeated + 1);
    if (is_last) network.steps().watch(&watch);
    const StepInputs inputs = setup.inputs(progress);
    const Results& results = train_step(setup, network, progress.step, inputs,
                                        [&]() -> const Batch& { return loader.next(); });
    ++progress.step;
    const LossScaling::Step outcome = network.steps().outcome();
    const LossScaling::Verdict verdict = config.loss_scaling.judge(outcome, progress.scaling);
    if (is_last) {
      replay.lr = static_cast<double>(inputs.learning_rate);
      replay.loss_scale = static_cast<double>(inputs.loss_scale);
      replay.loss = results.mean_loss();
      replay.updated = outcome.is_finite();
    } else if (verdict == LossScaling::Verdict::stop) {
      raise(Fault::usage,
            "--step {}: the run stops at step {}, which is not finite; try: --step {}", step,
            progress.step, progress.step);
    }
  }
  replay.samples = samples_of_step(setup, step - 1);
  replay.found = watch.found();
  if (!replay.found) return replay;
  for (const int64_t place : replay.found->samples) {
    replay.names.push_back(step_sample_name(setup, step - 1, place));
  }
  return replay;
}

}  // namespace convoy
