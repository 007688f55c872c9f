// The recipe alone fixes the result: not threads, not how replicas are run, not the loader, not how
// evaluation is cut. Bits, not digits.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "tensor/isa.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::tiny;
using test::TinyRun;

// As printed at the end.
std::string weights_of(const Arguments& recipe) {
  const TinyRun run(recipe);
  const Finished end = test::run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 0) << end.err;
  return test::lines_of(end.out).back();
}

// Every one of the variants gives what the recipe alone gives.
void expect_same_weights(const Arguments& recipe, const std::vector<Arguments>& variants) {
  const std::string expected = weights_of(recipe);
  EXPECT_TRUE(expected.starts_with("weights ")) << expected;
  for (const Arguments& variant : variants) {
    EXPECT_EQ(weights_of(joined(recipe, variant)), expected) << testing::PrintToString(variant);
  }
}

const std::vector<Arguments> threads{{"--threads", "2"}, {"--threads", "3"}, {"--threads", "8"}};

// Full-sized images, three steps: different enough weights in every layer.
Arguments real_sized(const std::string& model, const std::string& steps, const Arguments& more) {
  return joined({"--dataset", "generated", "--generated-samples", "96", "--model", model,
                 "--max-steps", steps, "--eval-batch-size", "32"},
                more);
}

TEST(Determinism, ThreadsChangeNoBitOfResnet20) {
  const Arguments recipe = real_sized("cifar_resnet20", "3", {"--batch-size", "32"});
  expect_same_weights(joined(recipe, {"--isa", std::string(name(isa_level()))}),
                      {{"--threads", "1"}, threads[0], threads[1], threads[2]});
}

TEST(Determinism, ThreadsChangeNoBitOfABottleneckNetWithProjections) {
  expect_same_weights(real_sized("cifar_resnet11_bottleneck", "3", {"--batch-size", "32"}),
                      {{"--threads", "1"}, threads[0], threads[1], threads[2]});
}

TEST(Determinism, ThreadsChangeNoBitOnAnyInstructionSet) {
  for (const Isa isa : {Isa::avx2}) {
    if (isa > isa_level()) continue;
    for (const char* model : {"cifar_resnet20", "cifar_resnet11_bottleneck"}) {
      const Arguments recipe =
          real_sized(model, "2", {"--batch-size", "16", "--isa", std::string(name(isa))});
      expect_same_weights(recipe, {{"--threads", "1"}, threads[1]});
    }
  }
}

// Levels above avx512 only add products of bf16: fp32 has the same bits, and says so in the
// weights.
TEST(Determinism, InstructionsForBf16ChangeNothingInFp32) {
  if (isa_level() < Isa::avx512_bf16) GTEST_SKIP() << "this machine has none";
  expect_same_weights(real_sized("cifar_resnet11_bottleneck", "2", {"--batch-size", "16"}),
                      {{"--isa", "avx512"}, {"--isa", "avx512_bf16"}});
}

TEST(Determinism, NeitherThreadsNorReplicaModesChangeBf16) {
  for (const Isa isa : {Isa::avx2, Isa::avx512, Isa::avx512_bf16}) {
    if (isa > isa_level()) continue;
    const Arguments recipe = real_sized("cifar_resnet11_bottleneck", "2",
                                        {"--batch-size", "8", "--replicas", "3", "--precision",
                                         "16.32", "--isa", std::string(name(isa))});
    expect_same_weights(recipe,
                        {{"--threads", "1"}, {"--threads", "3", "--replica-mode", "sequence"}});
  }
}

TEST(Determinism, ReplicasRunTogetherOrOneAfterAnother) {
  for (const char* count : {"4", "3"}) {
    for (const char* model : {"cifar_resnet20", "cifar_resnet11_bottleneck"}) {
      const Arguments recipe = real_sized(model, "3", {"--batch-size", "8", "--replicas", count});
      expect_same_weights(recipe, {{"--replica-mode", "together", "--threads", "3"},
                                   {"--replica-mode", "sequence"},
                                   {"--replica-mode", "sequence", "--threads", "1"}});
    }
  }
}

TEST(Determinism, ReplicasAreNotOneLargeBatch) {
  const Arguments recipe = tiny({"--max-steps", "2"});
  EXPECT_NE(weights_of(joined(recipe, {"--replicas", "2"})),
            weights_of(tiny({"--max-steps", "2", "--batch-size", "32"})));
}

