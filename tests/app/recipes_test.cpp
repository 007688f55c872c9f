// What comes with the program must be usable: every recipe of configs/ resolves without a key that
// no code reads, and what datasets say about themselves fits together.

#include <gtest/gtest.h>

#include <set>

#include "app/network/model_facts.h"
#include "base/files/file.h"
#include "config/config_file.h"
#include "models/model.h"
#include "support/places.h"
#include "train/run/run_config.h"

namespace convoy::test {
namespace {

const std::vector<std::string> folders{(source_dir() / "configs").string()};

const std::vector<Field>& known() {
  static const std::vector<Field> all = [] {
    Fields fields({});
    RunConfig::describe_all(fields);
    return fields.all();
  }();
  return all;
}

class RecipesCatalog : public testing::TestWithParam<std::string> {};

TEST_P(RecipesCatalog, ResolvesWithoutUnknownKeys) {
  Fields field(load_config(GetParam(), folders, known()));
  RunConfig config;
  config.describe(field);
  field.finish(known());
  const ModelDef& family = find_model(config.model).family;
  const DatasetDef& data = config.data.def();
  EXPECT_GT(config.epochs, 0);
  EXPECT_GE(config.step_shape().global_batch(), 1);
  // The images of the dataset, as far as they are known without its files.
  const auto channels = int64_t(std::max<size_t>(data.mean.size(), 1));
  const Shape image{channels, family.image_size, family.image_size};
  config.data.chain(image, true);
  config.data.chain(image, false);
  const int64_t batch = config.step_shape().global_batch();
  const double rate =
      config.lr.at(0, {.total_steps = 1000, .steps_per_epoch = 100, .global_batch = batch});
  EXPECT_TRUE(rate >= 0 && rate <= config.lr.peak(batch));
  // A recipe says what it is of: `convoy list recipes` and a run without further options need it.
  EXPECT_TRUE(field.given("model") && field.given("dataset") && field.given("epochs"));
}

// Its head tells where it is from, what it should give, and what it costs: forward and twice as
// much backward for every image of every epoch, as `plan` counts, to two digits.
TEST_P(RecipesCatalog, TellsSourceResultAndCost) {
  const std::string text = read_file(folders.front() + "/" + GetParam() + ".yml", Fault::bug);
  const std::string head = text.substr(0, text.find("\n\n"));
  EXPECT_NE(head.find("Source: "), std::string::npos);
  EXPECT_NE(head.find("Expected: "), std::string::npos);
  const std::string word = "Cost: ";
  const size_t found = head.find(word);
  ASSERT_NE(found, std::string::npos);
  Fields field(load_config(GetParam(), folders, known()));
  RunConfig config;
  config.describe(field);
  // Of recipes for one's own pictures.
  if (head.substr(found).starts_with(word + "depends on the pictures")) return;
  const FoundModel model = find_model(config.model);
  const ModelFacts facts =
      model_facts(model, config.num_classes ? config.num_classes : model.classes(),
                  config.data.image_size, config.model_options);
  const double images = config.epochs * static_cast<double>(config.data.def().published.train);
  const double cost = 6 * facts.multiply_adds * images;
  std::string number;
  for (size_t i = found + word.size(); i < head.size() && head[i] != ' '; ++i) {
    if (head[i] != ',') number += head[i];
  }
  EXPECT_NEAR(std::stod(number) * 1e15 / cost, 1, 0.05) << "Cost: " << cost / 1e15;
  EXPECT_NE(head.find(" x 10^15 operations", found), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, RecipesCatalog, testing::ValuesIn(list_recipes(folders)),
                         [](const auto& given) {
                           std::string label = given.param;
                           for (char& c : label) c = std::isalnum(c) ? c : '_';
                           return label;
                         });

TEST(DatasetsCatalog, SayEverythingThatTrainingNeeds) {
  std::set<std::string_view> seen, augmentations;
  for (const AugmentDef& def : augment_catalog()) {
    EXPECT_TRUE(augmentations.insert(def.name).second) << def.name;
    EXPECT_FALSE(def.help.empty()) << def.name;
  }
  for (const DatasetDef& def : dataset_catalog()) {
    EXPECT_TRUE(seen.insert(def.name).second) << def.name;
    EXPECT_FALSE(def.help.empty()) << def.name;
    EXPECT_TRUE(def.open != nullptr) << def.name;
    EXPECT_EQ(&find_dataset(def.name), &def);
    EXPECT_TRUE(!def.mean.empty() && def.mean.size() == def.std.size()) << def.name;
    for (const double s : def.std) EXPECT_GT(s, 0) << def.name;
    for (const std::string& augment : def.augment) {
      EXPECT_TRUE(augmentations.contains(augment)) << def.name << ": " << augment;
    }
    const Settings settings{{"dataset", {std::string(def.name), "test"}}};
    Fields field(settings);
    RunConfig config;
    config.describe(field);
    field.finish();
    EXPECT_EQ(&config.data.def(), &def);
  }
}

}  // namespace
}  // namespace convoy::test
