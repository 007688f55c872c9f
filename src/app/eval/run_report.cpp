#include "app/eval/run_report.h"

#include <exception>

#include "app/eval/detection_plots.h"
#include "app/eval/network_eval.h"
#include "app/runs/run_output.h"
#include "base/show.h"
#include "report/results/run_plots.h"
#include "train/tasks/detection_results.h"

namespace convoy {
namespace {

fs::path weights_of(const RunDir& dir) {
  std::error_code none;
  const fs::path best = dir.weights() / "best.safetensors";
  return fs::exists(best, none) ? best : dir.weights() / "last.safetensors";
}

void report(const RunDir& dir, const EndReport& what) {
  CommandLine line;
  line.settings["checkpoint"] = {weights_of(dir).string(), "the run"};
  EvalOptions options;
  const OpenedModel opened = open_model(line, "eval", describe_eval, options, false);
  options.threads = what.threads;
  NetworkEval network(options, opened, nullptr, false);
  const Evaluator::Outcome outcome = network.evaluate(opened.file, true);
  const DetectionSummary summary(dynamic_cast<const DetectionResults&>(*outcome.results),
                                 network.data().class_names());
  if (what.plots) {
    write_detection_plots(dir.plots(), summary, network.data());
    // The page that the run's end wrote does not have them.
    const std::string name = names_of_runs({dir.path().string()})[0];
    write_report({{dir.path(), name}}, dir.plots() / "report.html");
  }
  if (what.quiet) return;
  // On standard error: the last line of standard output is that of the weights.
  show(stderr, "\n");
  show_text(summary.table(), stderr);
  if (!what.plots) return;
  show(stderr, "\n{}: curves; predictions.png has truth and prediction side by side\n",
       dir.plots().string());
}

}  // namespace

void report_detections(const RunDir& dir, const EndReport& what) {
  try {
    report(dir, what);
  } catch (const std::exception& error) {
    show(stderr, "Warning: no plots of this run: {}\n", error.what());
  }
}

}  // namespace convoy
