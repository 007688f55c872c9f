// --precision 16.32: the recipe alone fixes the result, as in fp32, and every verb computes in it.

#include <gtest/gtest.h>

#include "support/processes.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::tiny;
using test::TinyRun;

const Arguments in_bf16{"--precision", "16.32"};

std::string weights_of(const Arguments& recipe) {
  const TinyRun run(tiny(joined(recipe, in_bf16)));
  run.whole();
  return test::weights_hash_of(run.dir());
}

TEST(Bf16Run, ThreadsAndReplicaModesChangeNoBit) {
  const Arguments recipe{
      "--model", "cifar_resnet11_bottleneck", "--max-steps", "2", "--replicas", "4", "--batch-size",
      "4"};
  const std::string expected = weights_of(joined(recipe, {"--threads", "1"}));
  for (const Arguments& variant : std::vector<Arguments>{
           {"--threads", "2"}, {"--threads", "3", "--replica-mode", "sequence"}}) {
    EXPECT_EQ(weights_of(joined(recipe, variant)), expected) << testing::PrintToString(variant);
  }
  EXPECT_NE(weights_of(joined(recipe, {"--bf16-lists", "basic"})), expected);
}

TEST(Bf16Dist, RanksChangeNoBitWithSharedStatisticsAndDividedUpdatesToo) {
  for (const Arguments& more : std::vector<Arguments>{
           {}, {"--bn-span", "2"}, {"--shard-optimizer", "--optimizer", "lars"}}) {
    const Arguments recipe = test::processes_recipe(joined(more, in_bf16));
    const test::ProcessesRun alone(0, recipe);
    for (const int processes : {2, 3}) {
      EXPECT_EQ(test::ProcessesRun(processes, recipe).hash(), alone.hash())
          << processes << testing::PrintToString(more);
    }
  }
}

TEST(Bf16Run, ARunGoesOnAfterAKillAndIsEvaluatedAlike) {
  const Arguments recipe = tiny({"--max-steps", "2", "--checkpoint-steps", "1", "--precision",
                                 "16.32", "--data-loader-image-type", "bf16"});
  const TinyRun whole(recipe), cut(recipe);
  whole.whole();
  cut.whole();
  cut.take_back_the_last_step();
  const Finished end = run_convoy(TinyRun::resume(), cut.folder());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(test::weights_hash_of(cut.dir()), test::weights_hash_of(whole.dir()));
  EXPECT_EQ(test::events(whole.dir(), "run_start")[0].at("precision"), "bf16");

  const auto evaluated = [&](const Arguments& more) {
    const Finished alone =
        run_convoy(joined({"eval", "--checkpoint", "runs/a", "--json"}, more), whole.folder());
    EXPECT_EQ(alone.code, 0) << alone.err;
    return Json::parse(alone.out);
  };
  const Json last = test::events(whole.dir(), "eval").back(), alone = evaluated({});
  for (const char* key : {"top1", "top5", "correct", "total", "loss"}) {
    EXPECT_EQ(alone.at(key).dump(), last.at(key).dump()) << key;
  }
  EXPECT_NE(evaluated({"--dtype", "fp32"}).at("loss"), last.at("loss"));
}

