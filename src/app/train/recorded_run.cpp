#include "app/train/recorded_run.h"

#include <algorithm>

#include "app/network/run_weights.h"
#include "config/config_file.h"
#include "train/checkpoint/load_weights.h"
#include "train/checkpoint/weights_metadata.h"

namespace convoy {

void describe_saved(Fields& field) {
  std::string config;
  bool verify = false;
  int kills = 5;
  describe_config(field, config);
  field("verify-resume", verify, "");
  field("verify-kills", kills, "");
  RunConfig::describe_all(field);
}

Settings saved_settings(const RunDir& dir, const std::vector<Field>& known) {
  Settings settings = reading_record(dir, [&] { return load_record(dir.args().string(), known); });
  const auto is_default = [](const auto& entry) { return entry.second.is_default(); };
  if (std::ranges::none_of(settings, is_default)) {
    raise(Fault::checkpoint,
          "{} does not tell which options were given ({}: [...]): it is of an older convoy, or was "
          "changed; try: the program that began this run",
          one_line(dir.args().string()), record_key);
  }
  return settings;
}

DescribedRun described_run(const Settings& settings, const std::vector<Field>& known) {
  Fields field(settings);
  std::string recipe;
  bool verify = false;
  int kills = 0;
  describe_config(field, recipe);
  field("verify-resume", verify, "");
  field("verify-kills", kills, "");
  RunConfig config;
  config.describe(field);
  field.finish(known);
  return {std::move(config), field.all()};
}

ClassNames trained_classes(const RunDir& dir) {
  std::vector<RunWeights> all;
  try {
    all = checkpoint_weights(dir.path(), WeightsKind::model);
  } catch (const Error&) {
    return {};
  }
  for (auto weights = all.rbegin(); weights != all.rend(); ++weights) {
    try {
      const WeightFile file = open_weights(weights->path);
      return told_class_names(file.metadata(), file.origin());
    } catch (const Error&) {  // the trainer will report it
    }
  }
  return {};
}

}  // namespace convoy
