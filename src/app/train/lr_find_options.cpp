#include "app/train/lr_find_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <set>

#include "app/options.h"
#include "base/error.h"
#include "base/text/text.h"
#include "config/value.h"
#include "train/schedules/schedule.h"

namespace convoy {
namespace {

constexpr std::array own{"min-lr", "max-lr", "find-steps", "smooth", "output"};
constexpr std::array length{"epochs", "max-steps", "patience", "max-hours"};
constexpr std::array kept{
    "eval-epochs",       "eval-batch-size", "ema-decay",    "ema-steps", "checkpoint-steps",
    "checkpoint-epochs", "checkpoint-keep", "log-steps",    "name",      "dump",
    "time-passes",       "bucket-mb",       "stall-timeout"};

template <class Keys>
bool holds(const Keys& keys, const std::string& key) {
  return std::ranges::find(keys, key) != std::ranges::end(keys);
}

// The keys of all options of all schedules.
std::set<std::string> rate_keys() {
  Fields field({});
  LearningRate().describe(field);
  for (const ScheduleDef& def : schedule_catalog()) def.make(field);
  std::set<std::string> keys;
  for (const Field& one : field.all()) keys.insert(one.key);
  return keys;
}

const std::string& key_of(const std::vector<Field>& known, const std::string& typed) {
  const Field* field = find_field(known, typed);
  return field ? field->key : typed;
}

}  // namespace

void LrFindOptions::describe(Fields& field) {
  describe_config(field, config);
  field("min-lr", low, "the rate of the first step", at_least(1e-30), {"lr-min"});
  field("max-lr", high, "the rate of the last step", at_least(1e-30), {"lr-max"});
  field("find-steps", steps, "steps from the one to the other", at_least(20));
  field("smooth", smooth, "how much of the old mean of losses stays when a new loss joins it",
        between(0, 0.999));
  field("output", output, "folder for lr-find.png and lr-find.csv");
  if (low >= high) {
    raise(Fault::usage, "--min-lr {:g} is not below --max-lr {:g}; try: --max-lr {:g}", low, high,
          1000 * low);
  }
}

Settings lr_find_settings(const CommandLine& line, const std::vector<Field>& known) {
  const std::set<std::string> rates = rate_keys();
  Settings settings;
  for (const auto& [typed, setting] : resolve(line, known)) {
    const std::string& key = key_of(known, typed);
    const bool is_typed = line.settings.contains(typed);
    const bool is_own = holds(own, key);
    if (is_own ? !is_typed : holds(rates, key) || holds(length, key) || holds(kept, key)) {
      if (!is_typed) continue;
      raise(Fault::usage, "--{} means nothing here: {}; try: {}", key,
            holds(rates, key)    ? "lr-find sets the rate itself, from --min-lr to --max-lr"
            : holds(length, key) ? "lr-find goes from --min-lr to --max-lr in --find-steps steps"
                                 : "lr-find evaluates nothing and keeps no run",
            holds(length, key) ? "--find-steps 100" : "without it");
    }
    settings[key] = setting;
  }
  // The data must last for all steps.
  settings["epochs"] = {"0", "default"};
  settings["eval-epochs"] = {"0", "default"};
  const auto steps = settings.find("find-steps");
  settings["max-steps"] = {
      steps == settings.end() ? format_value(LrFindOptions().steps) : steps->second.text,
      "default"};
  return settings;
}

std::string train_line(const CommandLine& line, const std::vector<Field>& known, double rate,
                       int64_t global_batch) {
  std::string text = "convoy train";
  for (const auto& [key, setting] : line.settings) {
    const Field* field = find_field(known, key);
    if (holds(own, key)) continue;
    if (field && field->type == "bool") {
      bool value = false;
      parse_value(setting.text, value);
      text += (value ? " --" : " --no-") + key;
      continue;
    }
    const bool repeats = field && field->limits.repeats;
    for (const std::string& part :
         repeats ? split(setting.text, '\n') : std::vector<std::string>{setting.text}) {
      text += " --" + key + " " + in_shell(part);
    }
  }
  const Settings all = resolve(line, known);
  const auto number = [&](const char* wanted) {
    double value = 0;
    for (const auto& [key, setting] : all) {
      if (key_of(known, key) == wanted) parse_value(setting.text, value);
    }
    return value;
  };
  // If the recipe scales its peak with the batch, a plain rate would be refused.
  const double batch = number("lr-batch");
  if (number("base-lr") > 0 && batch > 0) {
    return text +
           fmt::format(" --base-lr {:.3g}", rate * batch / static_cast<double>(global_batch));
  }
  if (number("base-learning-rate-exponent") < 0) text += " --base-learning-rate-exponent 0";
  return text + fmt::format(" --lr {:.2g}", rate);
}

}  // namespace convoy
