#include "train/run/run_restore.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/text.h"
#include "tensor/isa.h"
#include "train/checkpoint/checkpoint.h"
#include "train/checkpoint/tensors.h"
#include "train/precision/results_level.h"
#include "train/run/data_record.h"
#include "train/run/option_record.h"
#include "train/run/run_files.h"

namespace convoy {
namespace {

// The first difference of two comma-separated lists of rules: " (forward …: direct, now
// winograd:f4)".
std::string first_difference(const std::string& before, const std::string& now) {
  const std::vector<std::string> a = split(before, ','), b = split(now, ',');
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return fmt::format(" ({}; now {})", a[i], b[i]);
  }
  return "";
}

// Whether the options differ from those in the checkpoint; an error unless the user asked for it.
bool check_options(const RunSite& site, const Checkpoint& from) {
  const std::vector<OptionChange> changes = changed_options(from.state.options, site.config);
  if (changes.empty()) return false;
  if (!site.config.accept_changed_options) {
    raise(Fault::checkpoint,
          "{} is not what {} was trained with: {}; try: the args.yml the run began with, or "
          "--accept-changed-options to go on with other options all the same",
          site.dir.args().string(), from.path.string(), to_text(changes));
  }
  site.listener.on(
      Warning{fmt::format("goes on with other options than before: {}", to_text(changes))});
  return true;
}

void restore_tensors(const RunSite& site, const Checkpoint& from, const WholeSlots& slots) {
  const State& state = site.network.state();
  const StateLayout& layout = state.layout();
  const auto file = [&](const std::string& part) {
    const auto content = from.files.find(part);
    if (content == from.files.end()) {
      raise(Fault::checkpoint, "{} has no {}; try: the options the run was started with",
            from.path.string(), part);
    }
    return SafetensorsFile(content->second, (from.path / part).string());
  };
  copy_tensors(file("model.safetensors"), model_tensors(layout, state.params(), state.stats()));
  copy_tensors(file("optimizer.safetensors"), optimizer_tensors(site, slots));
  if (state.has_average()) {
    copy_tensors(file("ema.safetensors"),
                 model_tensors(layout, state.average_params(), state.average_stats()));
  }
}

void restore_progress(const RunSite& site, RunState& into, const Checkpoint& from,
                      bool changes_options) {
  TrainState state = from.state;
  const std::string origin = (from.path / "state.json").string();
  const int64_t total = site.setup.total_steps(), batch = site.setup.shape.global_batch();
  if (total < state.step) {
    raise(Fault::checkpoint,
          "{} is of step {}, but with these options the run ends at step {}; try: the args.yml the "
          "run began with",
          from.path.string(), state.step, total);
  }
  const auto& resolved = site.config.resolved();
  const auto epochs = state.options.find("epochs");
  const bool is_longer = epochs != state.options.end() && resolved.contains("epochs") &&
                         epochs->second != resolved.at("epochs");
  if (changes_options || is_longer) {
    state.numbers["last_step"] = static_cast<double>(total);
  } else if (state.samples != state.step * batch) {
    raise(Fault::checkpoint,
          "{}: samples is {}, but {} steps of {} are {}: the file was changed; try: an older "
          "checkpoint of the run",
          origin, state.samples, state.step, batch, state.step * batch);
  }
  const auto lr =
      static_cast<float>(site.setup.learning_rate(std::max<int64_t>(state.step - 1, 0)));
  into.progress = progress_of(state,
                              {.total_steps = total,
                               .global_batch = batch,
                               .lr = static_cast<double>(lr),
                               .loss_scale = static_cast<double>(site.config.loss_scaling.scale)},
                              origin);
  restore_epoch(state, state.step * batch, origin, *into.epoch);
  into.saved_step = into.progress.step;
}

void warn_of_other_arithmetic(const RunSite& site, const TrainState& before) {
  const auto isa = before.texts.find("isa");
  const std::string_view level = name(results_level(site.setup.config.precision));
  if (isa != before.texts.end() && isa->second != level) {
    site.listener.on(Warning{
        fmt::format("the run was made with {}, this machine goes on with {}: the last digits may "
                    "differ; try: --isa {}",
                    isa->second, level, isa->second)});
  }
  const auto rules = before.texts.find("algorithms");
  const std::string now = algorithms_of(site.setup);
  if (rules != before.texts.end() && rules->second != now) {
    site.listener.on(Warning{fmt::format(
        "the run was made with other algorithms than this program takes now{}: the last "
        "digits may differ; try: the version of Convoy and the args.yml it began with",
        first_difference(rules->second, now))});
  }
}

}  // namespace

