#include "train/trainer.h"

#include <algorithm>
#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "models/model.h"
#include "tensor/isa.h"
#include "train/data_record.h"
#include "train/run_needs.h"
#include "train/start_weights.h"
#include "train/taken_algorithms.h"
#include "train/tensors.h"
#include "version.h"

namespace convoy {

Trainer::Trainer(const RunConfig& config, const RunDir& dir, Listener& listener,
                 const std::atomic<int>& stop, const PassWatch& watch, Transport* transport)
    : config_(config),
      dir_(dir),
      listener_(listener),
      stop_(stop),
      transport_(transport && transport->size() > 1 ? transport : nullptr),
      watch_(transport_, config.stall_timeout),
      setup_(config, watch,
             transport_ ? ProcessPlace{transport_->rank(), transport_->size()} : ProcessPlace{}),
      memory_(refuse_what_cannot_fit(setup_, dir.path())),
      network_(setup_.plans, config.thread_count(), config.cores(), transport_),
      checkpoints_(dir.path(), config.checkpoint_keep) {
  if (network_.peers()) network_.peers()->watch(stop);
  if (!network_.evaluation()) return;
  evaluator_.emplace(
      setup_.task, *network_.evaluation(), *setup_.eval_set, setup_.eval_chain,
      setup_.eval_batch(setup_.shape.micro_batch), config.data.loader(),
      [this](const Batch::Bad& bad) { tell_bad(bad); }, transport_);
}

int Trainer::run() {
  try {
    return train();
  } catch (const Error& error) {
    const std::optional<PeerLoss> loss = watch_.loss();
    if (!loss) watch_.fail(error.exit_code(), error.what());
    if (begun_) {
      try {
        if (loss) listener_.on(RankLost{loss->rank, progress_.step, loss->text});
        listener_.on(RunEnd{.step = progress_.step,
                            .weights_hash = {},
                            .seconds = elapsed(),
                            .peak_rss_bytes = peak_rss_bytes(),
                            .exit = error.exit_code()});
        listener_.flush();
      } catch (const Error&) {  // a full disk: the first error is the one to report
      }
    }
    throw;
  }
}

int Trainer::train() {
  started_ = steady_seconds();
  start_slots_ = std::make_unique<WholeSlots>(network_.state(), setup_.plans.shares(), transport_);
  if (transport_) compare_with_peers();
  if (writes_files() && !restore()) start();
  std::error_code ignored;
  if (writes_files() && !fs::exists(data_file(), ignored)) record_data(data_file(), setup_);
  if (transport_) share_start();
  start_slots_.reset();
  begun_ = true;
  for (const std::string& line : idle_rules(setup_.plans, config_.choices)) {
    listener_.on(Warning{line});
  }
  for (const Dataset* data : {setup_.train_set.get(), setup_.eval_set.get()}) {
    if (!data->remark().empty()) listener_.on(Warning{data->remark()});
  }
  if (config_.tuning.freezes() && config_.init_from.empty()) {
    listener_.on(Warning{"what is frozen keeps its random start; try: --init-from FILE"});
  }
  if (transport_) warn_of_uneven_split();
  if (config_.shard_optimizer && !transport_) {
    listener_.on(Warning{"--shard-optimizer: one process: nothing to shard"});
  }
  listener_.on(forecast(setup_, memory_, dir_.path(), network_.pool()));
  const int64_t total = setup_.total_steps();
  if (progress_.boundary_pending && !finish_boundary()) return stop_here();
  first_step_ = progress_.step;
  Loader loader(*setup_.train_set, setup_.train_chain, setup_.epochs,
                setup_.loader(progress_.step, total));
  mark_step_ = progress_.step;
  mark_seconds_ = steady_seconds();
  watch_.at_step(progress_.step);
  if (config_.trace_steps > 0) {
    trace_ = std::make_unique<Trace>(transport_ ? transport_->rank() : 0);
    network_.steps().trace(trace_.get());
  }
  const int64_t traced = progress_.step + config_.trace_steps;
  while (progress_.step < progress_.last_step) {
    train_one_step(loader);
    if (trace_ && progress_.step >= traced) end_trace();
    const double before = steady_seconds();
    if (!finish_boundary()) return stop_here();
    mark_seconds_ += steady_seconds() - before;  // evaluation is not training time
    if (asked_to_stop() && progress_.step < progress_.last_step) return stop_here();
  }
  end_trace();
  write_weights("last.safetensors", false);
  if (config_.average.swa() && progress_.ema_updates > 0) write_weights("swa.safetensors", true);
  if (writes_files()) expect_in_place();
  tell_exchange();
  listener_.on(RunEnd{.step = progress_.step,
                      .weights_hash = hash(),
                      .seconds = elapsed(),
                      .peak_rss_bytes = peak_rss_bytes(),
                      .exit = 0});
  listener_.flush();
  return 0;
}

void Trainer::start() {
  network_.state().initialize(config_.seed);
  for (int i = 0; i < network_.state().slot_count(); ++i) {
    std::ranges::fill(start_slots_->slot(i), 0.0f);
  }
  progress_.last_step = setup_.total_steps();
  std::optional<WeightReport> loaded;
  if (!config_.init_from.empty()) {
    loaded = load_start(setup_, network_.state());
  }
  announce_run();
  if (loaded) listener_.on(WeightsLoaded{loaded->line()});
}

void Trainer::announce_run() {
  int64_t parameters = 0;
  for (const StateLayout::Slot& slot : network_.state().layout().params) parameters += slot.count;
  listener_.on(
      RunStart{.model = config_.model,
               .dataset = config_.data.dataset_name(),
               .image = to_string(setup_.train_set->image_shape()),
               .parameters = parameters,
               .seed = config_.seed,
               .threads = network_.pool().size(),
               .isa = std::string(name(isa_level())),
               .version = version,
               .micro_batch = setup_.shape.micro_batch,
               .accumulation = setup_.shape.accumulation,
               .replicas = setup_.shape.replicas,
               .global_batch = setup_.shape.global_batch(),
               .train_samples = setup_.train_set->size(),
               .eval_samples = setup_.eval_set->size(),
               .steps_per_epoch = static_cast<int64_t>(std::ceil(setup_.epochs.steps_per_epoch())),
               .total_steps = setup_.total_steps(),
               .epochs = config_.epochs,
               .lr = config_.lr.peak(setup_.shape.global_batch()),
               .pinned = network_.pool().pinned(),
               .processes = transport_ ? transport_->size() : 1,
               .split = transport_ ? network_.peers()->split().counts() : "",
               .run_dir = dir_.path().string(),
               .defaults = config_.fitted_defaults()});
  for (const NetworkPlans::Named& named : setup_.plans.all()) {
    if (!named.batch) continue;
    listener_.on(PlanReady{.kind = named.kind,
                           .batch = named.batch,
                           .nodes = static_cast<int64_t>(named.plan->steps.size()),
                           .state_bytes = static_cast<int64_t>(network_.state().bytes()),
                           .workspace_bytes = static_cast<int64_t>(named.plan->workspace_bytes),
                           .flops = named.plan->flops});
  }
  listener_.flush();
}

void Trainer::train_one_step(Loader& loader) {
  const TraceSpan span(trace_.get(), "step", "step");
  StepInputs inputs = setup_.inputs(progress_.step);
  if (config_.stop.max_hours > 0) {
    inputs.learning_rate = static_cast<float>(
        setup_.learning_rate(static_cast<int64_t>(std::floor(progress_.scheduled))));
  }
  progress_.lr = static_cast<double>(inputs.learning_rate);
  const Tally tally = train_step(setup_, network_, progress_.step, inputs,
                                 [&]() -> const Batch& { return next_batch(loader); });
  if (transport_) {
    count_bad(network_.steps().bad(), config_.data.max_bad, progress_.epoch.bad,
              [this](const Batch::Bad& bad) { tell_bad(bad); });
  }
  watch_.at_step(++progress_.step);
  progress_.top1 = progress_.average_top1 = -1;
  if (!std::isfinite(tally.loss)) {
    listener_.on(NonFinite{progress_.step, tally.mean_loss()});
    listener_.flush();
    raise(Fault::diverged, "the loss of step {} is {}; try: a lower --lr, or --warmup-epochs 1",
          progress_.step, tally.mean_loss());
  }
  if (config_.average.is_due(progress_.step, setup_.epochs)) move_average();
  Tally& sums = progress_.epoch;
  sums.loss += tally.loss;
  sums.samples += tally.samples;
  sums.correct += tally.correct;
  sums.correct5 += tally.correct5;
  progress_.boundary_pending = true;
  if (config_.stop.max_hours > 0) fit_into_time();
  report_step(progress_.lr, tally, loader);
}

void Trainer::move_average() {
  const WeightAverage& rule = config_.average;
  const WeightAverage::Site site = config_.average_site();
  const auto decay = static_cast<float>(rule.decay(progress_.averaged++, site));
  network_.average()->bind("ema_decay", &decay);
  network_.average()->run();
  ++progress_.ema_updates;
  if (rule.starts_over(progress_.step, setup_.epochs, site)) progress_.averaged = 0;
}

const Batch& Trainer::next_batch(Loader& loader) {
  const TraceSpan span(trace_.get(), "data wait", "data");
  const Batch& batch = loader.next();
  if (!transport_) {  // with several processes all count the same after the step
    count_bad(batch.bad, config_.data.max_bad, progress_.epoch.bad,
              [this](const Batch::Bad& bad) { tell_bad(bad); });
  }
  return batch;
}

void Trainer::tell_bad(const Batch::Bad& bad) {
  listener_.on(BadSample{.file = bad.origin, .index = bad.sample, .reason = bad.reason});
}

void Trainer::report_step(double lr, const Tally& tally, const Loader& loader) {
  const int64_t step = progress_.step;
  const bool record = step % config_.log_steps == 0 || step == progress_.last_step;
  mark_samples_ += tally.samples;
  const double now = steady_seconds();
  listener_.on(TrainProgress{
      .epoch = setup_.epochs.epochs_after(step),
      .step = step,
      .samples = step * setup_.shape.global_batch(),
      .loss = tally.mean_loss(),
      .lr = lr,
      .images_per_s = static_cast<double>(mark_samples_) / std::max(now - mark_seconds_, 1e-9),
      .data_wait_s = (loader.wait_seconds() - mark_wait_) / static_cast<double>(step - mark_step_),
      .epoch_loss = progress_.epoch.mean_loss(),
      .top1 = progress_.epoch.top1(),
      .total_steps = progress_.last_step,
      .steps_per_epoch = static_cast<int64_t>(std::ceil(setup_.epochs.steps_per_epoch())),
      .record = record});
  if (!record) return;
  mark_seconds_ = now;
  mark_wait_ = loader.wait_seconds();
  mark_step_ = step;
  mark_samples_ = 0;
}

// Whether a multiple of `every` epochs was completed by the newest step.
bool Trainer::crosses(double every, double first) const {
  if (every <= 0) return false;
  const auto periods = [&](int64_t step) {
    const double epochs = setup_.epochs.epochs_after(step);
    if (first <= 0) return std::floor(epochs / every + 1e-9);
    return std::max(std::floor((epochs - first) / every + 1e-9), -1.0);
  };
  return periods(progress_.step) > periods(progress_.step - 1);
}

bool Trainer::ends_epoch() const { return crosses(1) || progress_.step == progress_.last_step; }

// What is due after a step: evaluation, the epoch's summary, a checkpoint. In this order, so that a
// checkpoint knows of the evaluation.
bool Trainer::finish_boundary() {
  const double begin = steady_seconds();
  const bool evaluates =
      config_.eval_epochs > 0 &&
      (crosses(config_.eval_epochs, config_.eval_offset) || progress_.step == progress_.last_step);
  std::optional<Evaluation> result;
  best_now_ = false;
  if (evaluates) {
    result = evaluate();
    if (!result) return false;
    progress_.top1 = result->plain.top1;
    if (result->average) progress_.average_top1 = result->average->top1;
    const double score =
        config_.stop.score(result->counts(), progress_.epoch.mean_loss(), progress_.epoch.top1());
    if (score > progress_.best_score) {
      progress_.best_score = score;
      progress_.best_top1 = result->counts().top1;
      best_now_ = true;
      write_weights("best.safetensors", result->average.has_value());
    }
    progress_.stale = best_now_ ? 0 : progress_.stale + 1;
    if (lost_patience()) {
      end_at(progress_.step, fmt::format("{} evaluations without a better one by {}",
                                         progress_.stale, config_.stop.best_metric));
    }
  }
  const bool last = progress_.step == progress_.last_step;
  progress_.boundary_pending = false;
  saved_step_ = -1;
  if (ends_epoch()) {
    EpochDone done{.epoch = epoch_number(setup_.epochs.epochs_after(progress_.step)),
                   .train_loss = progress_.epoch.mean_loss(),
                   .lr = progress_.lr};
    if (result) {
      done.eval_loss = result->counts().loss;
      done.eval_top1 = result->counts().top1;
      done.eval_top5 = result->counts().top5;
    }
    listener_.on(done);
    progress_.epoch = {};
  }
  const bool by_steps = config_.checkpoint_steps && progress_.step % config_.checkpoint_steps == 0;
  const bool only_at_the_end = !config_.checkpoint_steps && config_.checkpoint_epochs <= 0;
  if (last || by_steps || (best_now_ && !only_at_the_end) ||
      crosses(config_.checkpoint_epochs, config_.checkpoint_offset)) {
    save(true);
  }
  if (evaluates) {
    ++boundaries_;
    boundary_seconds_ += steady_seconds() - begin;
  }
  return true;
}

// Both or none are told: a run stopped between the two evaluates again, and must not say it twice.
std::optional<Trainer::Evaluation> Trainer::evaluate() {
  const std::optional<EvalDone> plain = evaluate_once(false);
  if (!plain) return std::nullopt;
  Evaluation all{*plain, {}};
  if (network_.state().has_average() && progress_.ema_updates > 0) {
    all.average = evaluate_once(true);
    if (!all.average) return std::nullopt;
  }
  listener_.on(all.plain);
  if (all.average) listener_.on(*all.average);
  return all;
}

std::optional<EvalDone> Trainer::evaluate_once(bool average) {
  const State& state = network_.state();
  // The evaluation plan reads the parameters' place: the average is put there for the while.
  const auto swap = [&] {
    if (!average) return;
    std::swap_ranges(state.params().begin(), state.params().end(), state.average_params().begin());
    std::swap_ranges(state.stats().begin(), state.stats().end(), state.average_stats().begin());
  };
  swap();
  const double begin = steady_seconds();
  const std::optional<Tally> tally = evaluator_->run([&](int64_t done) {
    listener_.on(EvalProgress{done, evaluator_->samples()});
    watch_.advance();
    return stop_ == 0;
  });
  swap();
  if (!tally) return std::nullopt;
  return EvalDone{.epoch = setup_.epochs.epochs_after(progress_.step),
                  .step = progress_.step,
                  .loss = tally->mean_loss(),
                  .top1 = tally->top1(),
                  .top5 = tally->top5(),
                  .correct = tally->correct,
                  .correct5 = tally->correct5,
                  .total = tally->samples,
                  .ema = average,
                  .seconds = steady_seconds() - begin};
}

int Trainer::stop_here() {
  end_trace();
  if (saved_step_ != progress_.step) save(false);
  constexpr int requeue = 75;
  tell_exchange();
  listener_.on(
      Stopped{progress_.step, agree_on_signal(), "checkpoints/" + checkpoint_name(progress_.step)});
  listener_.on(RunEnd{.step = progress_.step,
                      .weights_hash = hash(),
                      .seconds = elapsed(),
                      .peak_rss_bytes = peak_rss_bytes(),
                      .exit = requeue});
  listener_.flush();
  return requeue;
}

double Trainer::elapsed() const { return progress_.seconds + steady_seconds() - started_; }

}  // namespace convoy
