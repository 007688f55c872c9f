#include "app/dialects/explain.h"

#include <fmt/core.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/dialects/launch_dialect.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/help.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

using Json = nlohmann::ordered_json;

// Options that change none of the numbers: places, and how it is computed. A run checks them.
constexpr std::array no_numbers{"precision",
                                "dtype",
                                "amp",
                                "loss-scale",
                                "stochastic-rounding",
                                "data-loader-image-type",
                                "bf16-lists",
                                "recompute",
                                "shards",
                                "pipeline",
                                "pipeline-splits",
                                "pipeline-schedule",
                                "mllog",
                                "output",
                                "name",
                                "init-from",
                                "fp-exceptions",
                                "freeze"};

RunConfig config_of(const DialectPlan& plan) {
  Settings settings = plan.options;
  for (const char* key : no_numbers) settings.erase(key);
  if (settings.contains("dataset")) settings.erase("data-dir");
  Fields field(settings);
  RunConfig config;
  config.data.may_be_absent = true;
  config.describe(field);
  return config;
}

int64_t training_samples(const RunConfig& config) {
  const int64_t published = config.data.def().published.train;
  return published ? published : config.data.open(true, config.seed)->size();
}

// Steps at which a rate is worth telling: the ends of epochs, of the warm-up, and some between.
std::map<int64_t, double> rates(const RunConfig& config, const EpochPlan& epochs, int64_t total) {
  std::map<int64_t, double> all;
  const ScheduleSite site = config.schedule_site(epochs);
  const auto add = [&](int64_t step) {
    if (step >= 0 && step <= total) all.try_emplace(step, config.lr.at(step, site));
  };
  const auto warmup =
      static_cast<int64_t>(whole_steps(config.lr.warmup_epochs() * epochs.steps_per_epoch()));
  for (const int64_t end : {warmup, total}) {
    for (const int64_t step : {end / 4, end / 2, end - 1, end, end + 1}) add(step);
  }
  constexpr int most_epochs = 1000;
  for (int epoch = 0; epoch <= most_epochs; ++epoch) {
    const auto step = static_cast<int64_t>(whole_steps(epoch * epochs.steps_per_epoch()));
    if (step > total) break;
    add(step);
    add(step + 1);
  }
  return all;
}

std::string precision_of(const DialectPlan& plan) {
  const auto found = plan.options.find("precision");
  return found == plan.options.end() ? "32.32" : found->second.text;
}

std::string words_of(const Settings& options) {
  std::string text;
  for (const auto& [key, setting] : options) {
    text += fmt::format(" --{} {}", key, in_shell(one_line(setting.text)));
  }
  return text;
}

bool trains(const DialectPlan& plan) { return plan.verb == "train" || plan.verb == "plan"; }

Json mapping(const DialectPlan& plan) {
  Json all = Json::object();
  for (const DialectFate& fate : plan.fates) {
    const std::string name = fate.name == "set" ? "set " + fate.value : fate.name;
    all[name] = {{"value", fate.value},
                 {"from", fate.origin},
                 {"class", std::string(1, fate.kind)},
                 {"convoy", fate.what}};
  }
  return all;
}

std::string option_column(const DialectFate& fate) {
  if (fate.is_variable) return fmt::format("{}={}", fate.name, fate.value);
  const std::string typed =
      fmt::format("{}{} {}", fate.name.size() == 1 ? "-" : "--", fate.name, fate.value);
  return fate.origin == "command line" ? typed : fmt::format("{} ({})", typed, fate.origin);
}

std::string plan_lines(const DialectPlan& plan) {
  const DialectNumbers n = numbers_of(plan);
  const DialectProcesses& all = plan.processes();
  std::string text =
      shown("Plan: {} in {}, {}; {} rank{} on {} host{}\n", n.model, n.precision, n.optimizer,
            all.ranks, all.ranks == 1 ? "" : "s", all.hosts, all.hosts == 1 ? "" : "s");
  text += shown("  batch: {} x {} accumulated x {} replicas = {}\n", n.micro_batch, n.accumulation,
                n.replicas, n.global_batch);
  text += shown("  steps: {} an epoch, {} epochs = {}\n", with_commas(n.steps_per_epoch), n.epochs,
                with_commas(n.total_steps));
  return text + shown("  learning rate: peak {:.6g}, {:.6g} at the end\n", n.peak_lr,
                      n.lr_at.empty() ? 0 : n.lr_at.rbegin()->second);
}

}  // namespace

