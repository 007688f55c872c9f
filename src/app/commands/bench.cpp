// `convoy bench`: the speed of training steps on this machine. `bench ops`: the time of each op.
// `bench convs`: the algorithms of convolutions compared. `bench data`: the speed of the input
// pipeline.

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "app/bench/bench_convs.h"
#include "app/bench/bench_data.h"
#include "app/bench/conv_lists.h"
#include "app/bench/measure.h"
#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/json_text.h"
#include "base/text/text.h"
#include "tensor/isa.h"
#include "version.h"

namespace convoy {
namespace {

enum class Mode { train, infer };
constexpr auto words_of(Mode) { return words<Mode>("train", "infer"); }
enum class Rows { node, shape, op };
constexpr auto words_of(Rows) { return words<Rows>("node", "shape", "op"); }

struct Options {
  std::string config;
  int steps = 5;
  int warmup_steps = 2;
  Mode mode = Mode::train;
  bool json = false;
  Rows by = Rows::node;
  int top = 0;
  BenchConvsOptions convs;

  void describe(Fields& field) {
    describe_config(field, config);
    field("steps", steps, "steps that are timed", at_least(1));
    field("warmup-steps", warmup_steps, "steps before them", at_least(1));
    field(
        "mode", mode,
        "train or infer: time whole optimiser steps, or forward passes as in `predict`, with batch "
        "norms folded into convolutions");
    field("json", json, "print one JSON object");
    field("by", by, "rows of `bench ops`: every node, or nodes of one op or one shape together");
    field("top", top, "show only N rows of `bench ops`, the slowest first; 0: all, in order",
          at_least(0));
    field.section("Of `bench convs` and `bench data`");
    field("shapes", convs.shapes,
          "measure this list of convolutions (" + join(conv_list_names(), ", ") +
              ") or those of a file, one 64@56x56->64/3x3/s1/p1 a line; empty: those of the model");
    field("rounds", convs.rounds, "how often each algorithm, or a pass over images, is timed",
          at_least(1));
    field("write-algorithms", convs.write_algorithms,
          "write the fastest of each to this file, for --algorithms");
  }
};

// Uses generated data unless data was given, and no evaluation.
CommandLine with_defaults(CommandLine line) {
  const auto typed = [&](const char* key) { return line.settings.contains(key); };
  if (!typed("config") && !typed("dataset") && !typed("data-dir")) {
    line.settings["dataset"] = {"generated", "default"};
  }
  return line;
}

std::vector<NodeTime> grouped(const std::vector<NodeTime>& nodes, const Options& options) {
  std::vector<NodeTime> rows;
  std::map<std::string, size_t> known;
  for (const NodeTime& node : nodes) {
    std::string key = node.op;
    if (options.by != Rows::op) key += "|" + node.shape + "|" + node.implementation;
    if (options.by == Rows::node) key += "|" + node.name;
    const auto [at, fresh] = known.try_emplace(key, rows.size());
    if (fresh) {
      rows.push_back(node);
      continue;
    }
    NodeTime& row = rows[at->second];
    row.seconds += node.seconds;
    row.flops += node.flops;
    row.bytes += node.bytes;
    row.peak_seconds += node.peak_seconds;
  }
  if (options.top) {
    std::stable_sort(rows.begin(), rows.end(),
                     [](const NodeTime& a, const NodeTime& b) { return a.seconds > b.seconds; });
    rows.resize(std::min(rows.size(), static_cast<size_t>(options.top)));
  }
  return rows;
}

void print_ops(const Measured& m, const Options& options) {
  double total = 0;
  for (const NodeTime& node : m.nodes) total += node.seconds;
  show("{:>9} {:>6} {:>9} {:>6} {:>7}  {:<26} {}\n", "ms/step", "share", "GFLOP/s", "peak", "GB/s",
       "op", options.by == Rows::op ? "" : "what");
  for (const NodeTime& row : grouped(m.nodes, options)) {
    const double rate = row.flops / row.seconds;
    show("{:9.3f} {:5.1f}% {:>9} {:>6} {:7.1f}  {:<26} {}\n", 1e3 * row.seconds / options.steps,
         100 * row.seconds / total, row.flops > 0 ? fmt::format("{:.1f}", rate / 1e9) : "",
         row.flops > 0 ? fmt::format("{:.0f}%", 100 * row.peak_seconds / row.seconds) : "",
         row.bytes / row.seconds / 1e9, row.op,
         options.by == Rows::op      ? ""
         : options.by == Rows::shape ? row.shape + " " + row.implementation
                                     : row.name + " " + row.shape + " " + row.implementation);
  }
}

nlohmann::ordered_json facts(const RunSetup& setup, const Measured& m, const Options& options) {
  return {{"model", setup.config.model},
          {"batch_size", setup.shape.micro_batch},
          {"image_size", setup.train_set->image_shape()[2]},
          {"mode", word_of(options.mode)},
          {"threads", setup.config.thread_count()},
          {"isa", name(isa_level())},
          {"precision", setup.config.precision.name()},
          {"version", version},
          {"steps", options.steps},
          {"images_per_s", m.images_per_s()},
          {"images_per_s_best", m.images / m.best_seconds()},
          {"step_s", m.median_seconds()},
          {"data_wait_s", m.wait_seconds / options.steps},
          {"peak_rss_bytes", m.peak_rss_bytes},
          {"planned_bytes", m.planned_bytes},
          {"gflops", m.flops_per_s() / 1e9},
          {"share_of_peak", m.share_of_peak()},
          {"peak_gflops", m.machine.flops / 1e9},
          {"bf16_peak_gflops", m.machine.bf16_flops / 1e9},
          {"memory_gb_per_s", m.machine.bytes / 1e9},
          {"step_seconds", m.seconds},
          {"losses", m.losses}};
}

nlohmann::ordered_json ops_json(const Measured& m, const Options& options) {
  auto rows = nlohmann::ordered_json::array();
  for (const NodeTime& row : grouped(m.nodes, options)) {
    rows.push_back({{"plan", row.plan},
                    {"op", row.op},
                    {"name", row.name},
                    {"shape", row.shape},
                    {"implementation", row.implementation},
                    {"step_s", row.seconds / options.steps},
                    {"gflops", row.flops / row.seconds / 1e9},
                    {"share_of_peak", row.peak_seconds / row.seconds},
                    {"gb_per_s", row.bytes / row.seconds / 1e9}});
  }
  return rows;
}

void print_summary(const RunSetup& setup, const Measured& m, const Options& options) {
  show("{}, batch {} of {}x{}, {} threads, {} {}: {:.2f} images/s (best {:.2f}), {:.4f} s a step\n",
       setup.config.model, setup.shape.global_batch(), setup.train_set->image_shape()[1],
       setup.train_set->image_shape()[2], setup.config.thread_count(),
       setup.config.precision.name(), name(isa_level()), m.images_per_s(),
       m.images / m.best_seconds(), m.median_seconds());
  const std::string bf16 = m.machine.bf16_flops > 0
                               ? fmt::format(" ({:.1f} with bf16)", m.machine.bf16_flops / 1e9)
                               : "";
  show(
      "{:.1f} GFLOP/s, {:.1f}% of the {:.1f}{} that multiply-adds reach here; waited {:.4f} s "
      "a step for data; peak memory {}\n",
      m.flops_per_s() / 1e9, 100 * m.share_of_peak(), m.machine.flops / 1e9, bf16,
      m.wait_seconds / options.steps, human_bytes(static_cast<double>(m.peak_rss_bytes)));
}

// Refuses options that this kind of bench does not use.
void refuse_others(const Fields& field, const std::string& kind, const Options& options) {
  const auto refuse = [&](std::initializer_list<const char*> keys, const char* wanted) {
    for (const char* key : keys) {
      if (field.given(key)) {
        raise(Fault::usage, "--{} is for `convoy {}`; try: convoy {} --{} …", key, wanted, wanted,
              key);
      }
    }
  };
  if (kind != "ops") refuse({"by", "top"}, "bench ops");
  if (kind != "convs" && kind != "data") refuse({"rounds"}, "bench convs");
  if (kind == "data") refuse({"steps", "warmup-steps", "mode"}, "bench");
  if (kind != "convs") {
    refuse({"shapes", "write-algorithms"}, "bench convs");
    return;
  }
  refuse({"steps", "warmup-steps", "mode"}, "bench");
  if (options.convs.shapes.empty()) return;
  constexpr std::array known{
      "shapes", "rounds",   "write-algorithms", "json",      "batch-size", "threads", "isa",
      "memory", "winograd", "algorithms",       "precision", "dtype",      "amp"};
  for (const Field& one : field.all()) {
    if (!field.given(one.key) || std::ranges::find(known, one.key) != known.end()) continue;
    raise(Fault::usage, "--{} has no meaning with --shapes, which needs no model; try: without it",
          one.key);
  }
}

int run(const CommandLine& typed) {
  const std::string kind = typed.words.size() == 1 ? typed.words[0] : "";
  const bool ops = kind == "ops";
  if (!ops && kind != "convs" && kind != "data") {
    const std::string near = nearest(kind, {"ops", "convs", "data"});
    if (!near.empty()) raise(Fault::usage, "there is no bench {}; nearest: bench {}", kind, near);
    need_words(typed, {}, described(describe_with_run<Options>));
  }
  const CommandLine line = with_defaults(typed);
  Options options;
  RunConfig config;
  const Fields field = read_options(line, options, config);
  refuse_others(field, kind, options);
  config.eval_epochs = 0;
  apply_isa(config);
  if (kind == "convs") {
    options.convs.json = options.json;
    if (field.given("batch-size")) options.convs.batch = config.batch_size;
    bench_convs(options.convs, config);
    return 0;
  }
  if (kind == "data") {
    bench_data({.rounds = options.convs.rounds, .json = options.json}, config);
    return 0;
  }
  const RunSetup setup(config, {.dump = {}, .without = config.without, .print = {}});
  warn_of_idle_rules(setup.plans, config.choices);
  const Measured measured = [&] {
    ProgressLine progress("step");  // steps of large models take seconds
    return measure(setup, {.warmup = options.warmup_steps,
                           .steps = options.steps,
                           .infer = options.mode == Mode::infer,
                           .progress = [&](int done, int total) { progress.at(done, total); }});
  }();
  if (options.json) {
    nlohmann::ordered_json result = facts(setup, measured, options);
    if (ops) result["ops"] = ops_json(measured, options);
    show_text(json_text(result) + "\n");
    return 0;
  }
  if (ops) print_ops(measured, options);
  print_summary(setup, measured, options);
  return 0;
}

}  // namespace

CommandDef bench_command() {
  return {
      .name = "bench",
      .summary = "time training steps on generated data",
      .usage = "bench [ops|convs|data] --model NAME [--batch-size N] [options]",
      .details = R"(The steps are those of `convoy train`, optimiser, batch-norm statistics and loss
included, and give the same losses; nothing is kept. The rate is the median over
the timed steps. `bench ops` shows the time of every node, its rate, and what
share it is of the multiply-add peak measured in the same process.

`bench convs` times every convolution of the model, or of a list, by each
algorithm that can compute it: milliseconds, in brackets what the cost model
expects, which one Convoy takes, which is fastest, and by how much the choice is
slower (regret). Rates count the arithmetic of a direct convolution.

`bench data` times what makes images for training: reading, decoding, cropping,
resizing, augmenting, normalising, by --threads threads and without a network.

  convoy bench --model resnet50 --batch-size 16
  convoy bench --model cifar_resnet20 --steps 20 --json
  convoy bench ops --model resnet18 --batch-size 8 --by shape --top 15
  convoy bench --model resnet50 --batch-size 1 --mode infer
  convoy bench convs --model resnet34 --batch-size 16 --write-algorithms tuned.txt
  convoy bench --model resnet34 --batch-size 16 --algorithms tuned.txt
  convoy bench convs --shapes ssd
  convoy bench data --data-dir DIR --dataset imagefolder --threads 1
)",
      .words = "ops convs data",
      .basics =
          "model batch-size image-size steps warmup-steps mode json by top shapes "
          "write-algorithms replicas optimizer precision winograd threads isa",
      .describe = describe_with_run<Options>,
      .run = run};
}

}  // namespace convoy