// `predict` folds norms: the same batch size or another one gives the same bits, and evaluation's
// answers.
TEST(Bf16Run, PredictAverageAndInfoTakeItsWeights) {
  const TinyRun run(tiny(joined({"--max-steps", "2", "--checkpoint-steps", "1"}, in_bf16)));
  run.whole();
  const auto done = [&](const Arguments& arguments) {
    const Finished end = run_convoy(arguments, run.folder());
    EXPECT_EQ(end.code, 0) << testing::PrintToString(arguments) << end.err;
    return end.out;
  };
  const Arguments predict{"predict", "--checkpoint", "runs/a", "--first", "9", "--json"};
  const std::string one = done(joined(predict, {"--batch-size", "1"}));
  EXPECT_EQ(done(joined(predict, {"--batch-size", "9"})), one);
  EXPECT_NE(done(joined(predict, {"--dtype", "fp32"})), one);

  done({"average", "runs/a/checkpoints/step-0000001", "runs/a/checkpoints/step-0000002", "--output",
        "mean.safetensors"});
  const auto loss = [&](const Arguments& more) {
    return Json::parse(done(joined({"eval", "--checkpoint", "mean.safetensors", "--json"}, more)))
        .at("loss");
  };
  EXPECT_EQ(loss({}), loss(in_bf16));
  EXPECT_NE(loss({}), loss({"--dtype", "fp32"}));
  EXPECT_NE(done({"info", "mean.safetensors"}).find("16.32"), std::string::npos);
}

TEST(Bf16Run, LrFindTrainsInIt) {
  const test::TempFolder folder;
  const auto suggested = [&](const Arguments& more) {
    const Finished end = run_convoy(joined(joined({"lr-find", "--find-steps", "60", "--min-lr",
                                                   "1e-4", "--max-lr", "100", "--smooth", "0.8"},
                                                  tiny()),
                                           more),
                                    folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    return read_file(folder / "lr-find.csv", Fault::bug);
  };
  const std::string wide = suggested({}), narrow = suggested(in_bf16);
  EXPECT_NE(wide, narrow);
  EXPECT_EQ(suggested({"--amp"}), narrow);
}

TEST(Bf16Run, LearnsWhatFp32Learns) {
  const Arguments recipe = tiny({"--epochs", "4"});
  const TinyRun wide(recipe), narrow(joined(recipe, in_bf16));
  const auto loss = [](const TinyRun& run) {
    return test::events(run.whole().dir(), "train").back().at("loss").get<double>();
  };
  const double expected = loss(wide);
  EXPECT_LT(expected, 0.1);
  EXPECT_LT(loss(narrow), 0.1);
}

TEST(Bf16Run, PlanAndBenchTakeHalfTheMemory) {
  const test::TempFolder folder;
  const auto json = [&](const Arguments& arguments) {
    const Finished end = run_convoy(arguments, folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    return Json::parse(end.out);
  };
  const Arguments plan{"plan", "--model", "resnet50", "--batch-size", "16", "--json"};
  const Json wide = json(plan).at("memory"), narrow = json(joined(plan, in_bf16)).at("memory");
  EXPECT_LT(narrow.at("workspace_bytes").get<double>(),
            0.6 * wide.at("workspace_bytes").get<double>());

  const Arguments bench =
      joined({"bench", "--steps", "2", "--warmup-steps", "1", "--json"}, tiny());
  const Json trained = json(joined(bench, in_bf16));
  EXPECT_EQ(trained.at("precision"), "bf16");
  EXPECT_EQ(json(joined(bench, {"--amp"})).at("losses"), trained.at("losses"));
  EXPECT_NE(json(bench).at("losses"), trained.at("losses"));
  const Json forward = json(joined(joined(bench, {"--mode", "infer"}), in_bf16));
  EXPECT_EQ(forward.at("precision"), "bf16");
  EXPECT_LT(forward.at("planned_bytes"), trained.at("planned_bytes"));
}

TEST(Bf16Run, WhatContradictsIsRefused) {
  const test::TempFolder folder;
  const auto refused = [&](const Arguments& more, const std::string& words) {
    const Finished end = run_convoy(joined({"train"}, tiny(more)), folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
  };
  refused({"--data-loader-image-type", "bf16"}, "try: --precision 16.32");
  refused({"--precision", "16.32", "--data-loader-image-type", "bf16", "--eight-bit-io"},
          "batches hold bytes, not bf16");
  refused({"--dtype", "fp16", "--data-loader-image-type", "bf16"}, "try: --precision 16.32");
}

}  // namespace
}  // namespace convoy
