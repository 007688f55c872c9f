// `convoy list`: lists models, datasets, and other things to choose from.

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "app/command.h"
#include "app/network/model_facts.h"
#include "app/options.h"
#include "app/runs/run_output.h"
#include "base/error.h"
#include "base/show.h"
#include "base/text/text.h"
#include "config/config_file.h"
#include "data/augment/augment.h"
#include "data/dataset.h"
#include "dialects/dialect.h"
#include "ops/family.h"
#include "train/schedules/schedule.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

struct Options {
  int num_classes = 0;
  int image_size = 0;
  std::string output = "runs";
  TableForm form;

  void describe(Fields& field) {
    field("num-classes", num_classes,
          "count a model's parameters with this number of classes; 0: that of its usual data",
          at_least(0));
    field("image-size", image_size, "count multiply-adds at this size; 0: the model's own",
          at_least(0));
    field("output", output, "list runs: the folder in which they are");
    form.describe(field);
  }
};

// name -> the rest of its line.
using Rows = std::map<std::string, std::string>;

// A pattern without * and ? matches any part of the name.
bool is_meant(std::string_view name, const std::string& pattern) {
  const bool is_part = pattern.find_first_of("*?") == std::string::npos;
  return is_part ? name.find(pattern) != name.npos : matches_pattern(name, pattern);
}

[[noreturn]] void none_found(const std::string& kind, const std::string& pattern,
                             const std::vector<std::string>& names) {
  if (names.empty()) {
    raise(Fault::usage,
          "there are no {} here; try: the program where it was built, with the folder configs "
          "beside build",
          kind);
  }
  const std::string near = nearest(pattern, names);
  raise(Fault::usage, "none of the {} {} is called {}; {}", names.size(), kind, one_line(pattern),
        near.empty() ? "try: convoy list " + kind : "nearest: " + near);
}

void print_rows(const std::string& kind, const Rows& rows, const std::string& pattern) {
  size_t width = 0;
  std::vector<std::string> names;
  bool found = false;
  for (const auto& [name, rest] : rows) {
    width = std::max(width, name.size());
    names.push_back(name);
  }
  for (const auto& [name, rest] : rows) {
    if (!is_meant(name, pattern)) continue;
    show("{:<{}}  {}\n", name, width, rest);
    found = true;
  }
  if (!found) none_found(kind, pattern, names);
}

void list_models(const Options& options, const std::string& pattern) {
  std::vector<std::string> names;
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) names.push_back(variant.name);
  }
  if (std::ranges::none_of(names, [&](const auto& name) { return is_meant(name, pattern); })) {
    none_found("models", pattern, names);
  }
  show("{:<32} {:>6} {:>12} {:>10} {:>9}\n", "model", "image", "parameters", "BN stats", "GMACs");
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      if (!is_meant(variant.name, pattern)) continue;
      const FoundModel model{family, variant};
      const ModelFacts facts = model_facts(model, options.num_classes, options.image_size);
      show("{:<32} {:>6} {:>12} {:>10} {:>9.3f}\n", variant.name,
           options.image_size ? options.image_size : model.image_size(),
           with_commas(facts.trainable), with_commas(facts.statistics), facts.multiply_adds / 1e9);
    }
  }
}

template <class Catalog>
Rows described_rows(const Catalog& catalog) {
  Rows rows;
  for (const auto& entry : catalog) rows[std::string(entry.name)] = entry.help;
  return rows;
}

// Each schedule with its aliases and options.
Rows schedule_rows() {
  Rows rows;
  for (const ScheduleDef& def : schedule_catalog()) {
    std::string text(def.help);
    if (!def.alias.empty()) text += fmt::format("; also {}", def.alias);
    if (!def.epoch_name.empty()) text += fmt::format("; {}: once an epoch", def.epoch_name);
    Fields field({});
    def.make(field);
    for (const Field& option : field.all()) {
      text += fmt::format("{}--{}", &option == &field.all().front() ? "; " : ", ", option.key);
    }
    rows[std::string(def.name)] = text;
  }
  return rows;
}

Rows op_rows() {
  Rows rows;
  for (const ops::OpFamily& family : ops::ops_catalog()) {
    for (const OpDef* op : family.ops) {
      rows[std::string(op->name)] =
          fmt::format("{}{}{}", op->grad ? "gradient " : "", op->forms ? "blocked " : "",
                      op->inplace_input >= 0 ? "in-place" : "");
    }
  }
  return rows;
}

Rows recipe_rows() {
  Rows rows;
  for (const std::string& name : list_recipes(recipe_folders())) {
    const Settings settings = load_config(name, recipe_folders());
    const auto value = [&](const char* key) {
      const auto found = settings.find(key);
      return found == settings.end() ? std::string("-") : found->second.text;
    };
    rows[name] =
        fmt::format("{} on {}, {} epochs", value("model"), value("dataset"), value("epochs"));
  }
  return rows;
}

const std::vector<std::string> kinds{"models",     "datasets",     "augmentations",
                                     "optimizers", "lr-schedules", "recipes",
                                     "ops",        "verbs",        "runs"};

int run(const CommandLine& line) {
  const auto options = read_own<Options>(line);
  if (line.words.empty() || line.words.size() > 2) {
    raise(Fault::usage,
          "list takes a kind of thing and perhaps a part of its name; try: convoy list {}",
          join(kinds, "|"));
  }
  const std::string& kind = line.words[0];
  const std::string pattern = line.words.size() > 1 ? line.words[1] : "*";
  if (kind != "runs" && (options.form.json || options.form.csv)) {
    raise(Fault::usage, "--json and --csv are for list runs, not for list {}; try: without it",
          one_line(kind));
  }
  if (kind == "runs") return list_runs(options.output, pattern, options.form);
  if (kind == "models") {
    list_models(options, pattern);
  } else if (kind == "datasets") {
    print_rows(kind, described_rows(dataset_catalog()), pattern);
  } else if (kind == "augmentations") {
    print_rows(kind, described_rows(augment_catalog()), pattern);
  } else if (kind == "optimizers") {
    print_rows(kind, described_rows(optimizer_catalog()), pattern);
  } else if (kind == "lr-schedules") {
    print_rows(kind, schedule_rows(), pattern);
  } else if (kind == "recipes") {
    print_rows(kind, recipe_rows(), pattern);
  } else if (kind == "ops") {
    print_rows(kind, op_rows(), pattern);
  } else if (kind == "verbs") {
    Rows rows;
    for (const CommandDef& command : command_catalog())
      rows[std::string(command.name)] = command.summary;
    for (const Dialect& dialect : dialect_catalog()) {
      rows[std::string(dialect.name)] = dialect.summary;
    }
    print_rows(kind, rows, pattern);
  } else {
    const std::string near = nearest(kind, kinds);
    raise(Fault::usage, "there is no list of '{}'; {}", one_line(kind),
          near.empty() ? "try: " + join(kinds, ", ") : "nearest: " + near);
  }
  return 0;
}

}  // namespace

CommandDef list_command() {
  return {.name = "list",
          .summary = "show models, datasets, recipes, runs and other names",
          .usage =
              "list models|datasets|augmentations|optimizers|lr-schedules|recipes|ops|verbs|runs "
              "[PATTERN]",
          .details = R"(PATTERN is a part of the name, or all of it with * and ?.

  convoy list models 'cifar_resnet2*'
  convoy list recipes resnet50
  convoy list runs                       those below runs/, or below --output DIR
)",
          .words = "models datasets augmentations optimizers lr-schedules recipes ops verbs runs",
          .describe = describe_options<Options>,
          .run = run};
}

}  // namespace convoy
