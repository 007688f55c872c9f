// What the trainer writes and brings back: weights and checkpoints.

#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "tensor/isa.h"
#include "train/data_record.h"
#include "train/option_record.h"
#include "train/taken_algorithms.h"
#include "train/tensors.h"
#include "train/trainer.h"
#include "train/weights_metadata.h"

namespace convoy {
namespace {

// Two lists of rules with commas between: " (forward …: direct, now winograd:f4)".
std::string first_difference(const std::string& before, const std::string& now) {
  const std::vector<std::string> a = split(before, ','), b = split(now, ',');
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (a[i] != b[i]) return fmt::format(" ({}; now {})", a[i], b[i]);
  }
  return "";
}

}  // namespace

std::string Trainer::algorithms() const {
  return join(decided_rules(taken_algorithms(setup_.plans)), ",");
}

std::string Trainer::hash() {
  const State& state = network_.state();
  const std::string mine =
      weights_hash(model_tensors(state.layout(), state.params(), state.stats()));
  if (!transport_) return mine;
  const std::vector<std::string> all = transport_->all_gather(mine);
  for (size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] != all[0]) {
      raise(Fault::bug, "internal error: rank {} has other weights than rank 0: {} and {}", rank,
            all[rank], all[0]);
    }
  }
  return mine;
}

Metadata Trainer::metadata(bool average) const {
  const double top1 = average ? progress_.average_top1 : progress_.top1;
  return weights_metadata(setup_, {.step = progress_.step,
                                   .epoch = setup_.epochs.epochs_after(progress_.step),
                                   .average = average,
                                   .top1 = top1 < 0 ? std::nullopt : std::optional<double>(top1)});
}

void Trainer::write_weights(const std::string& file, bool average) {
  if (!writes_files()) return;
  const State& state = network_.state();
  const auto tensors = with_batch_counts(
      model_tensors(state.layout(), average ? state.average_params() : state.params(),
                    average ? state.average_stats() : state.stats()),
      progress_.step);
  write_in_place(
      [&] { write_safetensors(place() / "weights" / file, tensors, metadata(average)); });
}

std::vector<TensorEntry> Trainer::optimizer_tensors(const WholeSlots& whole) {
  const State& state = network_.state();
  std::vector<TensorEntry> buffers;
  const std::vector<std::string> slots = config_.update().slots();
  for (size_t i = 0; i < slots.size(); ++i) {
    const auto tensors = slot_tensors(state.layout(), slots[i], whole.slot(static_cast<int>(i)));
    buffers.insert(buffers.end(), tensors.begin(), tensors.end());
  }
  return buffers;
}

void Trainer::end_trace() {
  if (!trace_) return;
  network_.steps().trace(nullptr);
  trace_->write(place() / fmt::format("trace/rank-{}.json", transport_ ? transport_->rank() : 0));
  trace_.reset();
}

fs::path Trainer::place() {
  if (rescued_) return rescued_->path();
  if (dir_.is_in_place()) return dir_.path();
  if (const std::optional<fs::path> now = dir_.place()) return *now;
  if (writes_files()) rescued_.emplace(dir_.rescued());
  return rescued_ ? rescued_->path() : dir_.path();
}

void Trainer::expect_in_place() {
  const fs::path now = place();
  if (now == dir_.path()) return;
  raise(Fault::checkpoint,
        "{} was {} while the run worked in it: its newest state, step {}, is in {}; try: convoy "
        "resume {}",
        dir_.path().string(), rescued_ ? "removed" : "renamed", progress_.step, now.string(),
        now.string());
}

// The folder may lose its name while something is written to it: then it is written once more.
void Trainer::write_in_place(const std::function<void()>& write) {
  const fs::path before = place();
  try {
    write();
  } catch (const Error&) {
    if (place() == before) throw;
    write();
  }
}

void Trainer::save(bool scheduled) {
  saved_step_ = progress_.step;
  WholeSlots slots(network_.state(), setup_.plans.shares(), transport_);
  slots.gather();
  if (!writes_files()) return;
  bool is_told = !scheduled;  // the checkpoint of a stop is no event: an uninterrupted run has none
  write_in_place([&] { write_checkpoint(slots, scheduled, is_told); });
  expect_in_place();
}

void Trainer::write_checkpoint(const WholeSlots& slots, bool scheduled, bool& is_told) {
  const State& state = network_.state();
  const StateLayout& layout = state.layout();
  std::vector<CheckpointFile> files;
  const SafetensorsImage model(
      with_batch_counts(model_tensors(layout, state.params(), state.stats()), progress_.step),
      metadata(false));
  files.push_back({"model.safetensors", model.parts()});
  const SafetensorsImage optimizer(optimizer_tensors(slots));
  files.push_back({"optimizer.safetensors", optimizer.parts()});
  std::optional<SafetensorsImage> average;
  if (state.has_average()) {
    average.emplace(
        with_batch_counts(model_tensors(layout, state.average_params(), state.average_stats()),
                          progress_.step),
        metadata(true));
    files.push_back({"ema.safetensors", average->parts()});
  }
  RunProgress now = progress_;
  now.seconds = elapsed();
  const TrainState saved{
      .step = progress_.step,
      .epoch = setup_.epochs.epochs_after(progress_.step),
      .samples = progress_.step * setup_.shape.global_batch(),
      .stopgap = !scheduled,
      .numbers = numbers_of(now),
      .texts = {{"isa", std::string(name(isa_level()))}, {"algorithms", algorithms()}},
      .options = option_record(config_)};
  CheckpointStore(place(), config_.checkpoint_keep).save(saved, files, scheduled && best_now_, [&] {
    if (!std::exchange(is_told, true)) {
      listener_.on(CheckpointSaved{progress_.step, "checkpoints/" + checkpoint_name(progress_.step),
                                   best_now_});
    }
    listener_.flush();
  });
}

