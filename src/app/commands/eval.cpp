// `convoy eval`: evaluates weights on a dataset, every sample once. With --all the network is
// planned once and the weights of each checkpoint of a run are loaded one after another.

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/eval/detection_plots.h"
#include "app/eval/network_eval.h"
#include "app/eval/result_scores.h"
#include "app/network/inference.h"
#include "app/network/run_weights.h"
#include "app/train/run.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/threads/cores.h"
#include "config/value.h"
#include "dist/world.h"
#include "report/console.h"
#include "report/metrics_json.h"
#include "train/checkpoint/weights_metadata.h"
#include "train/tasks/detection_results.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// The result of one weights file.
struct Result {
  std::string name;             // as in RunWeights
  std::optional<int64_t> step;  // if the weights contain it
  std::optional<double> epoch;
  Evaluator::Outcome outcome;

  int64_t samples() const { return outcome.results->samples(); }
};

Result about(const WeightFile& file, std::string name) {
  Result result{std::move(name), {}, {}, {}};
  const auto read = [&](const char* key, auto value, auto& into) {
    const auto found = file.metadata().find(key);
    if (found != file.metadata().end() && parse_value(found->second, value).empty()) into = value;
  };
  read(weights_key::step, int64_t{}, result.step);
  read(weights_key::epoch, double{}, result.epoch);
  return result;
}

Json numbers(const Evaluator::Outcome& outcome) {
  Json json;
  add_metrics(json, outcome.results->metrics(), outcome.results->samples());
  if (outcome.bad) json["bad"] = outcome.bad;
  return json;
}

// Compares by the main metric, then by the other metrics in order; of equal ones the earlier wins.
bool is_better(const Result& a, const Result& b) {
  const std::vector<Metric> mine = a.outcome.results->metrics(),
                            others = b.outcome.results->metrics();
  const Metric &main = *main_metric(mine), &other = *main_metric(others);
  if (main.value != other.value) return main.is_better_than(other);
  for (size_t i = 0; i < mine.size(); ++i) {
    if (mine[i].value != others[i].value) return mine[i].is_better_than(others[i]);
  }
  return false;
}

const Result& best_of(const std::vector<Result>& results) {
  const Result* best = &results.front();
  for (const Result& result : results) {
    if (is_better(result, *best)) best = &result;
  }
  return *best;
}

void print_head(const Task& task) {
  std::string titles;
  for (const Metric& metric : task.results()->metrics()) {
    titles += fmt::format(" {:>9}", metric.def->title);
  }
  show("{:<40} {:>8} {:>8}{}\n", "weights", "step", "epoch", titles);
}

void print_row(const Result& r) {
  std::string values;
  for (const Metric& metric : r.outcome.results->metrics()) {
    values += fmt::format(" {:>9}", shown_value(metric));
  }
  show("{:<40} {:>8} {:>8}{}\n", r.name, r.step ? std::to_string(*r.step) : "-",
       r.epoch ? fmt::format("{:.2f}", *r.epoch) : "-", values);
  std::fflush(stdout);
}

Json to_json(const std::vector<Result>& results) {
  Json list = Json::array();
  for (const Result& r : results) {
    Json row{{"file", r.name}};
    row["step"] = r.step ? Json(*r.step) : Json();
    row["epoch"] = r.epoch ? Json(*r.epoch) : Json();
    row.update(numbers(r.outcome));
    list.push_back(std::move(row));
  }
  return {{"checkpoints", std::move(list)}, {"best", best_of(results).name}};
}

// Files that cannot be used are reported and skipped; the exit code then shows it.
template <class Evaluate>
int evaluate_all(const EvalOptions& options, const Task& task, const Evaluate& evaluate) {
  std::vector<RunWeights> files = checkpoint_weights(options.checkpoint, options.weights);
  const size_t checkpoints = files.size();
  std::ranges::move(further_weights(options.checkpoint), std::back_inserter(files));
  std::vector<Result> results;
  bool is_whole = true;
  if (!options.json) print_head(task);
  for (size_t i = 0; i < files.size(); ++i) {
    try {
      const WeightFile file = open_weights(files[i].path);
      if (i >= checkpoints && !is_averaged(file.metadata())) continue;
      results.push_back(about(file, files[i].name));
      results.back().outcome = evaluate(file);
    } catch (const Error& error) {
      if (error.fault() != Fault::checkpoint) throw;
      if (!results.empty() && results.back().name == files[i].name) results.pop_back();
      std::fflush(stdout);
      show(stderr, "Warning: {}\n", error.what());
      is_whole = false;
      continue;
    }
    if (!options.json) print_row(results.back());
  }
  if (results.empty()) {
    raise(Fault::checkpoint, "{} has no sound checkpoint; try: another run", options.checkpoint);
  }
  const Result& best = best_of(results);
  if (options.json) {
    show_text(json_text(to_json(results)) + "\n");
  } else {
    show("best: {}, {}\n", best.name, shown_metric(best.outcome.results->main(), best.samples()));
  }
  return is_whole ? 0 : static_cast<int>(Fault::checkpoint);
}