TEST(Determinism, TheLoadersWorkersChangeNothing) {
  const Arguments recipe = tiny({"--epochs", "2", "--augment", "pad-crop,flip", "--auto-augment",
                                 "augmix", "--random-erase", "0.5"});
  expect_same_weights(recipe, {{"--workers", "1"},
                               {"--workers", "3"},
                               {"--workers", "3", "--prefetch", "1"},
                               {"--workers", "5", "--prefetch", "9"}});
}

TEST(Determinism, RepeatedAugmentationIsTheSameForAnyWorkersAndReplicas) {
  const Arguments once = tiny({"--max-steps", "5", "--generated-samples", "600", "--augment",
                               "pad-crop,flip", "--replicas", "3", "--batch-size", "8"});
  const Arguments recipe = joined(once, {"--ra-sampler"});
  expect_same_weights(recipe, {{"--workers", "1", "--replica-mode", "together"},
                               {"--workers", "3", "--replica-mode", "sequence"}});
  EXPECT_NE(weights_of(recipe), weights_of(once));
  EXPECT_NE(weights_of(recipe), weights_of(joined(recipe, {"--ra-reps", "2"})));
}

TEST(Determinism, TheSeedChangesTheWeights) {
  const Arguments recipe = tiny({"--max-steps", "2"});
  EXPECT_NE(weights_of(recipe), weights_of(joined(recipe, {"--seed", "2"})));
}

// 1,033 samples, of which the test set has 207: no batch divides it.
TEST(Determinism, EvaluationGivesTheSameDigitsHoweverItIsCut) {
  const Arguments recipe = tiny({"--generated-samples", "1033", "--generated-image-size", "12",
                                 "--batch-size", "64", "--epochs", "2", "--ema-decay", "0.9"});
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (isa > isa_level()) continue;
    std::vector<std::string> expected;
    for (const char* batch : {"100", "7", "207", "1000"}) {
      const TinyRun run(
          joined(recipe, {"--eval-batch-size", batch, "--isa", std::string(name(isa))}));
      run.whole();
      const std::vector<std::string> evaluations = test::comparable_events(run.dir(), "eval");
      EXPECT_EQ(evaluations.size(), 4u);
      if (expected.empty()) expected = evaluations;
      EXPECT_EQ(evaluations, expected) << batch << " " << name(isa);
      for (const test::Json& event : test::events(run.dir(), "eval")) {
        EXPECT_EQ(event.at("total"), 207);
      }
    }
  }
}

TEST(Determinism, EvaluationAloneRepeatsThatOfTheTraining) {
  const TinyRun run(tiny({"--generated-samples", "1033", "--batch-size", "64", "--epochs", "2",
                          "--ema-decay", "0.9", "--seed", "5"}));
  run.whole();
  const std::vector<test::Json> all = test::events(run.dir(), "eval");
  ASSERT_EQ(all.size(), 4u);
  const auto evaluated = [&](const Arguments& arguments) {
    const Finished end = test::run_convoy(joined({"eval", "--json"}, arguments), run.folder());
    EXPECT_EQ(end.code, 0) << end.err;
    return test::Json::parse(end.out);
  };
  const auto expect_same = [](const test::Json& alone, const test::Json& event) {
    for (const char* key : {"top1", "top5", "correct", "correct5", "total", "loss"}) {
      EXPECT_EQ(alone.at(key).dump(), event.at(key).dump()) << key;
    }
  };
  const test::Json &plain = all[2], &average = all[3];
  EXPECT_EQ(plain.at("ema"), false);
  EXPECT_EQ(average.at("ema"), true);
  expect_same(evaluated({"--checkpoint", "runs/a/weights/last.safetensors"}), plain);
  expect_same(evaluated({"--checkpoint", "runs/a", "--threads", "3"}), plain);
  expect_same(evaluated({"--checkpoint", "runs/a", "--weights", "ema", "--batch-size", "11"}),
              average);
  expect_same(evaluated({"--checkpoint", "runs/a/checkpoints/last", "--weights", "ema"}), average);
  EXPECT_EQ(evaluated({"--checkpoint", "runs/a", "--split", "train"}).at("total"), 1033);
}

}  // namespace
}  // namespace convoy
