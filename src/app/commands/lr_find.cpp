// `convoy lr-find`: suggests a learning rate by a short run with a growing rate.

#include <fmt/core.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/command.h"
#include "app/options.h"
#include "app/progress.h"
#include "app/signals.h"
#include "app/train/lr_find_options.h"
#include "app/train/run.h"
#include "base/error.h"
#include "base/files/file.h"
#include "base/show.h"
#include "base/stop_code.h"
#include "pictures/png.h"
#include "plot/plot.h"
#include "train/checkpoint/start_weights.h"

namespace convoy {
namespace {

using Reading = RateCurve::Reading;

std::string to_csv(const RateCurve& curve) {
  std::string text = "step,lr,loss,smoothed_loss\n";
  for (size_t i = 0; i < curve.rows().size(); ++i) {
    const RateCurve::Row& row = curve.rows()[i];
    text += fmt::format("{},{:.9g},{:.9g},{:.9g}\n", i, row.lr, row.loss, row.smoothed);
  }
  return text;
}

// Limits the axis, so that an exploding loss does not hide the rest of the curve.
double highest_in_sight(const RateCurve& curve, const std::optional<Reading>& found) {
  constexpr double above = 1.6;
  double most = curve.rows().empty() ? 1 : curve.rows().front().smoothed;
  for (const RateCurve::Row& row : curve.rows()) {
    if (found && row.lr <= found->minimum) most = std::max(most, row.smoothed);
  }
  return std::isfinite(most) ? above * most : 1e300;
}

Plot to_plot(const RateCurve& curve, const std::optional<Reading>& found, std::string title) {
  Series raw{"loss", plot_ink::pale, {}, {}, 1.5},
      smoothed{"smoothed", plot_ink::blue, {}, {}, 2.5};
  for (const RateCurve::Row& row : curve.rows()) {
    raw.x.push_back(row.lr);
    raw.y.push_back(row.loss);
    smoothed.x.push_back(row.lr);
    smoothed.y.push_back(row.smoothed);
  }
  Panel panel{.x = {"learning rate", true},
              .y = {"loss of a step"},
              .series = {raw, smoothed},
              .marks = {},
              .y_most = highest_in_sight(curve, found)};
  if (found) {
    const bool is_steepest = found->suggestion() == found->steepest;
    panel.marks = {{fmt::format("{} {:.2g}", is_steepest ? "other" : "suggestion", found->tenth()),
                    is_steepest ? plot_ink::orange : plot_ink::green, found->tenth()},
                   {fmt::format("{} {:.2g}", is_steepest ? "suggestion" : "other", found->steepest),
                    is_steepest ? plot_ink::green : plot_ink::orange, found->steepest}};
  }
  return {.title = std::move(title), .panels = {std::move(panel)}};
}

void print_reading(const RateCurve& curve, const Reading& found, const LrFindOptions& options) {
  show("Falls fastest: at a rate of {:.2g} (first reading)\n", found.steepest);
  show("Least: at {:.2g}, the most to try; a tenth is {:.2g} (second reading)\n", found.minimum,
       found.tenth());
  if (curve.has_diverged()) {
    show("Diverged: at a rate of {:.2g}, step {} of {}\n", curve.rows().back().lr,
         curve.rows().size(), options.steps);
  } else if (found.ends_at_minimum) {
    show("Diverged: nowhere; it still falls at {:.2g}. Try: --max-lr {:.2g}\n", options.high,
         100 * options.high);
  } else {
    show("Diverged: nowhere up to {:.2g}\n", options.high);
  }
  show("Suggestion: {:.2g}, the larger of the two readings\n", found.suggestion());
}

int run(const CommandLine& line) {
  const std::vector<Field> known = described(describe_with_run<LrFindOptions>);
  need_words(line, {}, known);
  Fields field(lr_find_settings(line, known));
  LrFindOptions options;
  RunConfig config;
  options.describe(field);
  config.describe(field);
  field.finish(known);
  apply_isa(config);
  const std::atomic<int>& stop = watch_signals(false);
  config.data.known = {start_classes(config), {}, config.init_from, true};
  const RunSetup setup(config,
                       {.dump = {}, .without = config.without, .print = {}, .seconds = nullptr});
  warn_of_idle_rules(setup.plans, config.choices);
  if (!config.tuning.freeze.empty() && config.init_from.empty()) {
    show(stderr, "Warning: frozen parameters keep their random values; try: --init-from FILE\n");
  }
  const fs::path folder = options.output;
  make_folders(folder, Fault::usage);
  const std::string title = fmt::format(
      "{} on {}, batch {}: {:g} to {:g} in {} steps", config.model, config.data.dataset_name(),
      setup.shape.global_batch(), options.low, options.high, options.steps);
  if (!config.quiet) show("{}\n", title);
  std::fflush(stdout);

  ProgressLine progress("step", !config.quiet);
  const RateCurve curve = find_rate(setup, options, stop,
                                    {.told =
                                         [&](const std::string& text) {
                                           if (!config.quiet) show("{}\n", text);
                                         },
                                     .bad =
                                         [&](const Batch::Bad& bad) {
                                           progress.clear();
                                           show(stderr, "Warning: {}\n", bad.reason);
                                         },
                                     .after_step =
                                         [&](const RateCurve& so_far) {
                                           progress.at(std::ssize(so_far.rows()), options.steps);
                                         }});
  progress.clear();

  const std::optional<Reading> found = stop ? std::nullopt : curve.reading();
  write_atomically(folder / "lr-find.csv", to_csv(curve), Fault::usage);
  write_atomically(folder / "lr-find.png", encode_png(draw(to_plot(curve, found, title))),
                   Fault::usage);
  if (!config.quiet) {
    show("Wrote {} and {}\n", (folder / "lr-find.png").lexically_normal().string(),
         (folder / "lr-find.csv").lexically_normal().string());
  }
  if (stop) {
    show(stderr, "Stopped by a signal after step {} of {}: no suggestion\n", curve.rows().size(),
         options.steps);
    return stop_code(stop);
  }
  if (!found) {
    raise(
        Fault::diverged,
        "the loss falls at no rate between {:g} and {:g}{}; try: --min-lr {:g} --find-steps {}",
        options.low, options.high,
        curve.has_diverged() ? fmt::format(" (it diverged at {:.2g})", curve.rows().back().lr) : "",
        options.low / 100, 2 * options.steps);
  }
  if (!config.quiet) print_reading(curve, *found, options);
  show("{}\n", train_line(line, known, found->suggestion(), setup.shape.global_batch()));
  return 0;
}

}  // namespace

CommandDef lr_find_command() {
  return {
      .name = "lr-find",
      .summary = "find a learning rate: a short run in which it grows until the loss blows up",
      .usage = "lr-find [--config NAME|FILE.yml] [--min-lr X] [--max-lr X] [options of train]",
      .details = R"(Trains from the start weights, or from --init-from, with a rate that grows by a
constant factor from step to step, and stops when the smoothed loss is above four
times its best or is no number. Writes lr-find.png (loss by rate) and lr-find.csv;
prints the rate at which the smoothed loss falls fastest, a tenth of the rate at
which it is least as a second reading, where it diverged, and the line that trains
with the larger of the two. No run directory is made; weights are not kept. The
result follows from the seed. More steps over a narrower range tell more.

Give the options of the training you have in mind: model, data, batch, optimiser,
weight decay, --freeze. What a recipe says about rate, schedule and length is left
out; typed here, such options are refused.

  convoy lr-find --config cifar10/resnet20 --data-dir DIR
  convoy lr-find --model cifar_resnet8 --dataset generated --batch-size 64 --min-lr 1e-4
  convoy lr-find --model resnet18 --data-dir DIR --init-from FILE --freeze all-but-head
  convoy lr-find --model resnet18 --data-dir DIR --optimizer adamw --max-lr 1 --output DIR
)",
      .basics =
          "config model data-dir dataset batch-size optimizer init-from freeze "
          "min-lr max-lr find-steps smooth output seed threads",
      .describe = describe_with_run<LrFindOptions>,
      .run = run};
}

}  // namespace convoy
