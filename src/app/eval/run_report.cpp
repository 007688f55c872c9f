#include "app/eval/run_report.h"

#include <exception>

#include "app/eval/detection_plots.h"
#include "app/eval/network_eval.h"
#include "base/show.h"
#include "train/tasks/detection_results.h"

namespace convoy {
namespace {

fs::path weights_of(const RunDir& dir) {
  std::error_code none;
  const fs::path best = dir.weights() / "best.safetensors";
  return fs::exists(best, none) ? best : dir.weights() / "last.safetensors";
}

void report(const RunDir& dir, int threads, bool quiet) {
  CommandLine line;
  line.settings["checkpoint"] = {weights_of(dir).string(), "the run"};
  EvalOptions options;
  const OpenedModel opened = open_model(line, "eval", describe_eval, options, false);
  options.threads = threads;
  NetworkEval network(options, opened, nullptr, false);
  const Evaluator::Outcome outcome = network.evaluate(opened.file, true);
  const DetectionSummary summary(dynamic_cast<const DetectionResults&>(*outcome.results),
                                 network.data().class_names());
  write_detection_plots(dir.plots(), summary, network.data());
  if (quiet) return;
  // On standard error: the last line of standard output is that of the weights.
  show(stderr, "\n");
  show_text(summary.table(), stderr);
  show(stderr, "\n{}: curves; predictions.png has truth and prediction side by side\n",
       dir.plots().string());
}

}  // namespace

void report_detections(const RunDir& dir, int threads, bool quiet) {
  try {
    report(dir, threads, quiet);
  } catch (const std::exception& error) {
    show(stderr, "Warning: no plots of this run: {}\n", error.what());
  }
}

}  // namespace convoy