void Trainer::check_options(const Checkpoint& from) {
  const std::vector<OptionChange> changes = changed_options(from.state.options, config_);
  if (changes.empty()) return;
  changes_options_ = true;
  if (!config_.accept_changed_options) {
    raise(Fault::checkpoint,
          "{} is not what {} was trained with: {}; try: the args.yml the run began with, or "
          "--accept-changed-options to go on with other options all the same",
          dir_.args().string(), from.path.string(), to_text(changes));
  }
  listener_.on(
      Warning{fmt::format("goes on with other options than before: {}", to_text(changes))});
}

void Trainer::restore_tensors(const Checkpoint& from) {
  const State& state = network_.state();
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
  copy_tensors(file("optimizer.safetensors"), optimizer_tensors(*start_slots_));
  if (state.has_average()) {
    copy_tensors(file("ema.safetensors"),
                 model_tensors(layout, state.average_params(), state.average_stats()));
  }
}

void Trainer::restore_progress(const Checkpoint& from) {
  TrainState state = from.state;
  const std::string origin = (from.path / "state.json").string();
  const int64_t total = setup_.total_steps(), batch = setup_.shape.global_batch();
  if (total < state.step) {
    raise(Fault::checkpoint,
          "{} is of step {}, but with these options the run ends at step {}; try: the args.yml the "
          "run began with",
          from.path.string(), state.step, total);
  }
  const auto epochs = state.options.find("epochs");
  const bool is_longer = epochs != state.options.end() && config_.resolved().contains("epochs") &&
                         epochs->second != config_.resolved().at("epochs");
  if (changes_options_ || is_longer) {
    state.numbers["last_step"] = static_cast<double>(total);
  } else if (state.samples != state.step * batch) {
    raise(Fault::checkpoint,
          "{}: samples is {}, but {} steps of {} are {}: the file was changed; try: an older "
          "checkpoint of the run",
          origin, state.samples, state.step, batch, state.step * batch);
  }
  const auto lr = static_cast<float>(setup_.learning_rate(std::max<int64_t>(state.step - 1, 0)));
  progress_ = progress_of(
      state, {.total_steps = total, .global_batch = batch, .lr = static_cast<double>(lr)}, origin);
  saved_step_ = progress_.step;
}

void Trainer::warn_of_other_arithmetic(const TrainState& before) {
  const auto isa = before.texts.find("isa");
  if (isa != before.texts.end() && isa->second != name(isa_level())) {
    listener_.on(Warning{
        fmt::format("the run was made with {}, this machine goes on with {}: the last digits may "
                    "differ; try: --isa {}",
                    isa->second, name(isa_level()), isa->second)});
  }
  const auto rules = before.texts.find("algorithms");
  if (rules != before.texts.end() && rules->second != algorithms()) {
    listener_.on(Warning{fmt::format(
        "the run was made with other algorithms than this program takes now{}: the last "
        "digits may differ; try: the version of Convoy and the args.yml it began with",
        first_difference(rules->second, algorithms()))});
  }
}

std::string Trainer::length_from_here() const {
  if (!config_.changed_on_purpose.contains("epochs")) return "";
  return fmt::format("{} epochs, {} steps, learning rate {:.3e} at the next step", config_.epochs,
                     setup_.total_steps(), setup_.learning_rate(progress_.step));
}

bool Trainer::restore() {
  const auto warn = [&](const fs::path& path, const std::string& reason) {
    listener_.on(Warning{fmt::format("{}: {}", path.string(), reason)});
  };
  const std::optional<Checkpoint> found = checkpoints_.load_newest(warn);
  if (config_.data.known.map.empty()) expect_recorded_data(data_file(), setup_);
  if (found) {  // nothing is changed before all of it has proved to fit
    check_options(*found);
    restore_tensors(*found);
    restore_progress(*found);
  }
  std::error_code no_log;
  const uintmax_t logged = fs::file_size(dir_.path() / "metrics.jsonl", no_log);
  checkpoints_.rewind_to(found ? &*found : nullptr);
  checkpoints_.cut_logs(found ? found->log_lengths : std::map<std::string, uint64_t>{}, warn);
  if (!config_.amended_args.empty()) {
    write_atomically(dir_.args(), config_.amended_args, Fault::checkpoint);
  }
  if (!found) {
    if (!no_log && logged > 0) listener_.on(Resumed{.run_dir = dir_.path().string()});
    return false;
  }
  warn_of_other_arithmetic(found->state);
  listener_.on(Resumed{.step = progress_.step,
                       .path = "checkpoints/" + checkpoint_name(progress_.step),
                       .threads = network_.pool().size(),
                       .pinned = network_.pool().pinned(),
                       .processes = transport_ ? transport_->size() : 1,
                       .run_dir = dir_.path().string(),
                       .length = length_from_here()});
  return true;
}

}  // namespace convoy
