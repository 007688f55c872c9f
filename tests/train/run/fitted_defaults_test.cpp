#include "train/run/fitted_defaults.h"

#include <gtest/gtest.h>

#include "config/config_file.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"
#include "train/run/run_config.h"

namespace convoy {
namespace {

struct Resolved {
  RunConfig config;
  std::vector<Field> fields;

  explicit Resolved(const Settings& settings) {
    Fields field(settings);
    config.describe(field);
    fields = field.all();
  }
  double rate() const { return config.lr.peak(config.step_shape().global_batch()); }
};

// A folder of `count` files that are named as pictures.
void write_files(const fs::path& folder, int count) {
  fs::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    test::write_bytes(folder / (std::to_string(i) + ".jpg"), "x");
  }
}

Settings typed(std::map<std::string, std::string> values) {
  Settings settings;
  for (const auto& [key, text] : values) settings[key] = {text, "command line"};
  return settings;
}

TEST(FittedDefaults, LeaveAnEpochItsSteps) {
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 0, 1), 128);  // not known
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 1000000, 1), 128);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 1024, 1), 128);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 1023, 1), 64);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 127, 1), 8);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 20, 1), 8);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 5, 1), 4);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 1, 1), 1);
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 1024, 4), 32);  // of each part
  EXPECT_EQ(fitted_batch(usual_of_classifiers, 10, 16), 1);
}

TEST(FittedDefaults, DetectorsHaveTheirOwn) {
  EXPECT_EQ(fitted_batch(usual_of_detectors, 0, 1), 32);
  EXPECT_EQ(fitted_batch(usual_of_detectors, 100, 1), 8);
  const Resolved scratch(typed({{"model", "ssd_tiny"}, {"dataset", "generated"}}));
  EXPECT_EQ(scratch.config.batch_size, 32);
  EXPECT_DOUBLE_EQ(scratch.rate(), 0.01);
  const Resolved trained(typed({{"model", "ssd_tiny"},
                                {"dataset", "generated"},
                                {"init-from", "weights.safetensors"},
                                {"batch-size", "16"}}));
  EXPECT_DOUBLE_EQ(trained.rate(), 0.0015);
}

TEST(FittedDefaults, ABatchThatIsTypedStands) {
  const test::TempFolder folder;
  write_files(folder / "train/cat", 60);
  write_files(folder / "train/dog", 40);
  const std::string dir = folder.path().string();
  const Resolved few(typed({{"data-dir", dir}}));
  EXPECT_EQ(few.config.batch_size, 8);
  EXPECT_DOUBLE_EQ(few.rate(), 0.1 * 8 / 128);
  ASSERT_EQ(few.config.fitted_defaults().size(), 2u);
  EXPECT_NE(few.config.fitted_defaults()[0].find("100 training pictures"), std::string::npos);
  const Resolved said(typed({{"data-dir", dir}, {"batch-size", "128"}}));
  EXPECT_EQ(said.config.batch_size, 128);
  EXPECT_DOUBLE_EQ(said.rate(), 0.1);
  EXPECT_TRUE(said.config.fitted_defaults().empty());
  const Resolved whole(typed({{"data-dir", dir}, {"global-batch-size", "64"}}));
  EXPECT_EQ(whole.config.step_shape().global_batch(), 64);
  EXPECT_DOUBLE_EQ(whole.rate(), 0.1);
}

TEST(FittedDefaults, WeightsThatWereTrainedMoveAtATenthOfTheRate) {
  const auto rate = [](std::map<std::string, std::string> values) {
    values.insert({{"dataset", "generated"}, {"init-from", "a.pth"}});
    return Resolved(typed(values)).rate();
  };
  EXPECT_DOUBLE_EQ(rate({}), 0.01);
  EXPECT_DOUBLE_EQ(rate({{"batch-size", "32"}}), 0.0025);
  EXPECT_DOUBLE_EQ(rate({{"batch-size", "32"}, {"replicas", "2"}}), 0.005);
  EXPECT_DOUBLE_EQ(rate({{"lr", "0.1"}}), 0.1);
  EXPECT_DOUBLE_EQ(rate({{"base-lr", "0.1"}, {"lr-batch", "256"}}), 0.05);
  // A recipe's goes before it too.
  Settings recipe = typed({{"dataset", "generated"}, {"init-from", "a.pth"}});
  recipe["lr"] = {"0.1", "configs/x.yml"};
  EXPECT_DOUBLE_EQ(Resolved(recipe).rate(), 0.1);
  EXPECT_TRUE(Resolved(recipe).config.fitted_defaults().empty());
}

TEST(FittedDefaults, ARecordHoldsThoughPicturesWereAdded) {
  const test::TempFolder folder;
  write_files(folder / "photos/train/cat", 100);
  const Resolved first(typed({{"data-dir", (folder / "photos").string()}, {"init-from", "a.pth"}}));
  EXPECT_EQ(first.config.batch_size, 8);
  write_files(folder / "photos/train/dog", 400);
  const std::string args = (folder / "args.yml").string();
  write_atomically(args, write_args(first.fields), Fault::bug);
  Fields known({});
  RunConfig::describe_all(known);
  const Resolved again(load_config(args, {}, known.all()));
  EXPECT_EQ(again.config.batch_size, 8);
  EXPECT_DOUBLE_EQ(again.rate(), first.rate());
  EXPECT_DOUBLE_EQ(again.rate(), 0.01 * 8 / 128);
}

}  // namespace
}  // namespace convoy
