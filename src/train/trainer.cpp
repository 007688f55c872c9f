#include "train/trainer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/process.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/start_weights.h"
#include "train/due.h"
#include "train/outputs/run_pictures.h"
#include "train/replay/step_samples.h"
#include "train/run/data_record.h"
#include "train/run/run_peers.h"
#include "train/run/run_restore.h"

namespace convoy {

Trainer::Trainer(const RunConfig& config, const RunDir& dir, Listener& listener,
                 const std::atomic<int>& stop, const PassWatch& watch, Transport* transport)
    : transport_(transport && transport->size() > 1 ? transport : nullptr),
      stop_(stop),
      watch_(transport_, config.stall_timeout),
      setup_(config, watch,
             transport_ ? ProcessPlace{transport_->rank(), transport_->size()} : ProcessPlace{}),
      memory_(refuse_what_cannot_fit(setup_, dir.path())),
      network_(setup_.plans, config.thread_count(), config.cores(), transport_),
      site_{config, dir, listener, transport_, setup_, network_},
      files_(site_, state_),
      evaluation_(site_, watch_, stop, [this](const Batch::Bad& bad) { tell_bad(bad); }),
      report_(site_),
      time_limit_(site_, state_) {
  state_.epoch = setup_.task->results();
  if (network_.peers()) network_.peers()->watch(stop);
  if (!config.loss_scaling.fp_exceptions) return;
  state_.watch = std::make_unique<FiniteWatch>(network_.pool());
  network_.steps().watch(state_.watch.get());
}

int Trainer::run() {
  try {
    return train();
  } catch (const Error& error) {
    const std::optional<PeerLoss> loss = watch_.loss();
    if (!loss) watch_.fail(error.exit_code(), error.what());
    if (begun_) {
      try {
        if (loss) site_.listener.on(RankLost{loss->rank, state_.progress.step, loss->text});
        tell_end(error.exit_code(), "");
      } catch (const Error&) {  // for example a full disk: report the first error only
      }
    }
    throw;
  }
}

int Trainer::train() {
  state_.started = steady_seconds();
  begin();
  begun_ = true;
  tell_warnings(site_);
  warn_of_uneven_split(site_);
  site_.listener.on(forecast(setup_, memory_, site_.dir.path(), measure_speed(network_.pool())));
  if (state_.progress.boundary_pending && !finish_boundary()) return stop_here();
  return train_on();
}

void Trainer::begin() {
  WholeSlots slots(network_.state(), setup_.plans.shares(), transport_);
  compare_with_peers(site_);
  if (site_.writes_files() && !restore_run(site_, state_, slots)) start(slots);
  std::error_code ignored;
  if (site_.writes_files() && !fs::exists(data_file(site_.dir), ignored)) {
    record_data(data_file(site_.dir), setup_);
  }
  share_start(site_, state_, slots);
}

void Trainer::start(const WholeSlots& slots) {
  const std::optional<WeightReport> loaded = restore_start(site_, state_, slots);
  tell_start(site_);
  if (loaded) site_.listener.on(WeightsLoaded{loaded->line()});
}

int Trainer::train_on() {
  const RunProgress& progress = state_.progress;
  time_limit_.begin();
  Loader loader(*setup_.train_set, setup_.train_chain, setup_.epochs,
                setup_.loader(progress.step, setup_.total_steps()));
  report_.begin(progress.step);
  watch_.at_step(progress.step);
  const std::optional<RunTrace::Range> traced = site_.config.trace.range(progress.step);
  while (progress.step < progress.last_step) {
    if (traced && !trace_ && traced->has(progress.step + 1)) begin_trace(loader);
    train_one_step(loader);
    const double before = steady_seconds();
    const bool is_interrupted = !finish_boundary();
    report_.leave_out(steady_seconds() - before);
    if (is_interrupted || (traced && progress.step >= traced->last)) end_trace(loader);
    if (is_interrupted || (asked_to_stop() && progress.step < progress.last_step)) {
      end_trace(loader);
      return stop_here();
    }
  }
  end_trace(loader);
  files_.write_weights("last.safetensors", false);
  if (site_.config.average.swa() && progress.ema_updates > 0) {
    files_.write_weights("swa.safetensors", true);
  }
  files_.expect_in_place();
  tell_exchange(site_);
  tell_end(0, agreed_hash(site_));
  return 0;
}

void Trainer::train_one_step(Loader& loader) {
  const TraceSpan span(trace_.get(), "step", "step");
  const RunConfig& config = site_.config;
  RunProgress& progress = state_.progress;
  const StepInputs inputs = setup_.inputs(progress);
  progress.lr = static_cast<double>(inputs.learning_rate);
  if (state_.watch) {
    state_.watch->raise_in(progress.step + 1, [this, step = progress.step](int64_t place) {
      return step_sample_name(setup_, step, place);
    });
  }
  const Results& results = train_step(setup_, network_, progress.step, inputs,
                                      [&]() -> const Batch& { return next_batch(loader); });
  if (transport_) count_bad_of(network_.steps().bad());
  watch_.at_step(++progress.step);
  progress.main_metric = progress.average_metric = no_score;
  const bool was_updated = judge_step(results);
  if (was_updated && config.average.is_due(progress.step, setup_.epochs)) move_average();
  if (std::isfinite(results.loss())) state_.epoch->merge(results);
  progress.boundary_pending = true;
  time_limit_.after_step();
  report_.tell(state_, results, loader);
  if (!trace_) return;
  trace_->count("memory GB", steady_seconds(), static_cast<double>(resident_bytes()) / 1e9);
}

// Whether the step updated the parameters.
bool Trainer::judge_step(const Results& results) {
  RunProgress& progress = state_.progress;
  const double before = progress.scaling.loss_scale;
  const LossScaling::Step step = network_.steps().outcome();
  const LossScaling::Verdict verdict = site_.config.loss_scaling.judge(step, progress.scaling);
  if (progress.scaling.loss_scale != before) {
    site_.listener.on(LossScaled{progress.step, progress.scaling.loss_scale, !step.is_finite()});
  }
  using enum LossScaling::Verdict;
  if (verdict == go_on || verdict == rescale) return verdict == go_on;
  site_.listener.on(NonFinite{.step = progress.step,
                              .loss = results.mean_loss(),
                              .gradient = step.loss_is_finite,
                              .stops = verdict == stop,
                              .samples = samples_of_step(setup_, progress.step - 1)});
  if (verdict == skip) return false;
  site_.listener.flush();
  const std::string again =
      progress.scaling.skipped_in_row > 0
          ? fmt::format(", after {} skipped steps in a row", progress.scaling.skipped_in_row - 1)
          : "";
  const std::string see = fmt::format("convoy replay {} --step {}, which shows where it began",
                                      site_.dir.path().string(), progress.step);
  if (step.loss_is_finite) {
    raise(Fault::diverged, "a gradient of step {} is not finite{}; try: a lower --lr, or {}",
          progress.step, again, see);
  }
  raise(Fault::diverged, "the loss of step {} is {}{}; try: a lower --lr, --warmup-epochs 1, or {}",
        progress.step, results.mean_loss(), again, see);
}

void Trainer::move_average() {
  RunProgress& progress = state_.progress;
  const WeightAverage& rule = site_.config.average;
  const WeightAverage::Site site = site_.config.average_site();
  const auto decay = static_cast<float>(rule.decay(progress.averaged++, site));
  network_.average()->bind("ema_decay", &decay);
  network_.average()->run();
  ++progress.ema_updates;
  if (rule.starts_over(progress.step, setup_.epochs, site)) progress.averaged = 0;
}

const Batch& Trainer::next_batch(Loader& loader) {
  const TraceSpan span(trace_.get(), "data wait", "data");
  const Batch& batch = loader.next();
  if (state_.progress.step == 0 && !std::exchange(state_.batch_shown, true) &&
      site_.config.outputs.shows_pictures()) {
    tell_batch(site_, batch, 0);
  }
  if (!transport_) count_bad_of(batch.bad);  // several processes count after the step
  return batch;
}

void Trainer::count_bad_of(const std::vector<Batch::Bad>& all) {
  count_bad(all, site_.config.data.max_bad, state_.progress.epoch_bad,
            [this](const Batch::Bad& bad) { tell_bad(bad); });
}

void Trainer::tell_bad(const Batch::Bad& bad) {
  site_.listener.on(BadSample{.file = bad.origin, .index = bad.sample, .reason = bad.reason});
}

void Trainer::judge(const RunEvaluation::Outcome& result) {
  RunProgress& progress = state_.progress;
  const StopRules& rules = site_.config.stop;
  progress.main_metric = main_metric(result.plain.metrics)->value;
  if (result.average) progress.average_metric = main_metric(result.average->metrics)->value;
  const double score = rules.score(result.counts().metrics, state_.epoch->metrics());
  if (score > progress.best_score) {
    progress.best_score = score;
    state_.best_now = true;
    files_.write_weights("best.safetensors", result.average.has_value());
  }
  progress.stale = state_.best_now ? 0 : progress.stale + 1;
  if (rules.reached(score) && progress.step < progress.last_step) {
    end_at(site_, state_, progress.step,
           fmt::format("{} is as good as --stop-at {}", rules.best_metric, rules.stop_at));
    return;
  }
  if (rules.patience > 0 && progress.stale >= rules.patience &&
      progress.step < progress.last_step) {
    end_at(site_, state_, progress.step,
           fmt::format("{} evaluations without a better one by {}", progress.stale,
                       rules.best_metric));
  }
}

// Evaluation first, then the epoch's summary, then a checkpoint, which so includes the evaluation.
bool Trainer::finish_boundary() {
  const double begin = steady_seconds();
  RunProgress& progress = state_.progress;
  const bool evaluates =
      due_after(site_.config, setup_.epochs, progress.step, progress.last_step).evaluation;
  std::optional<RunEvaluation::Outcome> result;
  state_.best_now = false;
  if (evaluates) {
    const TraceSpan span(trace_.get(), "evaluation", "boundary");
    result = evaluation_.run(progress, network_.state().has_average() && progress.ema_updates > 0);
    if (!result) return false;
    judge(*result);
    if (site_.config.outputs.shows_pictures()) tell_worst(site_, result->counts());
  }
  // Computed again: the run may have become shorter.
  const Due due = due_after(site_.config, setup_.epochs, progress.step, progress.last_step);
  progress.boundary_pending = false;
  state_.saved_step = -1;
  if (due.epoch_end) {
    EpochDone done{.epoch = epoch_number(setup_.epochs.epochs_after(progress.step)),
                   .train_loss = state_.epoch->mean_loss(),
                   .train = state_.epoch->metrics(),
                   .seconds = state_.elapsed(),
                   .eval = {},
                   .lr = progress.lr};
    if (result) done.eval = result->counts().metrics;
    if (crosses(setup_.epochs, progress.step, site_.config.outputs.histogram_epochs)) {
      tell_histograms(site_, progress.step);
    }
    site_.listener.on(done);
    state_.epoch->clear();
    progress.epoch_bad = 0;
  }
  if (due.checkpoint || (state_.best_now && due.checkpoint_if_best)) {
    const TraceSpan span(trace_.get(), "checkpoint", "boundary");
    files_.save(true);
  }
  if (evaluates) time_limit_.add_boundary(steady_seconds() - begin);
  return true;
}

void Trainer::begin_trace(Loader& loader) {
  trace_ = std::make_unique<Trace>(Trace::Process{site_.rank(), site_.processes(), host_name()});
  network_.steps().trace(trace_.get());
  for (int worker = 0; worker < loader.workers(); ++worker) {
    trace_->name_lane(first_loader_lane + worker, fmt::format("loader {}", worker));
  }
  loader.time_batches([trace = trace_.get()](int worker, int64_t batch, double begin, double end) {
    trace->add(fmt::format("batch {}", batch), "loader", begin, end, first_loader_lane + worker);
  });
}

void Trainer::end_trace(Loader& loader) {
  if (!trace_) return;
  loader.time_batches({});
  files_.write_trace(*trace_);
  network_.steps().trace(nullptr);
  trace_.reset();
}

int Trainer::asked_to_stop() { return transport_ ? network_.peers()->stop() : stop_.load(); }

int Trainer::stop_here() {
  const int64_t step = state_.progress.step;
  if (state_.saved_step != step) files_.save(false);
  constexpr int requeue = 75;
  tell_exchange(site_);
  site_.listener.on(
      Stopped{step, agree_on_signal(site_, stop_), "checkpoints/" + checkpoint_name(step)});
  tell_end(requeue, agreed_hash(site_));
  return requeue;
}

void Trainer::tell_end(int exit, const std::string& hash) {
  site_.listener.on(RunEnd{.step = state_.progress.step,
                           .weights_hash = hash,
                           .seconds = state_.elapsed(),
                           .peak_rss_bytes = peak_rss_bytes(),
                           .exit = exit});
  site_.listener.flush();
}

}  // namespace convoy
