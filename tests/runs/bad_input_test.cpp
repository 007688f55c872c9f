// Bad input: one line that says what, where and what to try, the right exit code, and nothing lost
// or left behind.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/files/file.h"
#include "support/run_files.h"
#include "support/small_disk.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::tiny;
using test::TinyRun;

// `convoy ARGUMENTS` must leave with `code` and exactly one line that holds all of `parts`.
void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& parts,
                    const fs::path& folder) {
  const Finished end = test::run_convoy(arguments, folder);
  const std::string what = testing::PrintToString(arguments);
  EXPECT_EQ(end.code, code) << what << "\n" << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << what << "\n" << end.err;
  EXPECT_TRUE(end.err.starts_with("convoy: error: ")) << end.err;
  for (const std::string& part : parts) {
    EXPECT_NE(end.err.find(part), std::string::npos)
        << what << "\nlacks '" << part << "': " << end.err;
  }
  EXPECT_TRUE(!fs::exists(folder / "runs") || fs::is_empty(folder / "runs"))
      << what << " left a run directory behind";
}

TEST(BadInput, NamesTheNearestOptionKeyModelAndDataset) {
  const test::TempFolder folder;
  expect_refused({"train", "--batch-sise", "8"}, 2, {"batch-sise", "batch-size"}, folder.path());
  expect_refused({"train", "--set", "epoch=3"}, 2, {"epoch", "epochs"}, folder.path());
  expect_refused({"train", "--model", "cifar_resnet21"}, 2, {"cifar_resnet21", "cifar_resnet20"},
                 folder.path());
  expect_refused({"train", "--dataset", "fashion-minst"}, 2, {"fashion-minst", "fashion-mnist"},
                 folder.path());
  expect_refused({"train", "--optimizer", "adamm"}, 2, {"optimizer", "sgd"}, folder.path());
  expect_refused({"trian"}, 2, {"trian", "train"}, folder.path());
  expect_refused({"train", "--lr", "fast"}, 2, {"lr", "fast"}, folder.path());
  expect_refused({"train", "--momentum", "1.5"}, 2, {"momentum", "1.5"}, folder.path());
  expect_refused({"train", "--config", "cifar10/resnet2"}, 2, {"cifar10/resnet2"}, folder.path());
}

TEST(BadInput, AnUnknownKeyInARecipeIsNamedWithFileAndLine) {
  const test::TempFolder folder;
  std::ofstream(folder / "mine.yml") << "model: cifar_resnet8\nlearningrate: 0.1\n";
  expect_refused({"train", "--config", "mine.yml"}, 2,
                 {"mine.yml:2", "learningrate", "learning-rate"}, folder.path());
}

TEST(BadInput, FineTuningThatMakesNoSenseIsRefused) {
  const test::TempFolder folder;
  const auto refused = [&](const Arguments& more, const std::vector<std::string>& parts) {
    expect_refused(joined({"train"}, tiny(more)), 2, parts, folder.path());
  };
  refused({"--freeze", "layr1"}, {"layr1", "try: layer1"});
  refused({"--freeze", "zzzzzzzzz"}, {"zzzzzzzzz", "all-but-head", "layer1, layer2"});
  refused({"--train-only", "layer9"}, {"--train-only", "layer9", "try: layer"});
  refused({"--train-only", "fc", "--freeze", "layer1"}, {"--freeze", "--train-only", "one of"});
  refused({"--freeze", "all-but-head,fc"}, {"nothing to train", "all-but-head"});
  refused({"--class-weights", "1,2,3"}, {"3 numbers", "10 classes", "balanced"});
  refused({"--class-weights", "blanced"}, {"blanced", "balanced"});
  refused({"--patience", "3", "--eval-epochs", "0"}, {"--patience", "--eval-epochs"});
  refused({"--mixup-alpha", "0.2", "--best-metric", "train-top1"}, {"train-top1", "try:"});
  refused({"--mixup-alpha", "0.2", "--class-weights", "balanced"}, {"--class-weights", "mixup"});
  refused({"--best-metric", "loss", "--eval-epochs", "0"}, {"--best-metric", "--eval-epochs 1"});
  refused({"--verify-resume", "--max-hours", "1"}, {"--max-hours", "--max-steps"});
  refused({"--clip-grad-norm", "1", "--clip-grad-value", "1"},
          {"--clip-grad-norm", "--clip-grad-value"});
}

