// Steps that are not finite: what a run does about them, and what `replay` finds.

#include <gtest/gtest.h>

#include <array>

#include "support/processes.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::tiny;
using test::TinyRun;

// The loss of a sample of class 3 is infinite.
const Arguments poisoned{"--class-weights", "1,1,1,3.4e38,1,1,1,1,1,1"};

Json replay(const fs::path& folder, int64_t step, const Arguments& more = {}) {
  const Finished end = run_convoy(
      joined({"replay", "runs/a", "--step", std::to_string(step), "--json"}, more), folder);
  EXPECT_EQ(end.code, 0) << end.err;
  return end.code == 0 ? Json::parse(end.out) : Json();
}

TEST(NonFiniteRun, AStepThatIsNotFiniteStopsTheRunAndReplayNamesOpRangesAndSamples) {
  const TinyRun run(tiny(joined(poisoned, {"--epochs", "1", "--checkpoint-steps", "1"})));
  const Finished end = run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 5);
  EXPECT_NE(end.err.find("convoy replay "), std::string::npos) << end.err;
  const Json event = test::events(run.dir(), "nonfinite").at(0);
  EXPECT_EQ(event.at("what"), "loss");
  EXPECT_EQ(event.at("action"), "stop");
  const auto step = event.at("step").get<int64_t>();
  const Json found = replay(run.folder(), step);
  EXPECT_EQ(found.at("samples"), event.at("samples"));
  EXPECT_EQ(found.at("updated"), false);
  const Json& first = found.at("found");
  EXPECT_EQ(first.at("value"), "inf");
  EXPECT_EQ(first.at("op"), "weigh_by_label");
  ASSERT_FALSE(first.at("samples").empty());
  EXPECT_EQ(first.at("samples_by_magnitude"), false);
  bool has_range = false;
  for (const Json& input : first.at("inputs")) {
    has_range = has_range || input.at("high").get<double>() > 0;
    EXPECT_EQ(input.at("not_finite"), 0);
  }
  EXPECT_TRUE(has_range);
  // Any number of threads finds the same, and writes nothing.
  const test::RunRecord before = test::run_record(run.dir());
  EXPECT_EQ(replay(run.folder(), step, {"--threads", "3"}), found);
  test::expect_equal(test::run_record(run.dir()), before);
}

TEST(NonFiniteRun, SkippedStepsChangeNothingAndAreRepeatedByAResume) {
  const Arguments skips =
      tiny({"--epochs", "2", "--on-nonfinite", "skip", "--checkpoint-steps", "1", "--batch-size",
            "4", "--generated-samples", "40", "--class-weights", "1,1,1,3.4e38,1,1,1,1,1,1"});
  const TinyRun whole(skips), cut(skips);
  whole.whole();
  const std::vector<Json> events = test::events(whole.dir(), "nonfinite");
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events[0].at("action"), "skip");
  const auto steps = test::events(whole.dir(), "run_end")[0].at("step").get<size_t>();
  EXPECT_LT(events.size(), steps) << "a test of steps of both kinds";
  cut.whole();
  cut.take_back_the_last_step();
  ASSERT_EQ(run_convoy(TinyRun::resume(), cut.folder()).code, 0);
  test::expect_equal(test::run_record(cut.dir()), test::run_record(whole.dir()));
  EXPECT_FALSE(replay(whole.folder(), events[0].at("step").get<int64_t>()).at("found").is_null());
}

TEST(NonFiniteRun, AnOverflowOfTheWeightsIsFoundWithTheOpsThatReadThem) {
  for (const Arguments& precision :
       std::vector<Arguments>{{}, {"--precision", "16.32"}, {"--dtype", "fp16"}}) {
    const TinyRun run(tiny(joined({"--epochs", "2", "--lr", "1e20"}, precision)));
    EXPECT_EQ(run_convoy(run.train(), run.folder()).code, 5);
    const auto step = test::events(run.dir(), "nonfinite").at(0).at("step").get<int64_t>();
    const Json found = replay(run.folder(), step);
    EXPECT_EQ(found.at("from"), "");
    EXPECT_EQ(found.at("repeated"), step - 1);
    ASSERT_FALSE(found.at("found").is_null());
    EXPECT_NE(found.at("found").at("node"), "");
    EXPECT_TRUE(replay(run.folder(), 1).at("found").is_null() || step == 1);
  }
}

