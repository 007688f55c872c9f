#include "app/bench/bench_convs.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/bench/conv_lists.h"
#include "app/bench/measure_convs.h"
#include "app/progress.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/process.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_cost.h"
#include "ops/conv/conv_name.h"
#include "train/machine_speed.h"
#include "train/run/run_needs.h"
#include "train/run/run_setup.h"
#include "version.h"

namespace convoy {
namespace {

// The measured times, and the algorithm that Convoy would choose.
struct Row {
  ConvTimes times;
  ConvAlgorithm choice;

  double seconds() const { return times.of(choice).seconds; }
  double regret() const { return seconds() / times.best().seconds - 1; }
  bool has_choice() const { return times.times.size() > 1; }
};

double estimate_s(const ConvTimes& times, ConvAlgorithm algorithm) {
  const auto cost = ops::conv_estimate(algorithm, times.shape, times.pass, isa_level());
  return cost ? static_cast<double>(*cost) * 1e-12 : 0;
}

void print_header() {
  show("{:<32} {:<12}", "convolution", "pass");
  for (const ConvAlgorithm a : ops::conv_algorithms()) {
    show(" {:>17}", fmt::format("{} ms", ops::algorithm_name(a)));
  }
  show("  {:>7} {:>5}  {:<11} {:<11} {:>6}\n", "GFLOP/s", "peak", "choice", "fastest", "regret");
}

void print_row(const Row& row, const MachineSpeed& machine) {
  const ConvTimes& t = row.times;
  show("{:<32} {:<12}", ops::conv_name(t.shape), ops::pass_name(t.pass));
  for (const ConvAlgorithm a : ops::conv_algorithms()) {
    const bool measured = std::ranges::find(t.times, a, &AlgorithmTime::algorithm) != t.times.end();
    show(" {:>17}",
         measured ? fmt::format("{:.3f} ({:.3f})", 1e3 * t.of(a).seconds, 1e3 * estimate_s(t, a))
                  : "-");
  }
  const double rate = t.flops() / row.seconds();
  show("  {:7.1f} {:4.0f}%  {:<11} {:<11} {:5.1f}%\n", rate / 1e9,
       100 * rate / machine.peak(t.shape.stored), ops::algorithm_name(row.choice),
       ops::algorithm_name(t.best().algorithm), 100 * row.regret());
}

void print_sums(const std::vector<Row>& rows) {
  double chosen = 0, best = 0, direct = 0;
  for (const Row& row : rows) {
    chosen += row.times.nodes * row.seconds();
    best += row.times.nodes * row.times.best().seconds;
    direct += row.times.nodes * row.times.of(ConvAlgorithm::direct).seconds;
  }
  show(
      "together, each as often as in the model: {:.1f} ms as chosen, {:.1f} ms by the fastest of "
      "each ({:.1f}% less), {:.1f} ms direct\n",
      1e3 * chosen, 1e3 * best, 100 * (1 - best / chosen), 1e3 * direct);
}

nlohmann::ordered_json work_json(const ops::ConvWork& work) {
  return {{"products", work.products}, {"points", work.points}, {"far", work.far},
          {"weights", work.weights},   {"reads", work.reads},   {"sums", work.sums},
          {"pixels", work.pixels}};
}

nlohmann::ordered_json row_json(const Row& row, const MachineSpeed& machine) {
  const ConvTimes& t = row.times;
  nlohmann::ordered_json result{
      {"convolution", ops::conv_name(t.shape)},
      {"pass", ops::pass_name(t.pass)},
      {"kind", ops::conv_kind(t.shape) == ops::ConvKind::pointwise ? "pointwise" : "window"},
      {"batch", t.shape.n},
      {"nodes", t.nodes},
      {"choice", ops::algorithm_name(row.choice)},
      {"fastest", ops::algorithm_name(t.best().algorithm)},
      {"regret", row.regret()}};
  onednn::ConvShape usual = t.shape;
  usual.n = ops::usual_images(t.shape);
  for (const AlgorithmTime& time : t.times) {
    const double rate = t.flops() / time.seconds;
    result["algorithms"][std::string(ops::algorithm_name(time.algorithm))] = {
        {"seconds", time.seconds},
        {"estimate_s", estimate_s(t, time.algorithm)},
        {"gflops", rate / 1e9},
        {"share_of_peak", rate / machine.peak(t.shape.stored)},
        {"implementation", time.implementation},
        {"work", work_json(ops::conv_work(time.algorithm, t.shape, t.pass, isa_level()))},
        {"usual_work", work_json(ops::conv_work(time.algorithm, usual, t.pass, isa_level()))}};
  }
  return result;
}

// The fastest algorithm allowed by --winograd, where there is a choice.
std::string algorithms_file(const std::vector<Row>& rows, Winograd winograd) {
  std::string text = fmt::format(
      "# The fastest on {}, {}, by `convoy bench convs` {}.\n# PASS CONVOLUTION ALGORITHM; the "
      "first "
      "line that fits counts; * and ? stand for any text.\n",
      cpu_model(), name(isa_level()), version);
  for (const Row& row : rows) {
    if (!row.has_choice()) continue;
    const AlgorithmTime* best = nullptr;
    for (const AlgorithmTime& time : row.times.times) {
      if (!ops::is_allowed(time.algorithm, winograd)) continue;
      if (!best || time.seconds < best->seconds) best = &time;
    }
    text += fmt::format("{:<12} {:<32} {}\n", ops::pass_name(row.times.pass),
                        ops::conv_name(row.times.shape), ops::algorithm_name(best->algorithm));
  }
  return text;
}

std::vector<ConvCase> cases_of(const BenchConvsOptions& options, const RunConfig& config) {
  if (!options.shapes.empty()) {
    const DType stored =
        config.precision.storage().bf16 ? config.precision.storage().narrow : DType::f32;
    return listed_convs(options.shapes, options.batch, stored);
  }
  const RunSetup setup(config);
  warn_of_idle_rules(setup.plans, config.choices);
  return convs_of(*setup.plans.find("train"));
}

}  // namespace

void bench_convs(const BenchConvsOptions& options, const RunConfig& config) {
  const std::vector<ConvCase> cases = cases_of(options, config);
  ThreadPool pool(config.thread_count(), onednn::use_one_thread);
  const MachineSpeed machine = measure_speed(pool);
  std::vector<Row> rows;
  ProgressLine progress("convolution");
  if (!options.json) print_header();
  for (size_t i = 0; i < cases.size(); ++i) {
    progress.at(static_cast<int64_t>(i), static_cast<int64_t>(cases.size()));
    for (ConvTimes& times : measure_conv(cases[i], pool, options.rounds, memory_limit(config))) {
      const ConvAlgorithm choice = ops::choose_algorithm(times.shape, times.pass, config.choices);
      rows.push_back({std::move(times), choice});
      progress.clear();
      if (!options.json) print_row(rows.back(), machine);
    }
    std::fflush(stdout);
  }
  if (!options.write_algorithms.empty()) {
    write_atomically(options.write_algorithms, algorithms_file(rows, config.choices.winograd),
                     Fault::usage);
  }
  if (!options.json) {
    print_sums(rows);
    return;
  }
  nlohmann::ordered_json result{{"threads", config.thread_count()},
                                {"isa", name(isa_level())},
                                {"cpu", cpu_model()},
                                {"version", version},
                                {"rounds", options.rounds},
                                {"peak_gflops", machine.flops / 1e9},
                                {"bf16_peak_gflops", machine.bf16_flops / 1e9},
                                {"memory_gb_per_s", machine.bytes / 1e9}};
  result["convolutions"] = nlohmann::ordered_json::array();
  for (const Row& row : rows) result["convolutions"].push_back(row_json(row, machine));
  show_text(json_text(result) + "\n");
}

}  // namespace convoy