TEST(BadInput, CombinationsThatMakeNoSenseAreRefused) {
  const test::TempFolder folder;
  const auto refused = [&](const Arguments& options, const std::vector<std::string>& parts) {
    expect_refused(joined({"train", "--dataset", "generated"}, options), 2, parts, folder.path());
  };
  refused({"--global-batch-size", "100", "--replicas", "3"}, {"global-batch-size", "102"});
  refused({"--global-batch-size", "128", "--batch-size", "32", "--replicas", "2"}, {"32", "128"});
  refused({"--replica-mode", "together", "--replicas", "2", "--gradient-accumulation-count", "2"},
          {"together", "sequence"});
  refused({"--epoch-tail", "short", "--replicas", "2"}, {"epoch-tail", "carry"});
  refused({"--epochs", "0"}, {"epochs", "max-steps"});
  refused({"--ema-steps", "4"}, {"ema-steps", "ema-decay"});
  refused({"--dump", "no_such_pass"}, {"no_such_pass", "add_gradients"});
  refused({"--without", "plan_memory"}, {"plan_memory"});
  refused({"--num-classes", "3"}, {"num-classes", "10"});
  refused({"--generated-samples", "64", "--batch-size", "100"}, {"64", "100"});
  refused({"--ra-reps", "4"}, {"ra-reps", "ra-sampler"});
  refused({"--ra-sampler", "--generated-samples", "200"}, {"--ra-sampler", "200", "without it"});
  refused({"--single-l2-loss-op", "--weight-decay-form", "square"},
          {"--single-l2-loss-op", "without --weight-decay-form"});
  refused({"--lr-schedule", "constant", "--learning-rate-decay", "0.5"}, {"learning-rate-decay"});
  refused({"--lr", "0.1", "--base-lr", "0.1", "--lr-batch", "256"}, {"lr", "base-lr", "peak"});
  refused({"--base-lr", "0.1"}, {"base-lr", "--lr-batch 256"});
  refused({"--lr-scheduler", "cosineannealing"}, {"cosineannealing", "cosineannealinglr"});
  refused({"--iterations", "100", "--epochs", "3"}, {"--iterations 100", "--epochs 3"});
}

// Used or refused: an option that would change nothing beside the others.
TEST(BadInput, OptionsThatChangeNothingInTheirContextAreRefused) {
  const test::TempFolder folder;
  const auto refused = [&](const Arguments& options, const std::string& key) {
    expect_refused(joined({"train", "--dataset", "generated"}, options), 2,
                   {key, "does nothing without", "try: without it"}, folder.path());
  };
  refused({"--nesterov", "--momentum", "0"}, "nesterov");
  refused({"--optimizer", "keras-sgd", "--nesterov", "--momentum", "0"}, "nesterov");
  refused({"--label-smoothing-kind", "others"}, "label-smoothing-kind");
  refused({"--label-smoothing-kind", "uniform"}, "label-smoothing-kind");
  refused({"--sync-bn"}, "sync-bn");
  refused({"--bn-update", "step"}, "bn-update");
  refused({"--bn-update", "step", "--replicas", "4"}, "bn-update");
  refused({"--freeze-statistics", "none"}, "freeze-statistics");
  refused({"--decay-norm-bias", "--weight-decay", "0"}, "decay-norm-bias");
  refused({"--weight-decay-form", "square", "--weight-decay", "0"}, "weight-decay-form");
  refused({"--eval-epochs", "0", "--eval-epochs-offset", "1"}, "eval-epochs-offset");
  refused({"--checkpoint-epochs", "0", "--ckpt-epochs-offset", "1"}, "checkpoint-epochs-offset");
  refused({"--normalise-first", "--augment", "none"}, "normalise-first");
  const Arguments without_batch_norm[] = {{"--model", "graphcore_resnet14"},
                                          {"--model", "squeezenet1_0"},
                                          {"--model", "cifar_resnet8", "--norm", "group"}};
  for (const Arguments& network : without_batch_norm) {
    const Arguments several = joined(network, {"--replicas", "4"});
    refused(joined(several, {"--BN-span", "2"}), "bn-span");
    refused(joined(several, {"--sync-bn"}), "sync-bn");
    refused(joined(network, {"--bn-momentum", "0.2"}), "bn-momentum");
    refused(joined(network, {"--bn-update", "step", "--gradient-accumulation-count", "2"}),
            "bn-update");
    refused(joined(network, {"--freeze-statistics", "all"}), "freeze-statistics");
  }
}

