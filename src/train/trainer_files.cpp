// What the trainer writes and brings back: weights and checkpoints.

#include "base/error.h"
#include "base/text.h"
#include "tensor/isa.h"
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
  write_safetensors(
      dir_.weights() / file,
      with_batch_counts(
          model_tensors(state.layout(), average ? state.average_params() : state.params(),
                        average ? state.average_stats() : state.stats()),
          progress_.step),
      metadata(average));
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
  trace_->write(dir_.path() /
                fmt::format("trace/rank-{}.json", transport_ ? transport_->rank() : 0));
  trace_.reset();
}

void Trainer::save(bool scheduled) {
  saved_step_ = progress_.step;
  WholeSlots slots(network_.state(), setup_.plans.shares(), transport_);
  slots.gather();
  if (!writes_files()) return;
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
  TrainState saved{
      .step = progress_.step,
      .epoch = setup_.epochs.epochs_after(progress_.step),
      .samples = progress_.step * setup_.shape.global_batch(),
      .stopgap = !scheduled,
      .numbers = {{"epoch_loss", progress_.epoch.loss},
                  {"epoch_samples", static_cast<double>(progress_.epoch.samples)},
                  {"epoch_correct", static_cast<double>(progress_.epoch.correct)},
                  {"epoch_correct5", static_cast<double>(progress_.epoch.correct5)},
                  {"epoch_bad", static_cast<double>(progress_.epoch.bad)},
                  {"best_top1", progress_.best_top1},
                  {"best_score", progress_.best_score},
                  {"top1", progress_.top1},
                  {"average_top1", progress_.average_top1},
                  {"ema_updates", static_cast<double>(progress_.ema_updates)},
                  {"stale", static_cast<double>(progress_.stale)},
                  {"last_step", static_cast<double>(progress_.last_step)},
                  {"scheduled", progress_.scheduled},
                  {"lr", progress_.lr},
                  {"averaged", static_cast<double>(progress_.averaged)},
                  {"seconds", elapsed()},
                  {"boundary_pending", progress_.boundary_pending ? 1.0 : 0.0}},
      .texts = {{"isa", std::string(name(isa_level()))}, {"algorithms", algorithms()}}};
  checkpoints_.save(saved, files, scheduled && best_now_, [&] {
    // The checkpoint of a stop is no event of the run: the uninterrupted run has none there.
    if (scheduled) {
      listener_.on(CheckpointSaved{progress_.step, "checkpoints/" + checkpoint_name(progress_.step),
                                   best_now_});
    }
    listener_.flush();
  });
}

bool Trainer::restore() {
  const auto warn = [&](const fs::path& path, const std::string& reason) {
    listener_.on(Warning{fmt::format("{}: {}", path.string(), reason)});
  };
  const std::optional<Checkpoint> found = checkpoints_.load_newest(warn);
  checkpoints_.rewind_to(found ? &*found : nullptr);
  checkpoints_.cut_logs(found ? found->log_lengths : std::map<std::string, uint64_t>{}, warn);
  if (!found) return false;
  const State& state = network_.state();
  const StateLayout& layout = state.layout();
  const auto file = [&](const std::string& part) {
    const auto content = found->files.find(part);
    if (content == found->files.end()) {
      raise(Fault::checkpoint, "{} has no {}; try: the options the run was started with",
            found->path.string(), part);
    }
    return SafetensorsFile(content->second, (found->path / part).string());
  };
  copy_tensors(file("model.safetensors"), model_tensors(layout, state.params(), state.stats()));
  copy_tensors(file("optimizer.safetensors"), optimizer_tensors(*start_slots_));
  if (state.has_average()) {
    copy_tensors(file("ema.safetensors"),
                 model_tensors(layout, state.average_params(), state.average_stats()));
  }
  const auto number = [&](const char* key) {
    const auto n = found->state.numbers.find(key);
    if (n == found->state.numbers.end()) {
      raise(Fault::checkpoint, "{} says nothing about {}", (found->path / "state.json").string(),
            key);
    }
    return n->second;
  };
  const auto number_if_any = [&](const char* key) {
    const auto n = found->state.numbers.find(key);
    return n == found->state.numbers.end() ? -1 : n->second;
  };
  progress_ = {.step = found->state.step,
               .epoch = {},
               .best_top1 = number("best_top1"),
               .best_score = found->state.numbers.contains("best_score") ? number("best_score")
                                                                         : number("best_top1"),
               .top1 = number_if_any("top1"),
               .average_top1 = number_if_any("average_top1"),
               .stale = std::max<int64_t>(0, static_cast<int64_t>(number_if_any("stale"))),
               .last_step = static_cast<int64_t>(number_if_any("last_step")),
               .scheduled = number_if_any("scheduled"),
               .lr = number_if_any("lr"),
               .ema_updates = static_cast<int64_t>(number("ema_updates")),
               .averaged = static_cast<int64_t>(number_if_any("averaged")),
               .seconds = number("seconds"),
               .boundary_pending = number("boundary_pending") != 0};
  if (progress_.averaged < 0) progress_.averaged = progress_.ema_updates;  // as older ones have it
  progress_.epoch.loss = number("epoch_loss");
  progress_.epoch.samples = static_cast<int64_t>(number("epoch_samples"));
  progress_.epoch.correct = static_cast<int64_t>(number("epoch_correct"));
  progress_.epoch.correct5 = static_cast<int64_t>(number("epoch_correct5"));
  progress_.epoch.bad = std::max<int64_t>(0, static_cast<int64_t>(number_if_any("epoch_bad")));
  // Checkpoints of before there were such rules.
  if (progress_.last_step < 0) progress_.last_step = setup_.total_steps();
  if (progress_.scheduled < 0) progress_.scheduled = static_cast<double>(progress_.step);
  if (progress_.lr < 0) {
    const double lr = setup_.learning_rate(progress_.step - 1);
    progress_.lr = static_cast<double>(static_cast<float>(lr));
  }
  saved_step_ = progress_.step;
  const auto isa = found->state.texts.find("isa");
  if (isa != found->state.texts.end() && isa->second != name(isa_level())) {
    listener_.on(Warning{
        fmt::format("the run was made with {}, this machine goes on with {}: the last digits may "
                    "differ; try: --isa {}",
                    isa->second, name(isa_level()), isa->second)});
  }
  const auto before = found->state.texts.find("algorithms");
  if (before != found->state.texts.end() && before->second != algorithms()) {
    listener_.on(Warning{fmt::format(
        "the run was made with other algorithms than this program takes now{}: the last "
        "digits may differ; try: the version of Convoy and the args.yml it began with",
        first_difference(before->second, algorithms()))});
  }
  listener_.on(Resumed{.step = progress_.step,
                       .path = "checkpoints/" + checkpoint_name(progress_.step),
                       .threads = network_.pool().size(),
                       .pinned = network_.pool().pinned(),
                       .processes = transport_ ? transport_->size() : 1,
                       .run_dir = dir_.path().string()});
  return true;
}

}  // namespace convoy
