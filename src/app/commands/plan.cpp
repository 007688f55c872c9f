// `convoy plan`: shows what a run would need, without running it.

#include <fmt/core.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command.h"
#include "app/options.h"
#include "app/train/recipe_curves.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "report/lines.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"
#include "train/memory/recompute_modes.h"
#include "train/step/check_schedules.h"
#include "train/taken_algorithms.h"

namespace convoy {
namespace {

struct Options {
  std::string config;
  bool json = false;
  int processes = 1;
  bool schedule = false;
  std::string curve;

  void describe(Fields& field) {
    describe_config(field, config);
    field("json", json, "print one JSON object");
    field("processes", processes,
          "processes that share the replicas; the plan is that of the first one, alone on a host",
          between(1, 65536), {"num-instances"});
    field("schedule", schedule,
          "print the actions of a step of each process: runs, sums, exchanges");
    field("curve", curve,
          "draw learning rate, momentum and weight decay over the run into this .png file, with "
          "their numbers in a .csv beside it; a .csv file: the numbers alone, one row a step, or "
          "20000 evenly chosen ones with the first and the last");
  }
};

// Without data the question is about the model: assume as many generated images as ImageNet has.
CommandLine with_defaults(CommandLine line) {
  for (const char* key : {"config", "dataset", "data-dir"}) {
    if (line.settings.contains(key)) return line;
  }
  line.settings["dataset"] = {"generated", "default"};
  line.settings.try_emplace("generated-samples", Setting{"1281167", "default"});
  return line;
}

nlohmann::ordered_json algorithms_json(const NetworkPlans& plans) {
  auto rows = nlohmann::ordered_json::array();
  for (const TakenAlgorithm& one : taken_algorithms(plans)) {
    rows.push_back({{"pass", one.pass},
                    {"convolution", one.convolution},
                    {"algorithm", one.algorithm},
                    {"decided_by", !one.decided_by.empty() ? one.decided_by
                                   : one.has_choice        ? "cost"
                                                           : "shape"},
                    {"nodes", one.nodes}});
  }
  return rows;
}

// For example "57 passes winograd:f4, 3 direct; 2 by --algorithms".
std::string algorithms_line(const NetworkPlans& plans) {
  std::map<std::string, int> counts;
  int ruled = 0;
  for (const TakenAlgorithm& one : taken_algorithms(plans)) {
    counts[one.algorithm] += one.nodes;
    if (!one.decided_by.empty()) ruled += one.nodes;
  }
  std::vector<std::string> parts;
  for (const auto& [algorithm, count] : counts) {
    parts.push_back(fmt::format("{} {}", count, algorithm));
  }
  return join(parts, ", ") + (ruled ? fmt::format("; {} by --algorithms", ruled) : "");
}

nlohmann::ordered_json to_json(const RunSetup& setup, const Forecast& f, int64_t largest) {
  const int64_t steps = setup.total_steps();
  nlohmann::ordered_json result{
      {"model", setup.config.model},
      {"dataset", setup.config.data.dataset_name()},
      {"dataset_is_here", !setup.config.data.is_absent()},
      {"image_size", setup.train_set->image_shape()[2]},
      {"threads", setup.config.thread_count()},
      {"isa", name(isa_level())},
      {"precision", setup.config.precision.name()},
      {"batch",
       {{"micro_batch", setup.shape.micro_batch},
        {"accumulation", setup.shape.accumulation},
        {"replicas", setup.shape.replicas},
        {"global_batch", setup.shape.global_batch()}}},
      {"steps_per_epoch", setup.epochs.steps_per_epoch()},
      {"total_steps", steps},
      {"epochs", setup.config.epochs},
      {"lr",
       {{"peak", setup.config.lr.peak(setup.shape.global_batch())},
        {"first", setup.learning_rate(0)},
        {"middle", setup.learning_rate(steps / 2)},
        {"last", setup.learning_rate(std::max<int64_t>(steps - 1, 0))}}},
      {"memory",
       {{"state_bytes", f.state_bytes},
        {"workspace_bytes", f.workspace_bytes},
        {"loader_bytes", f.loader_bytes},
        {"libraries_bytes", f.libraries_bytes},
        {"peak_bytes", f.peak_bytes},
        {"limit_bytes", f.limit_bytes}}},
      {"planned_bytes", f.peak_bytes},
      {"time", {{"step_s", f.step_s}, {"epoch_s", f.epoch_s}, {"total_s", f.total_s}}},
      {"disk",
       {{"checkpoint_bytes", f.checkpoint_bytes},
        {"total_bytes", f.disk_bytes},
        {"free_bytes", f.disk_free_bytes}}},
      {"algorithms", algorithms_json(setup.plans)},
      {"flops_per_step", setup.plans.find("train")->flops * setup.shape.micro_batches()},
      {"fits", largest < 0}};
  if (largest >= 0) result["largest_batch_size"] = largest;
  return result;
}

void print_plan(const RunSetup& setup, const Forecast& f) {
  const Shape image = setup.train_set->image_shape();
  show("Run: {} on {}, {}x{}x{}, {} threads, {} {}\n", setup.config.model,
       setup.config.data.dataset_name(), image[0], image[1], image[2], setup.config.thread_count(),
       setup.config.precision.name(), name(isa_level()));
  show("Batch: {} x {} accumulated x {} replicas = {}\n", setup.shape.micro_batch,
       setup.shape.accumulation, setup.shape.replicas, setup.shape.global_batch());
  for (const std::string& line : setup.config.fitted_defaults()) show("Default: {}\n", line);
  if (setup.config.data.is_absent()) {
    show("Data: {} is not here and counts as published; --data-dir FOLDER looks at files\n",
         setup.config.data.dataset_name());
  }
  const int64_t steps = setup.total_steps();
  show("Steps: {} samples, {:.6g} steps an epoch, {} epochs = {} steps\n",
       with_commas(setup.train_set->size()), setup.epochs.steps_per_epoch(), setup.config.epochs,
       with_commas(steps));
  show("LR: peak {:.4g}, {:.4g} at the start, {:.4g} in the middle, {:.4g} at the end\n",
       setup.config.lr.peak(setup.shape.global_batch()), setup.learning_rate(0),
       setup.learning_rate(steps / 2), setup.learning_rate(std::max<int64_t>(steps - 1, 0)));
  if (setup.config.shard_optimizer) {
    const UpdateShares& shares = setup.plans.shares();
    show("Sharded optimiser: {}\n",
         shares.is_shared()
             ? fmt::format("{} of {} parameters here", with_commas(shares.slot_floats()),
                           with_commas(setup.plans.state().param_floats))
             : "one process: nothing to shard");
  }
  show("Convolution passes: {}\n", algorithms_line(setup.plans));
  show_text(forecast_lines(f));
}

nlohmann::ordered_json to_json(const ModeNeeds& one) {
  return {{"mode", word_of(one.mode)}, {"activation_bytes", one.activations},
          {"least_bytes", one.least},  {"peak_bytes", one.peak},
          {"extra_flops", one.again},  {"step_s", one.step_s},
          {"fits", one.fits}};
}

nlohmann::ordered_json to_json(const std::vector<ModeNeeds>& modes) {
  auto rows = nlohmann::ordered_json::array();
  for (const ModeNeeds& one : modes) rows.push_back(to_json(one));
  return rows;
}

void print_mode(std::string_view title, const ModeNeeds& one) {
  const auto human = [](int64_t bytes) { return human_bytes(static_cast<double>(bytes)); };
  show(
      "  {:<18} {:>9} activations, peak {:>9}; {:>3.0f} % more arithmetic, about {:.3g} s a "
      "step{}\n",
      title, human(one.activations), human(one.peak), 100 * one.again, one.step_s,
      one.fits ? "" : "; does not fit");
}

// Where --pipeline-splits can split the network.
void print_splits(const RunSetup& setup) {
  const NetworkSpec spec = setup.network_spec(setup.shape.micro_batch, Recompute::off);
  const NetworkPlans kept(*setup.task, spec);
  show("Splits: name, bytes carried on, shares of arithmetic and activations before and after\n");
  for (const SplitPoint& point : split_points(kept.find("train")->graph)) {
    show("  {:<14} {:<14} {:>9}   {:>3.0f} % + {:>3.0f} %   {:>3.0f} % + {:>3.0f} %\n",
         split_name(point.block), point.block, human_bytes(static_cast<double>(point.carried)),
         100 * point.flops, 100 - 100 * point.flops, 100 * point.activations,
         100 - 100 * point.activations);
  }
}

// What can be computed again, and what that saves.
void print_modes(const ModeNeeds& taken, const std::vector<ModeNeeds>& modes) {
  show("Activations computed again:\n");
  for (const ModeNeeds& one : modes) {
    print_mode(
        fmt::format("--recompute {}{}", word_of(one.mode), one.mode == taken.mode ? "*" : ""), one);
  }
  if (taken.mode == Recompute::automatic) print_mode("--recompute auto*", taken);
}

struct RankSchedule {
  StepSchedule schedule;
  int live = 0;  // micro-batches in flight
};

std::vector<RankSchedule> schedules_of(const NetworkPlans& plans) {
  std::vector<StepSchedule> ranks;
  for (int r = 0; r < plans.step().processes; ++r) ranks.push_back(plans.schedule_of_rank(r));
  const ScheduleCheck check = check_schedules(ranks);
  expect(check.faults.empty(), join(check.faults, "; "));
  std::vector<RankSchedule> all;
  for (size_t r = 0; r < ranks.size(); ++r) {
    all.push_back({std::move(ranks[r]), check.peak_live[r]});
  }
  return all;
}

nlohmann::ordered_json to_json(const std::vector<RankSchedule>& ranks) {
  auto rows = nlohmann::ordered_json::array();
  for (const auto& [schedule, live] : ranks) {
    auto actions = nlohmann::ordered_json::array();
    for (const Action& action : schedule.actions) {
      actions.push_back({{"action", to_string(action)}, {"inside_run", action.inside}});
    }
    rows.push_back({{"rank", rows.size()},
                    {"first_replica", schedule.mine.first},
                    {"replicas", schedule.mine.count},
                    {"micro_batches_at_once", live},
                    {"actions", std::move(actions)}});
  }
  return rows;
}

void print_schedules(const std::vector<RankSchedule>& ranks) {
  for (size_t r = 0; r < ranks.size(); ++r) {
    show("\nStep of process {}, with {} micro-batch{} at once:\n", r, ranks[r].live,
         ranks[r].live == 1 ? "" : "es");
    show_text(to_string(ranks[r].schedule));
  }
}

int run(const CommandLine& typed) {
  need_words(typed, {}, described(describe_with_run<Options>));
  const CommandLine line = with_defaults(typed);
  Options options;
  RunConfig config;
  const Fields field = read_options(line, options, config);
  std::optional<CurveFiles> curve;
  if (field.given("curve")) curve.emplace(options.curve);
  apply_isa(config);
  config.data.may_be_absent = true;
  const RunSetup setup(config, {}, {.rank = 0, .size = options.processes});
  if (curve) write_curves(recipe_curves(setup, field.all()), *curve);
  warn_of_idle_rules(setup.plans, config.choices);
  ThreadPool pool(config.thread_count(), onednn::use_one_thread);
  const MemoryNeeds memory = memory_needs(setup);
  const MachineSpeed machine = measure_speed(pool);
  const Forecast expected = forecast(setup, memory, config.output, machine);
  const std::vector<ModeNeeds> modes = recompute_modes(setup, machine);
  const int64_t largest =
      fits(memory, expected.limit_bytes) ? -1 : largest_batch(setup, expected.limit_bytes);
  std::vector<RankSchedule> schedules;
  if (options.schedule) schedules = schedules_of(setup.plans);
  if (options.json) {
    nlohmann::ordered_json result = to_json(setup, expected, largest);
    result["recompute"] = {{"mode", word_of(config.recompute)},
                           {"taken", to_json(mode_needs(setup, machine))},
                           {"modes", to_json(modes)}};
    if (curve) result["curve_files"] = curve->names();
    if (options.schedule) result["schedule"] = to_json(schedules);
    show_text(json_text(result) + "\n");
  } else {
    print_plan(setup, expected);
    print_modes(mode_needs(setup, machine), modes);
    if (config.pipeline.on) print_splits(setup);
    if (curve) show("Curves: {}\n", join(curve->names(), ", "));
    print_schedules(schedules);
  }
  std::fflush(stdout);
  refuse_what_cannot_fit(setup, config.output, memory, largest);
  return 0;
}

}  // namespace

CommandDef plan_command() {
  return {
      .name = "plan",
      .summary = "show what a run would need, without running it",
      .usage = "plan [--config NAME|FILE.yml] [--model NAME] [options of train]",
      .details = R"(Memory by kind and the peak of the process, batch arithmetic, steps, learning
rate, an estimate of the time, disk for checkpoints. What cannot fit is refused
with exit code 6 and the largest batch that would; `train` refuses the same.
With --curve the recipe can be looked at: learning rate, momentum and weight
decay of every step, as a picture and as numbers. Where the files of ImageNet,
CIFAR or Fashion-MNIST are not at hand, the set counts as it was published.

  convoy plan --config cifar10/resnet20 --data-dir DIR
  convoy plan --config imagenet/keras_resnet50_lars --curve lr.png
  convoy plan --model resnet50 --batch-size 32
  convoy plan --model resnet50 --epochs 90 --warmup-epochs 5 --curve lr.png
  convoy plan --model resnet152 --batch-size 64 --memory 16G --json
  convoy plan --model resnet50 --replicas 4 --processes 2 --schedule
)",
      .basics =
          "config model data-dir dataset epochs batch-size global-batch-size "
          "replicas gradient-accumulation-count image-size memory "
          "processes schedule curve json",
      .describe = describe_with_run<Options>,
      .run = run};
}

}  // namespace convoy