// What says only what is so anyway is no mistake, nor is what a recipe had a use for.
TEST(BadInput, FlagsThatAreOffAndRecipesBesideTypedOptionsAreNoMistake) {
  const test::TempFolder folder;
  std::ofstream(folder / "r.yml") << "model: cifar_resnet8\ndataset: generated\n"
                                     "generated-samples: 64\nbatch-size: 8\nmax-steps: 1\n"
                                     "gradient-accumulation-count: 2\nbn-update: step\n"
                                     "replicas: 2\nsync-bn: true\nnesterov: true\n"
                                     "eval-epochs: 0\n";
  for (const Arguments& more : {Arguments{},
                                {"--gradient-accumulation-count", "1"},
                                {"--replicas", "1"},
                                {"--momentum", "0"},
                                {"--norm", "group"},
                                {"--no-nesterov", "--momentum", "0"}}) {
    const Finished end =
        test::run_convoy(joined({"train", "--config", "r.yml", "--quiet"}, more), folder.path());
    EXPECT_EQ(end.code, 0) << testing::PrintToString(more) << end.err;
  }
}

TEST(BadInput, DatasetFilesThatAreMissingCutOrSomethingElse) {
  const test::TempFolder folder;
  const auto refused = [&](const std::vector<std::string>& parts) {
    expect_refused(
        {"train", "--model", "cifar_resnet8", "--dataset", "cifar-10", "--data-dir", "data"}, 3,
        parts, folder.path());
  };
  refused({"data"});
  fs::create_directories(folder / "data");
  refused({"data_batch_1.bin"});
  for (int i = 1; i <= 5; ++i) {
    std::ofstream(folder.path() / "data" / fmt::format("data_batch_{}.bin", i))
        << std::string(2 * 3073, '\0');
  }
  refused({"test_batch.bin"});
  std::ofstream(folder / "data/test_batch.bin") << std::string(3073 + 17, '\0');
  refused({"test_batch.bin", "3090"});
  std::ofstream(folder / "data/test_batch.bin") << std::string(3073, '\x0b');
  refused({"test_batch.bin", "label"});

  fs::create_directories(folder / "mnist");
  for (const char* name : {"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                           "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
    std::ofstream(folder.path() / "mnist" / name) << "this is no IDX file, but it is long enough";
  }
  expect_refused(
      {"train", "--model", "cifar_resnet8", "--dataset", "fashion-mnist", "--data-dir", "mnist"}, 3,
      {"mnist", "idx"}, folder.path());
}

TEST(BadInput, AnOutputThatCannotBeWritten) {
  const test::TempFolder folder;
  std::ofstream(folder / "file") << "not a folder";
  expect_refused(joined({"train", "--output", "file/runs"}, tiny()), 2, {"file/runs"},
                 folder.path());
}

TEST(BadInput, WhatIsNoRunOrNoWeights) {
  const test::TempFolder folder;
  fs::create_directories(folder / "empty");
  std::ofstream(folder / "broken.safetensors") << "\xff\xff\xff\xff\xff\xff\xff\x7f{}";
  expect_refused({"resume", "nowhere"}, 4, {"nowhere"}, folder.path());
  expect_refused({"resume", "empty"}, 4, {"empty"}, folder.path());
  expect_refused({"eval", "--checkpoint", "nowhere"}, 4, {"nowhere"}, folder.path());
  expect_refused({"eval", "--checkpoint", "broken.safetensors"}, 4, {"broken.safetensors"},
                 folder.path());
  expect_refused({"eval"}, 2, {"--checkpoint"}, folder.path());
}

TEST(BadInput, WeightsOfAnotherArchitecture) {
  const TinyRun run(tiny({"--max-steps", "1"}));
  run.whole();
  const Finished end = test::run_convoy(
      {"eval", "--checkpoint", "runs/a/weights/last.safetensors", "--model", "cifar_resnet14"},
      run.folder());
  EXPECT_EQ(end.code, 4) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
}

TEST(BadInput, ALossThatIsNoNumberEndsTheRunWithFive) {
  const TinyRun run(tiny({"--lr", "1e20", "--epochs", "2", "--checkpoint-steps", "1"}));
  const Finished end = test::run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 5) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_NE(end.err.find("--lr"), std::string::npos) << end.err;
  EXPECT_EQ(test::events(run.dir(), "nonfinite").size(), 1u);
}

TEST(BadInput, AFullDiskEndsTheRunWithSixAndKeepsTheLastCheckpoint) {
  const test::SmallDisk disk(8000);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  const fs::path& folder = disk.path();
  const Finished end = test::run_convoy(
      joined(
          {"train", "--name", "a", "--quiet", "--checkpoint-steps", "1", "--checkpoint-keep", "50"},
          tiny({"--max-steps", "40", "--epochs", "10"})),
      folder);
  EXPECT_EQ(end.code, 6) << end.err;
  EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  const std::vector<int64_t> steps = test::checkpoint_steps(folder / "runs/a");
  ASSERT_FALSE(steps.empty());
  const Finished info = test::run_convoy({"info", "runs/a/checkpoints/last"}, folder);
  EXPECT_EQ(info.code, 0) << info.err;
}

}  // namespace
}  // namespace convoy
