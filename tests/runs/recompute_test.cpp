// --recompute as people use it: it changes no result, in no kind of run, and `plan` tells what it
// costs and saves.

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

const std::vector<std::string> modes{"cheap", "blocks", "auto"};

TEST(RecomputeRun, ARunGoesOnWithAnotherModeToTheSameWeights) {
  const Arguments recipe = tiny({"--max-steps", "2", "--checkpoint-steps", "1", "--model",
                                 "cifar_resnet11_bottleneck", "--batch-size", "4"});
  const TinyRun whole(recipe);
  whole.whole();
  for (const std::string& mode : modes) {
    const TinyRun cut(joined(recipe, {"--recompute", mode}));
    cut.whole();
    EXPECT_EQ(test::weights_hash_of(cut.dir()), test::weights_hash_of(whole.dir())) << mode;
    cut.take_back_the_last_step();
    const Finished end =
        run_convoy(joined(TinyRun::resume(), {"--recompute", "off"}), cut.folder());
    ASSERT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(test::weights_hash_of(cut.dir()), test::weights_hash_of(whole.dir())) << mode;
  }
}

TEST(RecomputeRun, ADetectorTrainsToTheSameWeights) {
  const Arguments recipe{"--generated-classes",
                         "4",
                         "--generated-samples",
                         "8",
                         "--model",
                         "ssd_tiny",
                         "--dataset",
                         "generated",
                         "--max-steps",
                         "1",
                         "--batch-size",
                         "2",
                         "--quiet",
                         "--name",
                         "a"};
  const TinyRun whole(recipe);
  const Finished first = run_convoy(whole.train(), whole.folder());
  ASSERT_EQ(first.code, 0) << first.err;
  for (const std::string& mode : {std::string("cheap"), std::string("blocks")}) {
    const TinyRun again(joined(recipe, {"--recompute", mode}));
    ASSERT_EQ(run_convoy(again.train(), again.folder()).code, 0);
    EXPECT_EQ(test::weights_hash_of(again.dir()), test::weights_hash_of(whole.dir())) << mode;
  }
}

TEST(RecomputeDist, RanksChangeNoBit) {
  for (const Arguments& more : std::vector<Arguments>{{}, {"--bn-span", "2"}}) {
    const test::ProcessesRun alone(0, test::processes_recipe(more));
    const test::ProcessesRun two(2,
                                 test::processes_recipe(joined(more, {"--recompute", "blocks"})));
    EXPECT_EQ(two.hash(), alone.hash()) << testing::PrintToString(more);
  }
}

TEST(RecomputeRun, StagesOnOneDeviceAreBetweenThePointsThatAreNamed) {
  const Arguments recipe =
      tiny({"--max-steps", "2", "--model", "cifar_resnet20", "--batch-size", "4"});
  const Arguments stages{"--pipeline", "--shards",    "1",     "--pipeline-schedule",
                         "Sequential", "--recompute", "blocks"};
  const TinyRun whole(recipe);
  whole.whole();
  for (const char* splits : {"b1/2/relu,b2/2/relu", "layer2.0"}) {
    const TinyRun staged(joined(recipe, joined(stages, {"--pipeline-splits", splits})));
    staged.whole();
    EXPECT_EQ(test::weights_hash_of(staged.dir()), test::weights_hash_of(whole.dir())) << splits;
  }
  const auto refused = [&](const Arguments& more, const char* part) {
    const TinyRun run(joined(recipe, joined(stages, more)));
    const Finished end = run_convoy(run.train(), run.folder());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_NE(end.err.find(part), std::string::npos) << end.err;
  };
  refused({"--pipeline-splits", "b1/9/relu"}, "try: b1/");
  refused({"--pipeline-splits", "layer1.0.conv1"}, "cannot be split there");
  refused({"--pipeline-splits", "b2/0/relu,b1/0/relu"}, "b1/0/relu before it");
  refused({"--pipeline-splits", "b1/0/relu,b1/0/relu"}, "is not after");
  refused({"--pipeline-schedule", "Grouped"}, "--pipeline-schedule Sequential");
  refused({"--shards", "2"}, "--shards 1");
  refused({"--pipeline-splits", "b1/0/relu", "--recompute", "cheap"}, "--recompute blocks");
}

Json plan_of(const Arguments& more) {
  const test::TempFolder folder;
  const Finished end =
      run_convoy(joined({"plan", "--model", "resnet50", "--json"}, more), folder.path());
  EXPECT_EQ(end.code, 0) << end.err;
  return Json::parse(end.out);
}

TEST(RecomputeRun, ThePlanComparesTheModes) {
  const Json plan = plan_of({"--batch-size", "16"});
  const Json& all = plan.at("recompute").at("modes");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].at("mode"), "off");
  EXPECT_EQ(all[0].at("extra_flops"), 0);
  const double peak = plan.at("memory").at("peak_bytes");
  EXPECT_NEAR(all[0].at("peak_bytes").get<double>(), peak, 0.02 * peak);
  for (size_t i = 1; i < all.size(); ++i) {
    EXPECT_LT(all[i].at("activation_bytes"), all[i - 1].at("activation_bytes"));
    EXPECT_GT(all[i].at("step_s"), all[i - 1].at("step_s"));
    EXPECT_LE(all[i].at("activation_bytes").get<double>(),
              1.05 * all[i].at("least_bytes").get<double>());
  }
  EXPECT_GT(all[2].at("extra_flops"), 0.05);
}

TEST(RecomputeRun, AutoTakesTheFastestThatFits) {
  const auto taken = [](const char* memory) {
    return plan_of({"--batch-size", "16", "--recompute", "auto", "--memory", memory})
        .at("recompute")
        .at("taken");
  };
  const Json plenty = taken("8G"), some = taken("1600M"), little = taken("1150M");
  EXPECT_EQ(plenty.at("extra_flops"), 0);
  for (const Json& one : {plenty, some, little}) EXPECT_EQ(one.at("fits"), true);
  EXPECT_LT(some.at("activation_bytes"), plenty.at("activation_bytes"));
  EXPECT_LT(little.at("activation_bytes"), some.at("activation_bytes"));
  EXPECT_LE(some.at("extra_flops"), little.at("extra_flops"));
  EXPECT_GT(little.at("extra_flops"), 0);
}

TEST(RecomputeRun, ARefusalNamesTheModeThatFits) {
  const test::TempFolder folder;
  const auto refusal = [&](const char* memory) {
    const Finished end = run_convoy(
        {"plan", "--model", "resnet50", "--batch-size", "32", "--memory", memory}, folder.path());
    EXPECT_EQ(end.code, 6);
    return end.err;
  };
  EXPECT_NE(refusal("2600M").find("--recompute cheap"), std::string::npos);
  EXPECT_NE(refusal("1700M").find("--recompute blocks"), std::string::npos);
  EXPECT_EQ(refusal("900M").find("--recompute"), std::string::npos) << "not even that";
}

TEST(RecomputeRun, NamesOfOtherProgramsLeadToTheOption) {
  const test::TempFolder folder;
  for (const char* name : {"--enable-recomputation", "--gradient-checkpointing"}) {
    const Finished end = run_convoy({"train", "--dataset", "generated", name}, folder.path());
    EXPECT_EQ(end.code, 2);
    EXPECT_NE(end.err.find("--recompute"), std::string::npos) << end.err;
  }
}

}  // namespace
}  // namespace convoy