TEST(NonFiniteDist, ReplayRepeatsInOneProcessWhatSeveralDid) {
  const Arguments recipe = test::processes_recipe(
      joined(poisoned, {"--checkpoint-steps", "1", "--gradient-accumulation-count", "2"}));
  const test::ProcessesRun two(2, recipe, 5), alone(0, recipe, 5);
  const Json event = test::events(two.dir, "nonfinite").at(0);
  EXPECT_EQ(event.at("samples"), test::events(alone.dir, "nonfinite").at(0).at("samples"));
  const auto step = event.at("step").get<int64_t>();
  const Json found = replay(two.folder.path(), step);
  EXPECT_EQ(found.at("found"), replay(alone.folder.path(), step).at("found"));
  EXPECT_EQ(found.at("found").at("op"), "weigh_by_label");
}

TEST(NonFiniteRun, FpExceptionsStopAtTheFirstValueAndNameTheFile) {
  test::TempFolder folder;
  for (const char* split : {"train", "val"}) {
    for (int i = 0; i < 16; ++i) {
      const char* name = std::array{"ant", "bee", "cat", "dog"}[static_cast<size_t>(i % 4)];
      fs::create_directories(folder / "set" / split / name);
      test::write_bytes(folder / "set" / split / name / fmt::format("{}.png", i),
                        test::tiny_png(i));
    }
  }
  const Arguments train{"train",
                        "--data-dir",
                        "set",
                        "--name",
                        "a",
                        "--quiet",
                        "--model",
                        "cifar_resnet8",
                        "--image-size",
                        "16",
                        "--batch-size",
                        "8",
                        "--epochs",
                        "1",
                        "--class-weights",
                        "1,1,1,3.4e38",
                        "--workers",
                        "1"};
  const Finished end = run_convoy(joined(train, {"--fp-exceptions"}), folder.path());
  EXPECT_EQ(end.code, 5) << end.err;
  EXPECT_NE(end.err.find("inf in weigh_by_label"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("dog/"), std::string::npos) << end.err;
  EXPECT_EQ(end.err.find("cat/"), std::string::npos) << end.err;
  EXPECT_NE(end.err.find("step 1"), std::string::npos) << end.err;
  const Json found = replay(folder.path(), 1);
  for (const Json& name : found.at("found").at("samples")) {
    EXPECT_NE(name.get<std::string>().find("dog/"), std::string::npos) << name;
  }
}

TEST(NonFiniteRun, WatchingValuesChangesNoBitAndFindsNothingInGoodRuns) {
  for (const Arguments& more :
       std::vector<Arguments>{{},
                              {"--precision", "16.32", "--model", "cifar_resnet11_bottleneck"},
                              {"--dtype", "fp16"},
                              {"--replicas", "2", "--bn-span", "2", "--clip-grad-norm", "1"}}) {
    const Arguments recipe = tiny(joined({"--max-steps", "3"}, more));
    const TinyRun plain(recipe), watched(joined(recipe, {"--fp-exceptions"}));
    EXPECT_EQ(test::weights_hash_of(watched.whole().dir()),
              test::weights_hash_of(plain.whole().dir()));
    const Json found = replay(plain.folder(), 2);
    EXPECT_TRUE(found.at("found").is_null()) << found;
    EXPECT_EQ(found.at("updated"), true);
  }
}

TEST(NonFiniteRun, WhatReplayCannotDoItSays) {
  const TinyRun run(tiny({"--max-steps", "2"}));
  run.whole();
  for (const auto& [arguments, word] : std::vector<std::pair<Arguments, std::string>>{
           {{"replay", "runs/a"}, "--step"},
           {{"replay", "runs/a", "--step", "3"}, "the steps 1 to 2"},
           {{"replay", "--step", "3"}, "RUN_DIR"}}) {
    const Finished end = run_convoy(arguments, run.folder());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_NE(end.err.find(word), std::string::npos) << end.err;
  }
  EXPECT_EQ(run_convoy({"replay", "runs/none", "--step", "1"}, run.folder()).code, 4);
}

}  // namespace
}  // namespace convoy