DialectNumbers numbers_of(const DialectPlan& plan) {
  const RunConfig config = config_of(plan);
  const StepShape shape = config.step_shape();
  const EpochPlan epochs = config.epoch_plan(training_samples(config));
  DialectNumbers n;
  n.micro_batch = shape.micro_batch;
  n.accumulation = shape.accumulation;
  n.replicas = shape.replicas;
  n.global_batch = shape.global_batch();
  n.steps_per_epoch = static_cast<int64_t>(whole_steps(epochs.steps_per_epoch()));
  n.total_steps = config.epochs > 0 ? epochs.total_steps() : config.steps_of_run();
  if (config.max_steps) n.total_steps = std::min(n.total_steps, config.max_steps);
  n.epochs = config.epochs > 0 ? config.epochs : epochs.epochs_after(n.total_steps);
  n.peak_lr = config.lr.peak(n.global_batch);
  n.lr_at = rates(config, epochs, n.total_steps);
  n.model = config.model;
  n.optimizer = config.optimizer;
  n.precision = precision_of(plan);
  return n;
}

std::string command_of(const DialectPlan& plan) {
  std::string text = "convoy";
  if (!plan.launch_options.empty()) text += " launch" + words_of(plan.launch_options) + " --";
  text += " " + plan.verb;
  for (const std::string& word : plan.verb_words) text += " " + in_shell(one_line(word));
  return text + words_of(plan.options);
}

Json explained_json(const DialectPlan& plan) {
  const DialectProcesses& all = plan.processes();
  Json json;
  json["dialect"] = plan.dialect.name;
  json["program"] = plan.program.name;
  if (trains(plan)) {
    const DialectNumbers n = numbers_of(plan);
    json["global_batch"] = n.global_batch;
    json["steps_per_epoch"] = n.steps_per_epoch;
    json["total_steps"] = n.total_steps;
    json["peak_lr"] = n.peak_lr;
    Json rates = Json::object();
    for (const auto& [step, rate] : n.lr_at) rates[std::to_string(step)] = rate;
    json["lr_at"] = std::move(rates);
    json["epochs"] = n.epochs;
    json["micro_batch"] = n.micro_batch;
    json["gradient_accumulation"] = n.accumulation;
    json["replicas"] = n.replicas;
    json["precision"] = n.precision;
    json["optimizer"] = n.optimizer;
    json["model"] = n.model;
  }
  json["ranks"] = all.ranks;
  json["hosts"] = all.hosts;
  json["ranks_per_host"] = all.per_host;
  const std::string mpirun = launch_command(plan);
  json["mpirun"] = mpirun.empty() ? Json(nullptr) : Json(mpirun);
  json["command"] = command_of(plan);
  json["options"] = mapping(plan);
  json["recorded_only"] = plan.recorded_only();
  json["notes"] = plan.notes;
  return json;
}

std::string explained_text(const DialectPlan& plan) {
  std::string text = shown("convoy {} ({}) runs\n  ", plan.dialect.name, plan.program.name) +
                     command_of(plan) + "\n\nOptions:\n";
  std::vector<HelpRow> acts, recorded;
  for (const DialectFate& fate : plan.fates) {
    (fate.kind == 'H' ? recorded : acts)
        .push_back({one_line(option_column(fate)), one_line(fate.what)});
  }
  text += acts.empty() ? "  none but the defaults\n" : help_rows(acts, help_width());
  if (!recorded.empty()) {
    text += "\nOf other hardware, only recorded in the run's migration.json:\n" +
            help_rows(recorded, help_width());
  }
  if (!plan.notes.empty()) text += "\n";
  for (const std::string& note : plan.notes) text += shown("Note: {}\n", note);
  text += "\n";
  if (trains(plan)) text += plan_lines(plan);
  const std::string mpirun = launch_command(plan);
  if (!mpirun.empty()) text += shown("mpirun: {}\n", mpirun);
  return text;
}

}  // namespace convoy
