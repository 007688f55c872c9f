#include "report/results/result_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "pictures/png.h"
#include "plot/matrix.h"
#include "report/page/html.h"

namespace convoy {
namespace {

constexpr size_t most_points = 1000;
constexpr int64_t panel_height = 230;

Ink ink_of(size_t number) {
  constexpr std::array<Ink, 7> inks{{{0, 114, 178},
                                     {213, 94, 0},
                                     {0, 158, 115},
                                     {176, 80, 140},
                                     {138, 109, 0},
                                     {46, 147, 201},
                                     {92, 99, 112}}};
  return inks[number % inks.size()];
}

// Adds the curve of a column to a panel, if there is one.
void add_curve(Panel& panel, const EventTable& table, const std::string& column,
               const std::string& name, double share = 1) {
  const std::vector<double>&steps = table.column("step"), &values = table.column(column);
  if (steps.empty() || values.empty()) return;
  Series series{name, ink_of(panel.series.size()), {}, {}};
  for (const size_t i : telling_points(values, most_points)) {
    series.x.push_back(steps[i]);
    series.y.push_back(values[i] * share);
  }
  if (!series.x.empty()) panel.series.push_back(std::move(series));
}

Panel panel_of(const std::string& title) {
  return {.x = {.label = "step"}, .y = {.label = title}, .series = {}, .marks = {}};
}

// The columns of the evaluations that are metrics besides the loss, of any of the runs.
std::vector<std::string> metrics_of(const std::vector<NamedCurves>& runs) {
  std::vector<std::string> names;
  for (const NamedCurves& run : runs) {
    for (const std::string& name : run.curves->evals().names()) {
      const bool is_metric = name.starts_with("top") || name.starts_with("mAP");
      if (is_metric && std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

std::string short_name(const std::string& name) { return shortened(name, 24); }

}  // namespace

std::string curves_png(const std::vector<NamedCurves>& runs) {
  const bool single = runs.size() == 1;
  Plot plot{.title = single ? runs[0].name : fmt::format("{} runs", runs.size()), .panels = {}};
  Panel losses = panel_of(single ? "loss" : "training loss"), evals = panel_of("evaluation loss"),
        metrics = panel_of("metrics"), rates = panel_of("learning rate"),
        speeds = panel_of("images a second"), memory = panel_of("memory, GB");
  for (const NamedCurves& run : runs) {
    const std::string name = short_name(run.name);
    const EventTable &train = run.curves->train(), &eval = run.curves->evals();
    add_curve(losses, train, "loss", single ? "training" : name);
    add_curve(single ? losses : evals, eval, "loss", single ? "evaluation" : name);
    for (const std::string& metric : metrics_of(runs)) {
      add_curve(metrics, eval, metric, single ? metric : metric + " " + name);
    }
    add_curve(rates, train, "lr", single ? "" : name);
    add_curve(speeds, train, "images_per_s", single ? "" : name);
    add_curve(memory, train, "rss_bytes", single ? "" : name, 1e-9);
  }
  for (Panel* panel : {&losses, &evals, &metrics, &rates, &speeds, &memory}) {
    if (!panel->series.empty()) plot.panels.push_back(std::move(*panel));
  }
  if (plot.panels.empty()) return "";
  plot.height = 40 + panel_height * std::ssize(plot.panels);
  return encode_png(draw(plot));
}

std::vector<size_t> matrix_classes(const ClassResults& results) {
  std::vector<size_t> classes(results.classes.size());
  std::iota(classes.begin(), classes.end(), size_t{0});
  if (classes.size() <= most_in_matrix) return classes;
  std::ranges::stable_sort(classes, std::greater(), [&](size_t i) {
    const ClassRow& row = results.classes[i];
    return row.samples + row.predicted - 2 * row.right;
  });
  classes.resize(most_in_matrix);
  std::ranges::sort(classes);
  return classes;
}

std::string confusion_png(const ClassResults& results) {
  const std::vector<size_t> classes = matrix_classes(results);
  MatrixPlot plot{.title = classes.size() == results.classes.size()
                               ? fmt::format("{} of {} right", results.right, results.samples)
                               : fmt::format("the {} classes with the most mistakes of {}",
                                             classes.size(), results.classes.size()),
                  .row_title = "truth",
                  .column_title = "prediction",
                  .rows = {},
                  .columns = {},
                  .shares = {},
                  .texts = {}};
  for (const size_t truth : classes) {
    plot.rows.push_back(short_name(results.classes[truth].name));
    for (const size_t predicted : classes) {
      const int64_t count = results.count(truth, predicted);
      const auto all = static_cast<double>(std::max<int64_t>(1, results.classes[truth].samples));
      plot.shares.push_back(static_cast<double>(count) / all);
      plot.texts.push_back(count ? std::to_string(count) : "");
    }
  }
  plot.columns = plot.rows;
  return encode_png(draw(plot));
}

std::string calibration_png(const ClassResults& results) {
  Panel panel{.x = {.label = "confidence", .covers = {0, 1}},
              .y = {.label = "share that is right", .covers = {0, 1}},
              .series = {},
              .marks = {}};
  panel.series.push_back({"ideal", plot_ink::pale, {0, 1}, {0, 1}});
  Series found{"network", plot_ink::blue, {}, {}};
  for (const CalibrationBin& bin : results.bins) {
    if (bin.samples == 0) continue;
    const auto count = static_cast<double>(bin.samples);
    found.x.push_back(bin.confidence / count);
    found.y.push_back(static_cast<double>(bin.right) / count);
  }
  panel.series.push_back(std::move(found));
  const Plot plot{.title = fmt::format("calibration: expected error {:.4f}, {} samples",
                                       results.calibration_error, results.samples),
                  .panels = {std::move(panel)},
                  .width = 700,
                  .height = 560};
  return encode_png(draw(plot));
}

}  // namespace convoy
