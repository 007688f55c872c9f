#include "train/trainer.h"

#include <cmath>

#include "base/clock.h"
#include "base/error.h"
#include "base/process.h"
#include "base/text.h"
#include "models/model.h"
#include "tensor/isa.h"
#include "train/tensors.h"
#include "version.h"

namespace convoy {
namespace {

ops::CrossEntropyOptions loss_options(const RunConfig& config) {
  return {config.label_smoothing, config.label_smoothing_kind == "others"
                                      ? ops::Smoothing::others
                                      : ops::Smoothing::uniform};
}

}  // namespace

Trainer::Trainer(const RunConfig& config, const RunDir& dir, Listener& listener,
                 const std::atomic<int>& stop, const PassWatch& watch)
    : config_(config),
      dir_(dir),
      listener_(listener),
      stop_(stop),
      train_set_(config.data.open(true, config.seed)),
      eval_set_(config.data.open(false, config.seed)),
      train_chain_(config.data.chain(train_set_->image_shape(), true)),
      eval_chain_(config.data.chain(eval_set_->image_shape(), false)),
      shape_(config.step_shape()),
      epochs_(train_set_->size(), shape_.global_batch(), config.epochs, config.data.tail()),
      task_(find_model(config.model).variant, config.classes(*train_set_), loss_options(config),
            config.zero_init_residual),
      network_(task_, network_spec(watch)),
      evaluator_(task_, network_.evaluation(), *eval_set_, eval_chain_, config.eval_batch_size,
                 config.data.loader()),
      checkpoints_(dir.path(), config.checkpoint_keep) {}

NetworkSpec Trainer::network_spec(const PassWatch& watch) const {
  return {.image = train_set_->image_shape(),
          .eval_batch = config_.eval_batch_size,
          .threads = config_.thread_count(),
          .watch = watch,
          .optimizer = &config_.update(),
          .step = shape_,
          .tail_batch = tail_batch(),
          .average = config_.ema_decay > 0};
}

int64_t Trainer::tail_batch() const {
  return epochs_.tail() == EpochTail::short_ ? epochs_.samples() % epochs_.batch() : 0;
}

int64_t Trainer::total_steps() const {
  const int64_t steps = config_.epochs > 0 ? epochs_.total_steps() : config_.max_steps;
  return config_.max_steps ? std::min(steps, config_.max_steps) : steps;
}

double Trainer::learning_rate(int64_t step) const {
  return config_.lr.at(step, config_.schedule_site(epochs_));
}

int Trainer::run() {
  try {
    return train();
  } catch (const Error& error) {
    if (begun_) {
      try {
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
  if (!restore()) start();
  begun_ = true;
  const int64_t total = total_steps();
  if (progress_.boundary_pending && !finish_boundary()) return stop_here();
  LoaderSpec spec = config_.data.loader();
  spec.batch = shape_.plan_batch();
  spec.parts = shape_.parts();
  spec.first_step = progress_.step;
  spec.last_step = total;
  spec.seed = config_.seed;
  Loader loader(*train_set_, train_chain_, epochs_, spec);
  mark_step_ = progress_.step;
  mark_seconds_ = steady_seconds();
  while (progress_.step < total) {
    train_one_step(loader);
    const double before = steady_seconds();
    if (!finish_boundary()) return stop_here();
    mark_seconds_ += steady_seconds() - before;  // evaluation is not training time
    if (stop_ && progress_.step < total) return stop_here();
  }
  write_weights("last.safetensors", false);
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
  if (!config_.init_from.empty()) {
    const State& state = network_.state();
    copy_tensors(SafetensorsFile::read(config_.init_from),
                 model_tensors(state.layout(), state.params(), state.stats()));
  }
  announce_run();
}

void Trainer::announce_run() {
  int64_t parameters = 0;
  for (const StateLayout::Slot& slot : network_.state().layout().params) parameters += slot.count;
  listener_.on(
      RunStart{.model = config_.model,
               .dataset = config_.data.dataset_name(),
               .parameters = parameters,
               .seed = config_.seed,
               .threads = network_.pool().size(),
               .isa = std::string(name(isa_level())),
               .version = version,
               .micro_batch = shape_.micro_batch,
               .accumulation = shape_.accumulation,
               .replicas = shape_.replicas,
               .global_batch = shape_.global_batch(),
               .train_samples = train_set_->size(),
               .eval_samples = eval_set_->size(),
               .steps_per_epoch = static_cast<int64_t>(std::ceil(epochs_.steps_per_epoch())),
               .total_steps = total_steps(),
               .epochs = config_.epochs,
               .lr = config_.lr.peak(shape_.global_batch()),
               .run_dir = dir_.path().string()});
  for (const Network::NamedPlan& named : network_.plans()) {
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
  StepInputs inputs{.learning_rate = static_cast<float>(learning_rate(progress_.step)),
                    .loss_scale = config_.loss_scale,
                    .step = static_cast<float>(progress_.step),
                    .bn_momentum = config_.bn_momentum,
                    .bn_per_step = config_.bn_update == "step",
                    .skip_update = false};
  Tally tally;
  if (epochs_.count(progress_.step) < epochs_.batch()) {
    tally = network_.steps().run_tail(inputs, loader.next(), network_.tail());
  } else {
    tally = network_.steps().run(inputs, [&]() -> const Batch& { return loader.next(); });
  }
  ++progress_.step;
  if (!std::isfinite(tally.loss)) {
    listener_.on(NonFinite{progress_.step, tally.mean_loss()});
    listener_.flush();
    raise(Fault::diverged, "the loss of step {} is {}; try: a lower --lr, or --warmup-epochs 1",
          progress_.step, tally.mean_loss());
  }
  if (config_.ema_decay > 0 && progress_.step % config_.ema_steps == 0) {
    // The first average is the weights themselves.
    const auto decay = static_cast<float>(progress_.ema_updates++ ? config_.ema_decay : 0);
    network_.average().bind("ema_decay", &decay);
    network_.average().run();
  }
  Tally& sums = progress_.epoch;
  sums.loss += tally.loss;
  sums.samples += tally.samples;
  sums.correct += tally.correct;
  sums.correct5 += tally.correct5;
  progress_.boundary_pending = true;
  report_step(static_cast<double>(inputs.learning_rate), tally, loader);
}

void Trainer::report_step(double lr, const Tally& tally, const Loader& loader) {
  const int64_t step = progress_.step;
  const bool record = step % config_.log_steps == 0 || step == total_steps();
  mark_samples_ += tally.samples;
  const double now = steady_seconds();
  listener_.on(TrainProgress{
      .epoch = epochs_.epochs_after(step),
      .step = step,
      .samples = step * shape_.global_batch(),
      .loss = tally.mean_loss(),
      .lr = lr,
      .images_per_s = static_cast<double>(mark_samples_) / std::max(now - mark_seconds_, 1e-9),
      .data_wait_s = (loader.wait_seconds() - mark_wait_) / static_cast<double>(step - mark_step_),
      .epoch_loss = progress_.epoch.mean_loss(),
      .top1 = progress_.epoch.top1(),
      .total_steps = total_steps(),
      .steps_per_epoch = static_cast<int64_t>(std::ceil(epochs_.steps_per_epoch())),
      .record = record});
  if (!record) return;
  mark_seconds_ = now;
  mark_wait_ = loader.wait_seconds();
  mark_step_ = step;
  mark_samples_ = 0;
}

// Whether a multiple of `every` epochs was completed by the newest step.
bool Trainer::crosses(double every) const {
  if (every <= 0) return false;
  const auto periods = [&](int64_t step) {
    return std::floor(epochs_.epochs_after(step) / every + 1e-9);
  };
  return periods(progress_.step) > periods(progress_.step - 1);
}

bool Trainer::ends_epoch() const { return crosses(1) || progress_.step == total_steps(); }

// What is due after a step: evaluation, the epoch's summary, a checkpoint. In this order, so that a
// checkpoint knows of the evaluation.
bool Trainer::finish_boundary() {
  const bool last = progress_.step == total_steps();
  const bool evaluates = config_.eval_epochs > 0 && (crosses(config_.eval_epochs) || last);
  std::optional<Evaluation> result;
  best_now_ = false;
  if (evaluates) {
    result = evaluate();
    if (!result) return false;
    if (result->counts().top1 > progress_.best_top1) {
      progress_.best_top1 = result->counts().top1;
      best_now_ = true;
      write_weights("best.safetensors", result->average.has_value());
    }
  }
  progress_.boundary_pending = false;
  saved_step_ = -1;
  if (ends_epoch()) {
    EpochDone done{
        .epoch = epoch_number(epochs_.epochs_after(progress_.step)),
        .train_loss = progress_.epoch.mean_loss(),
        .lr = static_cast<double>(static_cast<float>(learning_rate(progress_.step - 1)))};
    if (result) {
      done.eval_loss = result->counts().loss;
      done.eval_top1 = result->counts().top1;
      done.eval_top5 = result->counts().top5;
    }
    listener_.on(done);
    progress_.epoch = {};
  }
  const bool by_steps = config_.checkpoint_steps && progress_.step % config_.checkpoint_steps == 0;
  if (last || by_steps || best_now_ || crosses(config_.checkpoint_epochs)) save(true);
  return true;
}

// Both or none are told: a run stopped between the two evaluates again, and must not say it twice.
std::optional<Trainer::Evaluation> Trainer::evaluate() {
  const std::optional<EvalDone> plain = evaluate_once(false);
  if (!plain) return std::nullopt;
  Evaluation all{*plain, {}};
  if (progress_.ema_updates > 0) {
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
  const std::optional<Tally> tally = evaluator_.run([&](int64_t done) {
    listener_.on(EvalProgress{done, evaluator_.samples()});
    return stop_ == 0;
  });
  swap();
  if (!tally) return std::nullopt;
  return EvalDone{.epoch = epochs_.epochs_after(progress_.step),
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
  if (saved_step_ != progress_.step) save(false);
  constexpr int requeue = 75;
  listener_.on(Stopped{progress_.step, stop_, "checkpoints/" + checkpoint_name(progress_.step)});
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
