#include "train/step_report.h"

#include <cmath>
#include <optional>

#include "base/process.h"
#include "tensor/isa.h"
#include "train/taken_algorithms.h"
#include "version.h"

namespace convoy {

void StepReport::begin(int64_t step) {
  step_ = step;
  seconds_ = steady_seconds();
}

void StepReport::tell(const RunState& state, const Results& results, const Loader& loader) {
  const RunProgress& progress = state.progress;
  const RunSetup& setup = site_.setup;
  const int64_t step = progress.step;
  const bool record = step % site_.config.log_steps == 0 || step == progress.last_step;
  samples_ += results.samples();
  const double now = steady_seconds();
  const Metric main = state.epoch->main();
  site_.listener.on(TrainProgress{
      .epoch = setup.epochs.epochs_after(step),
      .step = step,
      .samples = step * setup.shape.global_batch(),
      .loss = results.mean_loss(),
      .lr = progress.lr,
      .images_per_s = static_cast<double>(samples_) / std::max(now - seconds_, 1e-9),
      .data_wait_s = (loader.wait_seconds() - wait_) / static_cast<double>(step - step_),
      .rss_bytes = record ? resident_bytes() : 0,
      .epoch_loss = state.epoch->mean_loss(),
      .metric = main.def->in_training ? std::optional(main) : std::nullopt,
      .total_steps = progress.last_step,
      .steps_per_epoch = static_cast<int64_t>(std::ceil(setup.epochs.steps_per_epoch())),
      .record = record});
  if (!record) return;
  seconds_ = now;
  wait_ = loader.wait_seconds();
  step_ = step;
  samples_ = 0;
}

void tell_start(const RunSite& site) {
  const RunConfig& config = site.config;
  const RunSetup& setup = site.setup;
  Network& network = site.network;
  int64_t parameters = 0;
  for (const StateLayout::Slot& slot : network.state().layout().params) parameters += slot.count;
  site.listener.on(
      RunStart{.model = config.model,
               .dataset = config.data.dataset_name(),
               .image = to_string(setup.train_set->image_shape()),
               .parameters = parameters,
               .seed = config.seed,
               .precision = std::string(config.precision.name()),
               .isa = std::string(name(isa_level())),
               .version = version,
               .batch = {setup.shape.micro_batch, setup.shape.accumulation, setup.shape.replicas,
                         setup.shape.global_batch()},
               .length = {setup.train_set->size(), setup.eval_set->size(),
                          static_cast<int64_t>(std::ceil(setup.epochs.steps_per_epoch())),
                          setup.total_steps(), config.epochs},
               .lr = config.lr.peak(setup.shape.global_batch()),
               .processes = {site.processes(), network.pool().size(), network.pool().pinned()},
               .split = site.transport ? network.peers()->split().counts() : "",
               .run_dir = site.dir.path().string(),
               .defaults = config.fitted_defaults()});
  for (const NetworkPlans::Named& named : setup.plans.all()) {
    if (!named.batch) continue;
    site.listener.on(PlanReady{.kind = named.kind,
                               .batch = named.batch,
                               .nodes = static_cast<int64_t>(named.plan->ops.size()),
                               .state_bytes = static_cast<int64_t>(network.state().bytes()),
                               .workspace_bytes = static_cast<int64_t>(named.plan->workspace_bytes),
                               .flops = named.plan->flops});
  }
  site.listener.flush();
}

void tell_warnings(const RunSite& site) {
  const RunConfig& config = site.config;
  for (const std::string& line : idle_rules(site.setup.plans, config.choices)) {
    site.listener.on(Warning{line});
  }
  for (const Dataset* data : {site.setup.train_set.get(), site.setup.eval_set.get()}) {
    if (!data->remark().empty()) site.listener.on(Warning{data->remark()});
  }
  if (config.precision.half_partials) {
    site.listener.on(Warning{"--half-partials: the sums of products are fp32 all the same"});
  }
  if (config.tuning.freezes() && config.init_from.empty()) {
    site.listener.on(Warning{"frozen parameters keep their random values; try: --init-from FILE"});
  }
  if (config.outputs.histogram_epochs > 0 && config.shard_optimizer && site.transport) {
    site.listener.on(Warning{
        "--histogram-epochs: with --shard-optimizer no process has all gradients: only weights"});
  }
  if (config.shard_optimizer && !site.transport) {
    site.listener.on(Warning{"--shard-optimizer: one process: nothing to shard"});
  }
}

}  // namespace convoy
