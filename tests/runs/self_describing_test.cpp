// What weights say about themselves (docs/formats/weights.md), and that it is the same for equal
// recipes whatever the machine's part in them was.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/places.h"
#include "support/run_files.h"
#include "support/tiny_sets.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

TEST(SelfDescribingRun, TellsModelDataRecipeAndMoment) {
  const TinyRun run(tiny({"--epochs", "2", "--lr", "0.05", "--nesterov", "--ema-decay", "0.5",
                          "--checkpoint-steps", "24"}));
  run.whole();
  const auto said = [&](const std::string& file) {
    return SafetensorsFile::read(run.dir() / file).metadata();
  };
  const Metadata last = said("weights/last.safetensors");
  EXPECT_EQ(last.at("convoy.option.model"), "cifar_resnet8");
  EXPECT_EQ(last.at("convoy.option.mean"), "0.499");
  EXPECT_EQ(last.at("convoy.image"), "3x8x8");
  EXPECT_EQ(Json::parse(last.at("convoy.class-names")).at(9), "class 9");
  EXPECT_EQ(last.at("convoy.weights"), "model");
  EXPECT_EQ(last.at("convoy.step"), "32");
  EXPECT_EQ(last.at("convoy.epoch"), "2");
  const Json recipe = Json::parse(last.at("convoy.recipe"));
  EXPECT_EQ(recipe.at("lr"), "0.05");
  EXPECT_EQ(recipe.at("nesterov"), "true");
  EXPECT_EQ(recipe.at("ema-decay"), "0.5");
  for (const char* key : {"threads", "name", "quiet", "checkpoint-steps", "momentum"}) {
    EXPECT_FALSE(recipe.contains(key)) << key;
  }
  // top1 is that of the weights in the file, where the run evaluated them.
  for (const Json& event : test::events(run.dir(), "eval")) {
    const std::string folder = fmt::format("checkpoints/step-{:07}/", event.at("step").get<int>());
    const bool ema = event.at("ema");
    const Metadata about = said(folder + (ema ? "ema.safetensors" : "model.safetensors"));
    EXPECT_EQ(about.at("convoy.top1"), fmt::format("{}", event.at("top1").get<double>()));
    EXPECT_EQ(about.at("convoy.weights"), ema ? "ema" : "model");
  }
  EXPECT_EQ(said("checkpoints/step-0000024/model.safetensors").count("convoy.top1"), 0u);
  EXPECT_EQ(said("checkpoints/step-0000024/model.safetensors").at("convoy.epoch"), "1.5");
  // Every key is documented.
  const std::string page = read_file(test::source_dir() / "docs/formats/weights.md", Fault::bug);
  for (const auto& [key, value] : last) {
    const std::string documented = key.starts_with("convoy.option.") ? "convoy.option." : key;
    EXPECT_NE(page.find("`" + documented), std::string::npos) << key;
  }
}

TEST(SelfDescribingRun, EqualRecipesGiveEqualFiles) {
  const TinyRun one(tiny({"--epochs", "1", "--threads", "1"}));
  const TinyRun two(tiny({"--epochs", "1", "--threads", "2", "--workers", "2", "--log-steps", "3",
                          "--eval-batch-size", "7"}));
  one.whole();
  two.whole();
  for (const char* file : {"weights/last.safetensors", "weights/best.safetensors",
                           "checkpoints/last/model.safetensors"}) {
    EXPECT_EQ(read_file(one.dir() / file, Fault::bug), read_file(two.dir() / file, Fault::bug))
        << file;
  }
}

// What was lost with a killed process comes back from the checkpoint, top1 of the last step too.
TEST(SelfDescribingRun, ARunThatOnlyLacksItsLastFileWritesTheSame) {
  const TinyRun run(tiny({"--epochs", "1", "--ema-decay", "0.5"}));
  run.whole();
  const fs::path last = run.dir() / "weights/last.safetensors";
  const std::string before = read_file(last, Fault::bug);
  fs::remove(last);
  // As after a kill between the last checkpoint and the end.
  const fs::path metrics = run.dir() / "metrics.jsonl";
  const std::string text = read_file(metrics, Fault::bug);
  test::write_bytes(metrics, text.substr(0, text.rfind("\n{") + 1));
  const Finished end = test::run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(read_file(last, Fault::bug), before);
}

TEST(SelfDescribingRun, ClassNamesAreThoseOfTheDataset) {
  const test::TempFolder folder;
  fs::create_directory(folder / "data");
  test::write_fashion(folder / "data", "train", 40, false);
  test::write_fashion(folder / "data", "t10k", 20, false);
  const Finished end =
      test::run_convoy({"train", "--model", "cifar_resnet8", "--dataset", "fashion-mnist",
                        "--data-dir", "data", "--batch-size", "8", "--max-steps", "2",
                        "--normalise", "standardise", "--name", "a", "--quiet"},
                       folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  const Metadata last =
      SafetensorsFile::read(folder / "runs/a/weights/last.safetensors").metadata();
  EXPECT_EQ(Json::parse(last.at("convoy.class-names")).at(9), "Ankle boot");
  EXPECT_EQ(last.at("convoy.image"), "1x28x28");
  EXPECT_EQ(last.at("convoy.option.normalise"), "standardise");
  EXPECT_EQ(last.count("convoy.option.mean"), 0u);
  for (const auto& [key, value] : last) {
    EXPECT_EQ(value.find(folder.path().string()), std::string::npos) << key;
  }
  const Finished told = test::run_convoy(
      {"predict", "--checkpoint", "runs/a", "--data-dir", "data", "--first", "1", "--top", "10"},
      folder.path());
  EXPECT_NE(told.out.find("Ankle boot"), std::string::npos) << told.err;
}

}  // namespace
}  // namespace convoy