fs::path data_file(const RunDir& dir) { return dir.path() / "data.jsonl"; }

std::string length_from_here(const RunSite& site, const RunProgress& progress) {
  if (!site.config.changed_on_purpose.contains("epochs")) return "";
  return fmt::format("{} epochs, {} steps, learning rate {:.3e} at the next step",
                     site.config.epochs, site.setup.total_steps(),
                     site.setup.learning_rate(progress.step));
}

std::string restore_before(const RunSite& site, RunState& state, const WholeSlots& slots,
                           int64_t step) {
  const CheckpointStore checkpoints(site.dir.path(), site.config.checkpoint_keep);
  if (site.config.data.known.map.empty()) expect_recorded_data(data_file(site.dir), site.setup);
  for (const int64_t saved : checkpoints.steps()) {
    if (saved > step) continue;
    const fs::path path = checkpoints.folder() / checkpoint_name(saved);
    try {
      Checkpoint found = read_checkpoint(path);
      found.path = path;
      const bool changes_options = check_options(site, found);
      restore_tensors(site, found, slots);
      restore_progress(site, state, found, changes_options);
      warn_of_other_arithmetic(site, found.state);
      return path.string();
    } catch (const Error& error) {  // damaged: an older one will do
      if (error.fault() != Fault::checkpoint || saved == checkpoints.steps().back()) throw;
      site.listener.on(Warning{fmt::format("{}: {}", path.string(), error.what())});
    }
  }
  return "";
}

std::optional<WeightReport> restore_start(const RunSite& site, RunState& state,
                                          const WholeSlots& slots) {
  const State& tensors = site.network.state();
  site.network.state().initialize(site.config.seed);
  for (int i = 0; i < tensors.slot_count(); ++i) std::ranges::fill(slots.slot(i), 0.0f);
  state.progress.last_step = site.setup.total_steps();
  state.progress.scaling.loss_scale = static_cast<double>(site.config.loss_scaling.scale);
  std::optional<WeightReport> loaded;
  if (!site.config.init_from.empty()) loaded = load_start(site.setup, site.network.state());
  site.config.precision.kept().round_first(tensors.layout(), tensors.params());
  return loaded;
}

bool restore_run(const RunSite& site, RunState& state, const WholeSlots& slots) {
  const auto warn = [&](const fs::path& path, const std::string& reason) {
    site.listener.on(Warning{fmt::format("{}: {}", path.string(), reason)});
  };
  CheckpointStore checkpoints(site.dir.path(), site.config.checkpoint_keep);
  const std::optional<Checkpoint> found = checkpoints.load_newest(warn);
  if (site.config.data.known.map.empty()) expect_recorded_data(data_file(site.dir), site.setup);
  if (found) {
    const bool changes_options = check_options(site, *found);
    restore_tensors(site, *found, slots);
    restore_progress(site, state, *found, changes_options);
  }
  std::error_code no_log;
  const uintmax_t logged = fs::file_size(site.dir.metrics(), no_log);
  checkpoints.rewind_to(found ? &*found : nullptr);
  const std::map<std::string, uint64_t> nothing;
  checkpoints.cut_logs(found ? found->log_lengths : nothing, warn);
  checkpoints.cut_side_logs(found ? found->log_lengths : nothing, warn);
  if (!site.config.amended_args.empty()) {
    write_atomically(site.dir.args(), site.config.amended_args, Fault::checkpoint);
  }
  if (!found) {
    if (!no_log && logged > 0) site.listener.on(Resumed{.run_dir = site.dir.path().string()});
    return false;
  }
  warn_of_other_arithmetic(site, found->state);
  site.listener.on(Resumed{
      .step = state.progress.step,
      .path = "checkpoints/" + checkpoint_name(state.progress.step),
      .processes = {site.processes(), site.network.pool().size(), site.network.pool().pinned()},
      .run_dir = site.dir.path().string(),
      .length = length_from_here(site, state.progress)});
  return true;
}

}  // namespace convoy
