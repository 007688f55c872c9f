#include "train/run/run_files.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/process.h"
#include "base/text/text.h"
#include "tensor/isa.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/tensors.h"
#include "train/checkpoint/weights_metadata.h"
#include "train/precision/results_level.h"
#include "train/run/option_record.h"
#include "train/taken_algorithms.h"

namespace convoy {

std::string algorithms_of(const RunSetup& setup) {
  return join(decided_rules(taken_algorithms(setup.plans)), ",");
}

std::vector<TensorEntry> optimizer_tensors(const RunSite& site, const WholeSlots& whole) {
  const State& state = site.network.state();
  std::vector<TensorEntry> buffers;
  const std::vector<std::string> slots = site.config.update().slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto tensors = slot_tensors(state.layout(), slots[i], whole.slot(static_cast<int>(i)));
    buffers.insert(buffers.end(), tensors.begin(), tensors.end());
  }
  return buffers;
}

RunFiles::RunFiles(const RunSite& site, RunState& state) : site_(site), state_(state) {}

Metadata RunFiles::metadata(bool average) const {
  const RunProgress& now = state_.progress;
  WeightsMoment moment{.step = now.step,
                       .epoch = site_.setup.epochs.epochs_after(now.step),
                       .average = average,
                       .metric = {}};
  const double value = average ? now.average_metric : now.main_metric;
  if (value != no_score) moment.metric = Metric{state_.epoch->main().def, value};
  return weights_metadata(site_.setup, moment);
}

void RunFiles::write_weights(const std::string& file, bool average) {
  if (!site_.writes_files()) return;
  const State& state = site_.network.state();
  const auto tensors = with_batch_counts(
      model_tensors(state.layout(), average ? state.average_params() : state.params(),
                    average ? state.average_stats() : state.stats()),
      state_.progress.step);
  write_in_place(
      [&] { write_safetensors(place() / "weights" / file, tensors, metadata(average)); });
}

void RunFiles::write_trace(const Trace& trace) {
  const MachineSpeed speed = measure_speed(site_.network.pool());
  const fs::path folder = place() / "trace";
  make_folders(folder, Fault::checkpoint);
  write_atomically(folder / fmt::format("rank-{}.json", site_.rank()), trace.text(speed),
                   Fault::checkpoint);
  if (!site_.transport) return;
  // Hosts have steady clocks of their own: in the merged file all times are by the wall clock.
  const double shift = unix_seconds() - steady_seconds();
  const std::vector<std::string> hosts = site_.transport->all_gather(host_name());
  const std::vector<std::string> shifts = site_.transport->all_gather(fmt::format("{:.9f}", shift));
  const auto first_here = std::ranges::find(hosts, host_name()) - hosts.begin();
  const std::vector<std::string> texts = site_.transport->all_gather(
      trace.text(speed, std::stod(shifts[static_cast<size_t>(first_here)])));
  if (!site_.writes_files()) return;
  write_atomically(folder / "all.json", merged_traces(texts), Fault::checkpoint);
}

fs::path RunFiles::place() {
  if (rescued_) return rescued_->path();
  if (site_.dir.is_in_place()) return site_.dir.path();
  if (const std::optional<fs::path> now = site_.dir.place()) return *now;
  if (site_.writes_files()) rescued_.emplace(site_.dir.rescued());
  return rescued_ ? rescued_->path() : site_.dir.path();
}

void RunFiles::expect_in_place() {
  if (!site_.writes_files()) return;
  const fs::path before = site_.dir.path(), now = place();
  if (now == before) return;
  raise(Fault::checkpoint,
        "{} was {} while the run worked in it: its newest state, step {}, is in {}; try: convoy "
        "resume {}",
        before.string(), rescued_ ? "removed" : "renamed", state_.progress.step, now.string(),
        now.string());
}

void RunFiles::write_in_place(const std::function<void()>& write) {
  const fs::path before = place();
  try {
    write();
  } catch (const Error&) {
    if (place() == before) throw;
    write();
  }
}

void RunFiles::save(bool scheduled) {
  state_.saved_step = state_.progress.step;
  WholeSlots slots(site_.network.state(), site_.setup.plans.shares(), site_.transport);
  slots.gather();
  if (!site_.writes_files()) return;
  bool is_told = !scheduled;  // an uninterrupted run has no checkpoint of a stop, so no event
  write_in_place([&] { write_checkpoint(slots, scheduled, is_told); });
  expect_in_place();
}

void RunFiles::write_checkpoint(const WholeSlots& slots, bool scheduled, bool& is_told) {
  const State& state = site_.network.state();
  const StateLayout& layout = state.layout();
  const int64_t step = state_.progress.step;
  std::vector<CheckpointFile> files;
  const SafetensorsImage model(
      with_batch_counts(model_tensors(layout, state.params(), state.stats()), step),
      metadata(false));
  files.push_back({"model.safetensors", model.parts()});
  const SafetensorsImage optimizer(optimizer_tensors(site_, slots));
  files.push_back({"optimizer.safetensors", optimizer.parts()});
  std::optional<SafetensorsImage> average;
  if (state.has_average()) {
    average.emplace(with_batch_counts(
                        model_tensors(layout, state.average_params(), state.average_stats()), step),
                    metadata(true));
    files.push_back({"ema.safetensors", average->parts()});
  }
  RunProgress now = state_.progress;
  now.seconds = state_.elapsed();
  TrainState saved{.step = step,
                   .epoch = site_.setup.epochs.epochs_after(step),
                   .samples = step * site_.setup.shape.global_batch(),
                   .stopgap = !scheduled,
                   .numbers = numbers_of(now),
                   .lists = {},
                   .texts = {{"isa", std::string(name(results_level(site_.config.precision)))},
                             {"algorithms", algorithms_of(site_.setup)}},
                   .options = option_record(site_.config)};
  save_epoch(*state_.epoch, saved);
  CheckpointStore(place(), site_.config.checkpoint_keep)
      .save(saved, files, scheduled && state_.best_now, [&] {
        if (!std::exchange(is_told, true)) {
          site_.listener.on(
              CheckpointSaved{step, "checkpoints/" + checkpoint_name(step), state_.best_now});
        }
        site_.listener.flush();
      });
}

}  // namespace convoy
