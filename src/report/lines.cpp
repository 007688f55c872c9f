#include "report/lines.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <ctime>

#include "base/show.h"
#include "base/text/text.h"

namespace convoy {
namespace {

std::string run_start(const RunStart& e, const std::string& date) {
  std::string text = shown(
      "Run: {} on {}{}, seed {}, {}{}{}\n"
      "Model: {} parameters, {}, {} thread{}, Convoy {}\n"
      "Batch: {} x {} accumulated x {} replicas = {}; {} samples, {} steps per epoch, {}{} steps; "
      "LR {:.3e}\n",
      e.model, e.dataset, e.image.empty() ? "" : shown(" ({})", e.image), e.seed, date,
      e.run_dir.empty() ? "" : ", in ", e.run_dir, with_commas(e.parameters),
      e.precision + (e.isa.empty() ? "" : " " + e.isa), e.processes.threads,
      e.processes.threads == 1 ? "" : "s", e.version, e.batch.micro_batch, e.batch.accumulation,
      e.batch.replicas, e.batch.global_batch, with_commas(e.length.train_samples),
      with_commas(e.length.steps_per_epoch),
      e.length.epochs > 0 ? shown("{} epochs = ", e.length.epochs) : "",
      with_commas(e.length.total_steps), e.lr);
  return text + default_lines(e);
}

std::string eval_done(const EvalDone& e) {
  const char* who = e.ema ? "EMA " : "";
  std::string values, shares;
  for (const Metric& metric : e.metrics) {
    const bool is_share = metric.def->unit == "%";
    values += fmt::format("  {}: {:.{}f}", metric.def->log_title, metric.value, is_share ? 3 : 4);
    if (metric.def->name == loss_metric.name) continue;
    const std::string hits = shown_hits(metric, e.total);
    shares += fmt::format("{}{} {:.3f}{}{}", shares.empty() ? "" : "  ", metric.def->log_title,
                          metric.value, hits.empty() ? "" : " ", hits);
  }
  return shown("Test: {}{} [{}/{}]  Time: {:.2f}s{}\n * {}{}\n", who, epoch_number(e.epoch),
               e.total, e.total, e.seconds, values, who, shares);
}

}  // namespace

std::string default_lines(const RunStart& e) {
  std::string text;
  for (const std::string& line : e.defaults) text += shown("Default: {}\n", line);
  return text;
}

std::string exchange_line(const Exchanged& e) {
  const auto steps = static_cast<double>(e.steps > 0 ? e.steps : 1);
  const double each = static_cast<double>(e.bytes) / steps;
  const double of_gradients =
      e.gradient_bytes > 0 ? each / static_cast<double>(e.gradient_bytes) : 0;
  return shown(
      "Exchange: {} processes, {} a step and process ({:.2f} x the gradients, {} of it in "
      "messages), {:.1f}% of it during backward, waited {:.2f} ms a step\n",
      e.processes, human_bytes(each), of_gradients,
      human_bytes(static_cast<double>(e.sent_bytes) / steps), 100 * e.early_share,
      1000 * e.wait_s / steps);
}

std::string forecast_lines(const Forecast& e) {
  const auto human = [](int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
  return shown(
      "Memory: state {} + workspace {} + loader {} + program {} = {} of {}\n"
      "Disk: {} a checkpoint, at most {} in all; {} free{}\n"
      "Time: about {:.3g} s a step, {} an epoch, {} in all, evaluations aside\n",
      human(e.state_bytes), human(e.workspace_bytes), human(e.loader_bytes),
      human(e.libraries_bytes), human(e.peak_bytes), human(e.limit_bytes),
      human(e.checkpoint_bytes), human(e.disk_bytes), human(e.disk_free_bytes),
      e.disk_bytes > e.disk_free_bytes ? ": it may become full" : "", e.step_s,
      human_seconds(e.epoch_s), human_seconds(e.total_s));
}

std::optional<double> Eta::after(int64_t step, int64_t total_steps, double now) {
  if (!first_ || step <= first_->step) {
    first_ = Mark{step, now};
    return std::nullopt;
  }
  const double pace = (now - first_->time) / static_cast<double>(step - first_->step);
  return pace * static_cast<double>(std::max<int64_t>(total_steps - step, 0));
}

Lines::Lines(std::function<double()> clock, std::function<std::string()> date)
    : clock_(std::move(clock)), date_(std::move(date)) {}

std::string Lines::train(const TrainProgress& e) {
  // Every step counts for the pace, also those that are not recorded.
  const std::optional<double> eta = eta_.after(e.step, e.total_steps, clock_());
  if (!e.record) return "";
  const int64_t epoch = epoch_number(e.epoch);
  if (epoch != epoch_) {
    epoch_ = epoch;
    recorded_ = 0;
    step_s_ = wait_s_ = 0;
  }
  const double batch =
      e.step > 0 ? static_cast<double>(e.samples) / static_cast<double>(e.step) : 0;
  const double step_s = e.images_per_s > 0 ? batch / e.images_per_s : 0;
  ++recorded_;
  step_s_ += step_s;
  wait_s_ += e.data_wait_s;
  const auto count = static_cast<double>(recorded_);
  const double done = e.epoch - static_cast<double>(epoch - 1);
  const auto step = std::llround(done * static_cast<double>(e.steps_per_epoch));
  const std::string total = std::to_string(e.steps_per_epoch);
  std::string text = shown("Train: {} [{:>{}}/{} ({:>3.0f}%)]  Loss: {:.4f} ({:.4f})", epoch, step,
                           total.size(), total, 100 * done, e.loss, e.epoch_loss);
  if (e.metric) text += shown("  {}: {:.2f}", e.metric->def->log_title, e.metric->value);
  text += shown("  Time: {:.3f}s, {:.2f}/s ({:.3f}s, {:.2f}/s)  LR: {:.3e}  Data: {:.3f} ({:.3f})",
                step_s, e.images_per_s, step_s_ / count, step_s_ > 0 ? batch * count / step_s_ : 0,
                e.lr, e.data_wait_s, wait_s_ / count);
  if (eta) text += "  ETA: " + human_seconds(*eta);
  return text + "\n";
}

std::string Lines::of(const RunEvent& event) {
  return std::visit(
      Cases{
          [&](const RunStart& e) { return run_start(e, date_()); },
          [](const WeightsLoaded& e) { return shown("Weights: {}\n", e.text); },
          [](const PlanReady& e) {
            return shown("Plan: {}, batch {}, {} nodes, state {}, workspace {}\n", e.kind, e.batch,
                         e.nodes, human_bytes(static_cast<double>(e.state_bytes)),
                         human_bytes(static_cast<double>(e.workspace_bytes)));
          },
          [](const Forecast& e) { return forecast_lines(e); },
          [](const Exchanged& e) { return exchange_line(e); },
          [&](const TrainProgress& e) { return train(e); },
          [](const EvalProgress&) { return std::string(); },
          [](const EvalDone& e) { return eval_done(e); },
          [](const PicturesShown&) { return std::string(); },
          [](const HistogramShown&) { return std::string(); },
          [](const EpochDone& e) {
            return shown("Epoch: {}  train loss {:.4f}  LR: {:.3e}\n", e.epoch, e.train_loss, e.lr);
          },
          [](const CheckpointSaved& e) {
            return shown("Checkpoint: {}{}\n", e.path, e.best ? " (best so far)" : "");
          },
          [](const Shortened& e) { return shown("Ends at step {}: {}\n", e.last_step, e.reason); },
          [](const BadSample& e) {
            // The reason often starts with the file's name already.
            if (!e.file.empty() && e.reason.starts_with(e.file + ":")) {
              return shown("Bad sample: record {}: {}\n", e.index, e.reason);
            }
            return shown("Bad sample: {} record {}: {}\n", e.file, e.index, e.reason);
          },
          [](const RankLost& e) { return shown("Lost: {}\n", e.text); },
          [](const NonFinite& e) {
            return shown("Not finite: {}loss {} at step {}{}\n", e.gradient ? "a gradient; " : "",
                         e.loss, e.step, e.stops ? "" : ", which changes no weight");
          },
          [](const LossScaled& e) {
            return shown("Loss scale: {} after step {}{}\n", e.scale, e.step,
                         e.overflow ? ", whose gradients overflowed: it changed no weight" : "");
          },
          [](const Warning& e) { return shown("Warning: {}\n", e.text); },
          [](const Resumed& e) {
            return e.path.empty()
                       ? std::string("Resumed: there is no checkpoint, so from the start\n")
                       : shown("Resumed: step {} from {}{}{}\n", e.step, e.path,
                               e.length.empty() ? "" : "; the run is longer now: ", e.length);
          },
          [](const Stopped& e) {
            const char* name = ::sigabbrev_np(e.signal);
            return shown("Stopped: SIG{} at step {}, {}\n", name ? name : "?", e.step,
                         e.checkpoint.empty() ? "no checkpoint" : "saved " + e.checkpoint);
          },
          [&](const RunEnd& e) {
            std::string text = shown("End: step {}, {}, exit {}, peak memory {}, {}\n", e.step,
                                     human_seconds(e.seconds), e.exit,
                                     human_bytes(static_cast<double>(e.peak_rss_bytes)), date_());
            if (!e.weights_hash.empty()) text += shown("weights {}\n", e.weights_hash);
            return text;
          },
      },
      event);
}

std::string date_and_time() {
  return shown("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(std::time(nullptr)));
}

}  // namespace convoy