// Draws what --plots asks for, and prints a line for each class.
void tell_detections(const EvalOptions& options, const NetworkEval& network,
                     const Evaluator::Outcome& outcome) {
  const auto* results = dynamic_cast<const DetectionResults*>(outcome.results.get());
  if (!results) {
    if (options.plots.empty()) return;
    raise(Fault::usage, "--plots is for detectors and for --results; try: without it");
  }
  const DetectionSummary summary(*results, network.data().class_names());
  if (!options.json) show_text("\n" + summary.table());
  if (options.plots.empty()) return;
  write_detection_plots(options.plots, summary, network.data());
  if (!options.json) show("\nWrote curves and pictures to {}\n", options.plots);
}

int run(const CommandLine& line) {
  World& world = World::get();
  const bool tells = world.rank() == 0;
  if (asks_for_results(line)) return tells ? score_results(line, described(describe_eval)) : 0;
  EvalOptions options;
  const OpenedModel opened = open_model(line, "eval", describe_eval, options, tells);
  const HostShare share = share_machines();
  if (options.threads == 0) options.threads = std::max(1, available_cores() / share.on_our_cores);
  NetworkEval network(options, opened, &world, tells);
  const auto evaluate = [&](const WeightFile& file) {
    return network.evaluate(file, options.json || !tells);
  };
  if (options.all && world.size() > 1) {
    raise(Fault::usage, "eval --all works in one process; try: without mpirun, or a single file");
  }
  if (options.all && !options.plots.empty()) {
    raise(Fault::usage, "--plots is about one file of weights; try: without --all");
  }
  if (options.all) return evaluate_all(options, network.task(), evaluate);

  const Result result = about(opened.file, "");
  const double begin = steady_seconds();
  const Evaluator::Outcome outcome = evaluate(opened.file);
  if (!tells) return 0;
  if (options.json) {
    show_text(json_text(numbers(outcome)) + "\n");
  } else {
    console_listener(console_options(false, false, World::started_by_mpi()))
        ->on(EvalDone{.epoch = result.epoch.value_or(0),
                      .step = result.step.value_or(0),
                      .metrics = outcome.results->metrics(),
                      .total = outcome.results->samples(),
                      .seconds = steady_seconds() - begin});
  }
  tell_detections(options, network, outcome);
  return 0;
}

}  // namespace

CommandDef eval_command() {
  return {
      .name = "eval",
      .summary = "evaluate weights on a dataset, or score a file of detections",
      .usage =
          "eval --checkpoint FILE|RUN_DIR [--all] [--plots DIR] [options]\n"
          "       convoy eval --results FILE.json --annotations FILE.json [--plots DIR]",
      .details = R"(Weights written by Convoy say which model, dataset and preprocessing they belong
to, so the file is enough. The numbers are those of the evaluation in training.
With --all every checkpoint of a run is evaluated, oldest first, a line each, and
the best is named at the end; --json prints {"checkpoints": [...], "best": NAME}.

For detectors a line for each class follows: precision and recall at the least score
with the best F1, and mAP. --plots writes curves over the least score, precision by
recall, the confusion matrix, and pictures with their objects as they are and as found.

With --results no network is used: detections that any program wrote in COCO's
format are compared with COCO's annotations, and COCO's twelve numbers are printed
(those of pycocotools), then a line for each class. -: there are no such objects.

  convoy eval --checkpoint runs/demo/weights/best.safetensors
  convoy eval --checkpoint runs/demo --weights ema --json
  convoy eval --checkpoint runs/demo --all
  convoy eval --checkpoint runs/shapes --plots DIR
  convoy eval --checkpoint resnet20.safetensors --model cifar_resnet20 --dataset cifar-10 --data-dir DIR
  convoy eval --results detections.json --annotations instances_val2017.json --plots DIR
)",
      .basics =
          "checkpoint weights all results annotations split json model dataset data-dir "
          "num-classes "
          "image-size mean std max-bad eval-batch-size threads",
      .describe = describe_eval,
      .shared = true,
      .run = run};
}

}  // namespace convoy
