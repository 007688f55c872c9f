#include "app/train/recipe_curves.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/value.h"
#include "pictures/png.h"

namespace convoy {
namespace {

// Optimizers do not expose it, so it is read from the options. No optimizer changes it during a
// run.
double momentum_of(const std::vector<Field>& fields) {
  for (const char* key : {"momentum", "adam-beta1"}) {
    double value = 0;
    if (const Field* field = find_field(fields, key)) {
      if (parse_value(field->value.text, value).empty()) return value;
    }
  }
  return 0;
}

// A value that never changes is shown beside the name.
Panel panel(const RecipeCurves& curves, const std::string& name, Ink ink,
            double RecipeCurves::Row::*value) {
  Series series{"", ink, {}, {}};
  for (const RecipeCurves::Row& row : curves.rows) {
    series.x.push_back(static_cast<double>(row.step));
    series.y.push_back(row.*value);
  }
  const auto [least, most] = std::ranges::minmax(series.y);
  return {.x = {},
          .y = {least == most ? fmt::format("{} {:g}", name, least) : name},
          .series = {std::move(series)},
          .marks = {}};
}

}  // namespace

RecipeCurves recipe_curves(const RunSetup& setup, const std::vector<Field>& fields, int64_t most) {
  const RunConfig& config = setup.config;
  const int64_t steps = setup.total_steps(), rows = std::min(steps, most);
  RecipeCurves curves;
  curves.title = fmt::format("{} on {}: {} steps, {:.6g} an epoch", config.model,
                             config.data.dataset_name(), steps, setup.epochs.steps_per_epoch());
  const double momentum = momentum_of(fields);
  // Use the decimal number as written, not the nearest float.
  const double decay = std::stod(fmt::format("{}", config.weight_decay.of(ParamKind::weight)));
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t step = rows > 1 ? i * (steps - 1) / (rows - 1) : 0;
    curves.rows.push_back({.step = step,
                           .epoch = setup.epochs.epochs_after(step),
                           .lr = setup.learning_rate(step),
                           .momentum = momentum,
                           .weight_decay = decay});
  }
  return curves;
}

std::string to_csv(const RecipeCurves& curves) {
  std::string text = "step,epoch,lr,momentum,weight_decay\n";
  for (const RecipeCurves::Row& row : curves.rows) {
    text += fmt::format("{},{:.9g},{:.9g},{:.9g},{:.9g}\n", row.step, row.epoch, row.lr,
                        row.momentum, row.weight_decay);
  }
  return text;
}

Plot to_plot(const RecipeCurves& curves) {
  using Row = RecipeCurves::Row;
  Plot plot{.title = curves.title, .panels = {}, .width = 1000, .height = 800};
  plot.panels = {panel(curves, "learning rate", plot_ink::blue, &Row::lr),
                 panel(curves, "momentum", plot_ink::green, &Row::momentum),
                 panel(curves, "weight decay", plot_ink::orange, &Row::weight_decay)};
  plot.panels[0].share = 3;
  plot.panels[2].x.label = "step";
  return plot;
}

CurveFiles::CurveFiles(const fs::path& asked) : csv(asked) {
  const std::string ending = asked.extension().string();
  if (ending != ".png" && ending != ".csv") {
    raise(Fault::usage, "--curve \"{}\" is neither a .png nor a .csv file; try: {}.png",
          asked.string(), (asked.parent_path() / asked.stem()).string());
  }
  if (ending == ".png") png = asked;
  csv.replace_extension(".csv");
}

std::vector<std::string> CurveFiles::names() const {
  return png.empty() ? std::vector<std::string>{csv.string()}
                     : std::vector<std::string>{png.string(), csv.string()};
}

void write_curves(const RecipeCurves& curves, const CurveFiles& files) {
  write_atomically(files.csv, to_csv(curves), Fault::usage);
  if (files.png.empty()) return;
  write_atomically(files.png, encode_png(draw(to_plot(curves))), Fault::usage);
}

}  // namespace convoy
