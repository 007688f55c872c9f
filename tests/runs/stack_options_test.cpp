// Options that other stacks have: seeds of their own, a cap on the steps of an epoch, fewer samples
// in evaluation, an end at an accuracy.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

std::string weights(const Arguments& more) {
  TinyRun run(tiny(joined({"--epochs", "1"}, more)));
  run.whole();
  return weights_hash_of(run.dir());
}

TEST(StackOptionsRun, SeedsOfOrderAndAugmentationAreTheirOwn) {
  const Arguments flip{"--augment", "flip", "--seed", "5"};
  const std::string usual = weights(flip);
  EXPECT_EQ(
      weights(joined(flip, {"--shuffle-seed", "5", "--augment-seed", "5", "--crop-seed", "5"})),
      usual);
  const std::string shuffled = weights(joined(flip, {"--shuffle-seed", "6"}));
  const std::string flipped = weights(joined(flip, {"--augment-seed", "6"}));
  EXPECT_NE(shuffled, usual);
  EXPECT_NE(flipped, usual);
  EXPECT_NE(flipped, shuffled);
}

TEST(StackOptionsRun, TheSeedOfCropsIsItsOwn) {
  const TempFolder folder;
  for (const char* split : {"train", "val"}) {
    for (int number = 0; number < 8; ++number) {
      const fs::path place = folder.path() / "files" / split / (number % 2 ? "odd" : "even");
      fs::create_directories(place);
      write_bytes(place / (std::to_string(number) + ".jpg"), tiny_jpeg(number));
    }
  }
  const auto train = [&](const char* name, const Arguments& more) {
    const Finished end =
        run_convoy(joined({"train", "--data-dir", "files", "--model", "cifar_resnet8",
                           "--image-size", "16", "--batch-size", "8", "--epochs", "1", "--threads",
                           "1", "--quiet", "--augment", "none", "--name", name},
                          more),
                   folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    return weights_hash_of(folder.path() / "runs" / name);
  };
  const std::string usual = train("a", {});
  EXPECT_EQ(train("b", {"--crop-seed", "1"}), usual);
  EXPECT_NE(train("c", {"--crop-seed", "2"}), usual);
}

// As torchvision trains at 176 and evaluates at 224. Stand-alone evaluation sees the same images.
TEST(StackOptionsRun, EvaluationMayHaveLargerImages) {
  const TempFolder folder;
  for (const char* split : {"train", "val"}) {
    for (int number = 0; number < 8; ++number) {
      const fs::path place = folder.path() / "files" / split / (number % 2 ? "odd" : "even");
      fs::create_directories(place);
      write_bytes(place / (std::to_string(number) + ".jpg"), tiny_jpeg(number));
    }
  }
  const Finished end =
      run_convoy({"train", "--data-dir", "files", "--model", "cifar_resnet8", "--train-crop-size",
                  "16", "--val-crop-size", "24", "--batch-size", "8", "--epochs", "1", "--threads",
                  "1", "--quiet", "--name", "a"},
                 folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  const Finished alone = run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, folder.path());
  ASSERT_EQ(alone.code, 0) << alone.err;
  const Json json = Json::parse(alone.out);
  EXPECT_EQ(json["loss"], events(folder.path() / "runs/a", "eval").back()["loss"]);
}

TEST(StackOptionsRun, AnEpochHasNoMoreStepsThanAsked) {
  TinyRun run(tiny({"--epochs", "3", "--epoch-steps", "4", "--eval-samples", "7"}));
  run.whole();
  const auto evals = events(run.dir(), "eval");
  ASSERT_EQ(evals.size(), 3u);
  EXPECT_EQ(evals[0]["step"], 4);
  EXPECT_EQ(evals[2]["step"], 12);
  EXPECT_EQ(evals[2]["total"], 7);
}

TEST(StackOptionsRun, StopsAtAnAccuracy) {
  TinyRun run(tiny({"--epochs", "6", "--lr", "0", "--stop-at", "0.001"}));
  run.whole();
  EXPECT_EQ(events(run.dir(), "eval").size(), 1u);
  TinyRun other(tiny({"--epochs", "2", "--lr", "0", "--best-metric", "loss", "--stop-at", "1e-9"}));
  other.whole();
  EXPECT_EQ(events(other.dir(), "eval").size(), 2u);
}

}  // namespace
}  // namespace convoy::test
