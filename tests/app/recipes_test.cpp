// What comes with the program must be usable: every recipe of configs/ resolves without a key that
// nobody reads, and what datasets say about themselves fits together.

#include <gtest/gtest.h>

#include <set>

#include "config/config_file.h"
#include "models/model.h"
#include "train/run_config.h"

namespace convoy::test {
namespace {

const std::vector<std::string> folders{std::string(CONVOY_SOURCE_DIR) + "/configs"};

class RecipesCatalog : public testing::TestWithParam<std::string> {};

TEST_P(RecipesCatalog, ResolvesWithoutUnknownKeys) {
  Fields all({});
  RunConfig::describe_all(all);
  Fields field(load_config(GetParam(), folders, all.all()));
  RunConfig config;
  config.describe(field);
  field.finish(all.all());
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
