#include "app/train/run_listeners.h"

#include <nlohmann/json.hpp>

#include "base/process.h"
#include "base/text/json_text.h"
#include "config/value.h"
#include "dist/world.h"
#include "report/console.h"
#include "report/mllog/mllog.h"
#include "report/results/plots_listener.h"
#include "report/spare_listener.h"
#include "report/tensorboard/tensorboard.h"
#include "report/wandb/wandb.h"

namespace convoy {
namespace {

HyperParameter hyper_parameter(const std::string& text) {
  if (text == "true" || text == "false") return text == "true";
  double number = 0;
  if (parse_value(text, number).empty()) return number;
  return text;
}

// A Markdown table of the options that are not defaults.
std::string recipe_table(const RunConfig& config) {
  std::string text = "| option | value |\n|---|---|\n";
  for (const auto& [key, value] : config.recipe()) {
    std::string cell;
    for (const char c : value) cell += c == '|' ? "\\|" : c == '\n' ? "; " : std::string(1, c);
    text += fmt::format("| {} | {} |\n", key, cell);
  }
  return text;
}

TensorboardSpec tensorboard_spec(const RunConfig& config, const RunDir& dir) {
  TensorboardSpec spec{dir.tensorboard(), recipe_table(config), {}};
  for (const auto& [key, text] : config.resolved()) {
    spec.hyper_parameters[key] = hyper_parameter(text);
  }
  return spec;
}

std::string run_name(const RunDir& dir) {
  return fs::absolute(dir.path()).lexically_normal().filename().string();
}

WandbSpec wandb_spec(const RunConfig& config, const RunDir& dir) {
  WandbSpec spec{.folder = dir.wandb(),
                 .project = config.outputs.wandb_project,
                 .name = run_name(dir),
                 .config = {},
                 .files = {dir.args(), dir.env()}};
  for (const auto& [key, text] : config.resolved()) {
    const HyperParameter value = hyper_parameter(text);
    spec.config[key] =
        std::visit([](const auto& one) { return json_text(nlohmann::ordered_json(one)); }, value);
  }
  return spec;
}

MllogSpec mllog_spec(const RunConfig& config, const RunDir& dir) {
  const RunOutputs& outputs = config.outputs;
  return {
      .file = dir.mllog(),
      .benchmark = config.model == "ssd_resnet34" ? MllogBenchmark::ssd : MllogBenchmark::resnet,
      .org = outputs.mllog_org,
      .platform = outputs.mllog_platform.empty() ? host_name() : outputs.mllog_platform,
      .division = outputs.mllog_division,
      .options = config.resolved()};
}

}  // namespace

void add_console(const RunConfig& config, const RunDir& dir, std::span<const MetricDef> metrics,
                 Listeners& all) {
  ConsoleOptions console = console_options(config.quiet, config.plain, World::started_by_mpi());
  if (std::error_code none; fs::exists(dir.metrics(), none)) {
    console.evals = past_evals(read_file(dir.metrics(), Fault::checkpoint), metrics);
  }
  all.add(console_listener(std::move(console)));
}

void add_side_listeners(const RunConfig& config, const RunDir& dir, Listeners& all) {
  const RunOutputs& outputs = config.outputs;
  if (outputs.tensorboard) {
    all.add(spare_listener(tensorboard_listener(tensorboard_spec(config, dir)),
                           "TensorBoard's files", all));
  }
  if (outputs.wandb) {
    all.add(spare_listener(wandb_listener(wandb_spec(config, dir)), "the files for W&B", all));
  }
  if (outputs.plots) {
    all.add(spare_listener(plots_listener(dir.path()), "the folder plots", all));
  }
  if (outputs.mllog) {
    all.add(spare_listener(mllog_listener(mllog_spec(config, dir)), "the lines of mllog.txt", all));
  }
}

}  // namespace convoy
