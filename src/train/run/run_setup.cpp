#include "train/run/run_setup.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/random.h"
#include "models/model.h"
#include "ops/norm/batch_norm.h"
#include "train/memory/fit_memory.h"

namespace convoy {
namespace {

// The tables with which the network converts byte images to floats; null: images arrive as floats.
// Training and evaluation share them, since in that mode augmentations only move pixels.
ops::ByteTables byte_tables(const RunConfig& config, const AugmentChain& train,
                            const AugmentChain& eval) {
  if (!config.data.eight_bit_io) return nullptr;
  expect(train.tables() == eval.tables(), "an augmentation maps values in training alone");
  return std::make_shared<const std::vector<float>>(train.tables());
}

NetworkSpec with_watch(NetworkSpec spec, const PassWatch& watch) {
  spec.watch = watch;
  return spec;
}

}  // namespace

RunSetup::RunSetup(const RunConfig& run, const PassWatch& watch, ProcessPlace place)
    : config(run),
      process(place),
      train_set(run.data.open(true, run.seed)),
      eval_set(run.data.open(false, run.seed)),
      train_chain(run.data.chain(train_set->image_shape(), true)),
      eval_chain(run.data.chain(eval_set->image_shape(), false)),
      shape(run.step_shape(place.rank, place.size)),
      epochs(run.epoch_plan(train_set->size())),
      task(make_task({.model = find_model(run.model),
                      .classes = run.classes(*train_set),
                      .options = run.model_options,
                      .run = &run,
                      .train_set = train_set.get(),
                      .image = train_set->image_shape(),
                      .tables = byte_tables(run, train_chain, eval_chain)})),
      points(recompute_points()),
      plans(*task, with_watch(fit(fit_memory(*this, network_spec(shape.micro_batch))), watch)) {}

std::vector<std::string> RunSetup::recompute_points() const {
  if (!config.pipeline.on || config.pipeline.splits.empty()) return {};
  // `points` is not there yet.
  const NetworkPlans kept(*task, network_spec(shape.micro_batch, RecomputeRule{}));
  return config.pipeline.blocks(split_points(kept.find("train")->graph));
}

NetworkSpec RunSetup::fit(NetworkSpec spec) {
  shape.together = spec.step.together;
  return spec;
}

NetworkSpec RunSetup::network_spec(int64_t micro_batch, RecomputeRule rule) const {
  StepShape step = shape;
  step.micro_batch = micro_batch;
  const bool short_tail = epochs.tail() == EpochTail::short_;
  return {.image = train_set->image_shape(),
          .eval_batch = config.eval_epochs > 0 ? eval_batch(micro_batch, rule.mode) : 0,
          .eval = {.image = eval_set->image_shape()},
          .watch = {},
          .choices = config.choices,
          .storage = config.precision.storage(),
          .recompute = std::move(rule),
          .image_type = config.data.image_type == ImageType::bf16 ? DType::bf16 : DType::f32,
          .optimizer = &config.update(),
          .clip = config.clip,
          .kept = config.precision.kept(),
          .tune =
              [this](Graph& graph) {
                config.tuning.apply(graph, find_model(config.model), config.model_options);
                if (config.bn_variance == BnVariance::biased) ops::feed_biased_variances(graph);
              },
          .step = step,
          .tail_batch = short_tail ? epochs.epoch_samples() % step.global_batch() : 0,
          .average = config.average.on()};
}

int64_t RunSetup::eval_batch(int64_t micro_batch, Recompute mode) const {
  StepShape most = config.step_shape(0, process.size);
  most.micro_batch = micro_batch;
  return config.eval_batch(most.plan_batch(), mode);
}

int64_t RunSetup::total_steps() const {
  const int64_t steps = config.epochs > 0 ? epochs.total_steps() : config.steps_of_run();
  return config.max_steps ? std::min(steps, config.max_steps) : steps;
}

double RunSetup::learning_rate(int64_t step) const {
  const double scheduled = config.lr.at(step, config.schedule_site(epochs));
  return config.average.rate(step, epochs, scheduled);
}

StepInputs RunSetup::inputs(int64_t step) const {
  return {.learning_rate = static_cast<float>(learning_rate(step)),
          .loss_scale = config.loss_scaling.scale,
          .step = static_cast<float>(step),
          .bn_momentum = config.bn_momentum,
          .skip_update = false,
          .rounding_key = static_cast<int64_t>(
              random_key(config.seed, Purpose::rounding, static_cast<uint64_t>(step)))};
}

StepInputs RunSetup::inputs(const RunProgress& progress) const {
  StepInputs all = inputs(progress.step);
  all.loss_scale = static_cast<float>(progress.scaling.loss_scale);
  all.step = static_cast<float>(progress.step - progress.scaling.skipped);
  if (config.stop.max_hours > 0) {
    all.learning_rate =
        static_cast<float>(learning_rate(static_cast<int64_t>(std::floor(progress.scheduled))));
  }
  return all;
}

LoaderSpec RunSetup::loader(int64_t first, int64_t last) const {
  LoaderSpec spec = config.data.loader();
  spec.batch = shape.plan_batch();
  spec.parts = shape.micro_batches();
  spec.offset = shape.first_sample();
  spec.rows = shape.lanes();
  spec.blocks = shape.groups();
  spec.first_step = first;
  spec.last_step = last;
  spec.seed = config.seed;
  const auto own = [](int64_t seed) {
    return seed < 0 ? std::optional<uint64_t>() : static_cast<uint64_t>(seed);
  };
  spec.shuffle_seed = own(config.shuffle_seed);
  spec.crop_seed = own(config.crop_seed);
  spec.augment_seed = own(config.augment_seed);
  spec.mixing = config.mixing;
  if (config.data.mosaic > 0) {
    const double whole =
        config.epochs > 0 ? config.epochs
                          : static_cast<double>(config.steps_of_run()) / epochs.steps_per_epoch();
    const double until = std::ceil(whole) - config.data.mosaic_off_epochs;
    spec.mosaic = {.share = config.data.mosaic,
                   .until_epoch = std::max<int64_t>(0, std::llround(until))};
  }
  spec.form = task->form();
  spec.micro_batch = shape.micro_batch;
  return spec;
}

const Results& train_step(const RunSetup& setup, Network& network, int64_t step,
                          const StepInputs& inputs, const std::function<const Batch&()>& next) {
  const bool is_short = setup.epochs.count(step) < setup.epochs.batch();
  return is_short ? network.steps().run_tail(inputs, next) : network.steps().run(inputs, next);
}

}  // namespace convoy
