// What a run resolved is what its record gives back: swept over every option that a run declares
// and every value that is a default of it with some model, optimiser, schedule or dataset. An
// option that is added is swept too.

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "base/error.h"
#include "boxes/default_boxes.h"
#include "config/config_file.h"
#include "models/model.h"
#include "support/run_files.h"
#include "train/run/run_config.h"

namespace convoy::test {
namespace {

using Typed = std::map<std::string, std::string>;

// What decides about the defaults of others: each alone. Of models one for each set of defaults.
std::vector<Typed> contexts() {
  std::vector<Typed> all{{}};
  std::set<std::pair<float, int>> seen;
  for (const ModelDef& family : model_catalog()) {
    for (const Variant& variant : family.variants) {
      if (seen.emplace(variant.bn_momentum, family.image_size).second) {
        all.push_back({{"model", std::string(variant.name)}});
      }
    }
  }
  for (const OptimizerDef& def : optimizer_catalog()) {
    all.push_back({{"optimizer", std::string(def.name)}});
  }
  for (const ScheduleDef& def : schedule_catalog()) {
    all.push_back({{"lr-schedule", std::string(def.name)}});
    if (def.epoch_name.empty()) continue;
    all.push_back({{"lr-schedule", std::string(def.epoch_name)}, {"warmup-epochs", "1"}});
  }
  for (const DatasetDef& def : dataset_catalog()) {
    all.push_back({{"dataset", std::string(def.name)}});
  }
  return all;
}

const std::vector<Field>& known() {
  static const std::vector<Field> all = [] {
    Fields fields({});
    RunConfig::describe_all(fields);
    return fields.all();
  }();
  return all;
}

std::vector<Field> resolved(const Settings& settings) {
  Fields field(settings);
  RunConfig config;
  config.describe(field);
  field.finish(known());
  return field.all();
}

Settings settings_of(const Typed& typed) {
  Settings settings;
  for (const auto& [key, text] : typed) settings[key] = {text, "command line"};
  return settings;
}

// key = value, whether given: of every option.
std::string as_text(const std::vector<Field>& fields) {
  std::string text;
  for (const Field& field : fields) {
    text += field.key + " = " + field.value.text + (field.value.is_default() ? "\n" : " given\n");
  }
  return text;
}

struct Pair {
  Typed typed;  // context and the one option
  std::string key;
  bool is_declared_default;  // but another one holds in this context
};

std::vector<Pair> pairs() {
  std::map<std::string, std::set<std::string>> defaults;
  for (const Field& field : known()) defaults[field.key].insert(field.default_text);
  std::vector<std::pair<Typed, std::vector<Field>>> all;
  for (const Typed& context : contexts()) {
    all.emplace_back(context, resolved(settings_of(context)));
    for (const Field& field : all.back().second) defaults[field.key].insert(field.default_text);
  }
  std::vector<Pair> found;
  for (const auto& [context, fields] : all) {
    for (const Field& field : fields) {
      if (context.contains(field.key)) continue;
      for (const std::string& value : defaults[field.key]) {
        Typed typed = context;
        typed[field.key] = value;
        const bool is_declared = value == find_field(known(), field.key)->default_text;
        found.push_back({typed, field.key, is_declared && value != field.default_text});
      }
    }
  }
  return found;
}

std::string told(const Typed& typed) {
  std::string text;
  for (const auto& [key, value] : typed) text += "--" + key + " " + value + " ";
  return text;
}

TEST(RecordCatalog, ResolvesToWhatItRecordsForEveryOptionAtEveryDefault) {
  const TempFolder folder;
  const std::string args = (folder.path() / "args.yml").string();
  int same = 0, refused = 0, differing_defaults = 0;
  for (const Pair& pair : pairs()) {
    std::vector<Field> first;
    try {
      first = resolved(settings_of(pair.typed));
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage) << told(pair.typed);
      ++refused;
      continue;
    }
    write_atomically(args, write_args(first), Fault::bug);
    const std::vector<Field> again = resolved(load_config(args, {}, known()));
    ASSERT_EQ(as_text(again), as_text(first)) << told(pair.typed);
    // And the record of the record.
    write_atomically(args, write_args(again), Fault::bug);
    ASSERT_EQ(as_text(resolved(load_config(args, {}, known()))), as_text(first));
    ++same;
    differing_defaults += pair.is_declared_default;
  }
  std::printf("%d pairs of option and value the same, %d refused, %d at a default of elsewhere\n",
              same, refused, differing_defaults);
  EXPECT_GT(same, 1000);
  EXPECT_GT(differing_defaults, 1);
}

const Typed short_run{
    {"dataset", "generated"}, {"generated-samples", "64"}, {"generated-classes", "4"},
    {"batch-size", "8"},      {"eval-batch-size", "8"},    {"max-steps", "2"},
    {"epochs", "0"},          {"checkpoint-steps", "1"},   {"eval-epochs", "0"},
    {"image-size", "32"}};

// Stopped after the first of two steps, as a kill leaves it, and resumed.
void expect_resumes_to_the_same(const Typed& typed) {
  Typed all = short_run;
  for (const auto& [key, value] : typed) all[key] = value;
  if (!all.contains("model")) all["model"] = "cifar_resnet8";
  // Maps of default boxes need images of some size.
  if (const FoundModel model = find_model(all["model"]); model.variant.boxes) {
    all["image-size"] = std::to_string(model.image_size());
    all["batch-size"] = "1";
  }
  Arguments recipe;
  for (const auto& [key, value] : all) recipe = joined(recipe, {"--set", key + "=" + value});
  const TinyRun whole(recipe), pieces(recipe);
  for (const TinyRun* run : {&whole, &pieces}) {
    const Finished end = run_convoy(run->train(), run->folder());
    ASSERT_EQ(end.code, 0) << told(typed) << end.err;
  }
  pieces.take_back_the_last_step();
  const Finished end = run_convoy(TinyRun::resume(), pieces.folder());
  ASSERT_EQ(end.code, 0) << told(typed) << end.err;
  EXPECT_EQ(weights_hash_of(pieces.dir()), weights_hash_of(whole.dir())) << told(typed);
  // A new run from the record is the same run again.
  const Finished again =
      run_convoy({"train", "--config", "runs/a/args.yml", "--name", "b", "-q"}, pieces.folder());
  ASSERT_EQ(again.code, 0) << told(typed) << again.err;
  EXPECT_EQ(weights_hash_of(pieces.folder() / "runs/b"), weights_hash_of(whole.dir()))
      << told(typed);
}

// What a run on generated data cannot do, or what takes it elsewhere.
bool can_train(const Typed& typed) {
  for (const char* key : {"output", "name", "dump", "data-dir"}) {
    if (typed.contains(key)) return false;
  }
  for (const auto& [key, value] : short_run) {
    if (typed.contains(key)) return false;
  }
  Typed all = typed;
  all.insert(short_run.begin(), short_run.end());
  try {
    resolved(settings_of(all));
  } catch (const Error&) {
    return false;
  }
  return true;
}

TEST(RecordRun, IsResumedToTheSameWeightsAtDefaultsOfElsewhere) {
  int runs = 0;
  for (const Pair& pair : pairs()) {
    if (!pair.is_declared_default || !can_train(pair.typed)) continue;
    expect_resumes_to_the_same(pair.typed);
    ++runs;
  }
  EXPECT_GE(runs, 2);
}

TEST(RecordRun, IsResumedToTheSameWeightsForTwentyOptionsDrawn) {
  std::vector<Pair> all = pairs();
  std::mt19937 random(20);
  int runs = 0;
  while (runs < 20) {
    const Pair& pair = all[random() % all.size()];
    if (!can_train(pair.typed)) continue;
    expect_resumes_to_the_same(pair.typed);
    ++runs;
  }
}

}  // namespace
}  // namespace convoy::test
