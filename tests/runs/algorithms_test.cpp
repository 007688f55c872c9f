// --algorithms as people meet it: what it decides, what is recorded, what is refused; and `bench
// convs`, which writes such files.

#include <gtest/gtest.h>

#include "support/run_files.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::TempFolder;
using test::TinyRun;
using test::write_bytes;

const Arguments recipe{
    "--dataset",    "generated", "--generated-samples", "64", "--model",           "cifar_resnet8",
    "--batch-size", "16",        "--max-steps",         "2",  "--eval-batch-size", "16"};

std::string weights_of(const TinyRun& run) {
  const Finished end = run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 0) << end.err;
  return end.out;
}

std::string weights_of(const Arguments& more) { return weights_of(TinyRun(joined(recipe, more))); }

// The rules that stand for what a run with these options would take.
std::string rules_of(const Arguments& more, const fs::path& folder) {
  const Finished end = run_convoy(joined({"plan", "--json"}, joined(recipe, more)), folder);
  EXPECT_EQ(end.code, 0) << end.err;
  const Json plan = Json::parse(end.out);
  std::string text;
  for (const Json& one : plan.at("algorithms")) {
    text += one.at("pass").get<std::string>() + " " + one.at("convolution").get<std::string>() +
            " " + one.at("algorithm").get<std::string>() + "\n";
  }
  return text;
}

TEST(AlgorithmsRun, AFileGivesTheBitsOfTheChoicesItNames) {
  const std::string f2 = weights_of({"--winograd", "f2"}), off = weights_of({"--winograd", "off"});
  const std::string automatic = weights_of(Arguments{});
  EXPECT_NE(f2, off);
  EXPECT_NE(automatic, off);
  for (const auto& [winograd, weights] :
       {std::pair{"f2", f2}, std::pair{"off", off}, std::pair{"auto", automatic}}) {
    const TinyRun run(joined(recipe, {"--algorithms", "all.txt", "--threads", "3"}));
    write_bytes(run.folder() / "all.txt", rules_of({"--winograd", winograd}, run.folder()));
    EXPECT_EQ(weights_of(run), weights) << winograd;
  }
  EXPECT_EQ(weights_of({"--algorithms", "* * direct"}), off);
  EXPECT_EQ(weights_of({"--algorithms", "* * winograd:f2", "--winograd", "off"}),
            weights_of({"--algorithms", "* * winograd:f2"}));
}

TEST(AlgorithmsRun, TheContentIsRecordedWithTheRunAndTheWeights) {
  const TinyRun run(joined(recipe, {"--algorithms", "mine.txt", "--checkpoint-steps", "1"}));
  const std::string rule = "forward 16@32x32->16/3x3/s1/p1 winograd:f2";
  write_bytes(run.folder() / "mine.txt", "# a comment\n" + rule + "\n");
  const std::string whole = weights_of(run);
  EXPECT_NE(read_file(run.dir() / "args.yml", Fault::bug).find(rule), std::string::npos);
  EXPECT_NE(read_file(run.dir() / "weights/last.safetensors", Fault::bug).find(rule),
            std::string::npos);
  const Json state = Json::parse(read_file(run.dir() / "checkpoints/last/state.json", Fault::bug));
  const std::string taken = state.at("texts").at("algorithms");
  EXPECT_NE(taken.find(rule), std::string::npos) << taken;
  EXPECT_NE(taken.find("grad_weights 64@8x8->64/3x3/s1/p1 "), std::string::npos) << taken;

  // Another file, and none at all, change nothing in a resumed run.
  run.take_back_the_last_step();
  write_bytes(run.folder() / "mine.txt", "* * direct\n");
  const Finished resumed = run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, whole);
  EXPECT_EQ(resumed.out.find("Warning"), std::string::npos);
}

TEST(AlgorithmsRun, AResumeWithOtherAlgorithmsSaysSo) {
  const TinyRun run(joined(recipe, {"--algorithms", "* * direct", "--checkpoint-steps", "1"}));
  weights_of(run);
  run.take_back_the_last_step();
  std::string args = read_file(run.dir() / "args.yml", Fault::bug);
  args.replace(args.find("* * direct"), 10, "* * winograd:f2");
  write_bytes(run.dir() / "args.yml", args);
  const Finished refused = run_convoy(TinyRun::resume(), run.folder());
  EXPECT_EQ(refused.code, 4);
  EXPECT_NE(refused.err.find("algorithms was * * direct, now * * winograd:f2"), std::string::npos)
      << refused.err;
  const Finished resumed =
      run_convoy(joined(TinyRun::resume(), {"--accept-changed-options"}), run.folder());
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.out.find("made with other algorithms"), std::string::npos) << resumed.out;
  EXPECT_NE(resumed.out.find(" direct; now "), std::string::npos) << resumed.out;
}

TEST(AlgorithmsRun, EvaluationTakesTheRulesFromTheWeights) {
  const TinyRun run(joined(recipe, {"--algorithms", "* * winograd:f2"}));
  weights_of(run);
  const Json during = test::events(run.dir(), "eval").back();
  const Finished end = run_convoy(
      {"eval", "--checkpoint", "runs/a/weights/last.safetensors", "--json"}, run.folder());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(Json::parse(end.out).at("loss").dump(), during.at("loss").dump());
  EXPECT_EQ(end.err, "");
}

TEST(AlgorithmsRun, BadFilesAreRefusedAndLeaveNothing) {
  for (const auto& [line, words] : std::vector<std::pair<std::string, std::string>>{
           {"forward 64@8x8->64/1x1/s1/p0 winograd:f4", "bad.txt:2: winograd:f4 cannot compute"},
           {"forward 64@8x8->64/3x3/s1/p1 fast", "bad.txt:2: there is no algorithm \"fast\""},
           {"something", "bad.txt:2: \"something\" is not PASS CONVOLUTION ALGORITHM"},
           // Possible by its name, not in the model: its images are not in blocks of channels.
           {"forward 3@32x32->16/3x3/s1/p1 winograd:f4",
            "bad.txt:2: winograd:f4 cannot compute"}}) {
    const TinyRun run(joined(recipe, {"--algorithms", "bad.txt"}));
    write_bytes(run.folder() / "bad.txt", "# rules\n" + line + "\n");
    const Finished end = run_convoy(run.train(), run.folder());
    EXPECT_EQ(end.code, 2);
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
    EXPECT_FALSE(fs::exists(run.dir()));
  }
}

TEST(AlgorithmsRun, ARuleThatFitsNothingIsAWarning) {
  const Arguments idle{"--algorithms", "forward 64@56x56->64/3x3/s1/p1 direct"};
  const std::string words = "`forward 64@56x56->64/3x3/s1/p1 direct` decides nothing";
  const TinyRun run(joined(recipe, idle));
  EXPECT_NE(weights_of(run).find(words), std::string::npos);
  const Finished plan = run_convoy(joined({"plan"}, joined(recipe, idle)), run.folder());
  EXPECT_EQ(plan.code, 0);
  EXPECT_NE(plan.err.find(words), std::string::npos) << plan.err;
  EXPECT_NE(plan.out.find("Convolution passes: "), std::string::npos) << plan.out;
}

TEST(BenchConvsRun, MeasuresEveryAlgorithmAndWritesAFileThatTrainReads) {
  const TempFolder folder;
  const Finished end =
      run_convoy({"bench", "convs", "--model", "cifar_resnet8", "--batch-size", "2", "--rounds",
                  "1", "--write-algorithms", "tuned.txt", "--json"},
                 folder.path());
  ASSERT_EQ(end.code, 0) << end.err;
  const Json result = Json::parse(end.out);
  EXPECT_GT(result.at("peak_gflops").get<double>(), 0);
  int choices = 0;
  for (const Json& one : result.at("convolutions")) {
    EXPECT_GE(one.at("regret").get<double>(), 0);
    EXPECT_EQ(one.at("batch"), 2);
    const Json& algorithms = one.at("algorithms");
    EXPECT_TRUE(algorithms.contains(one.at("choice").get<std::string>()));
    choices += algorithms.size() > 1;
    for (const auto& [name, time] : algorithms.items()) {
      EXPECT_GT(time.at("seconds").get<double>(), 0);
      EXPECT_GT(time.at("estimate_s").get<double>(), 0);
      EXPECT_GT(time.at("work").at("products").get<int64_t>(), 0);
      if (name.starts_with("winograd")) {
        EXPECT_EQ(time.at("implementation"), name);
      }
    }
  }
  EXPECT_EQ(choices, 9);
  const Finished plan = run_convoy(
      {"plan", "--model", "cifar_resnet8", "--algorithms", "tuned.txt", "--json"}, folder.path());
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(plan.err, "");
  int ruled = 0;
  const Json planned = Json::parse(plan.out);
  for (const Json& one : planned.at("algorithms")) {
    ruled += one.at("decided_by").get<std::string>().starts_with("tuned.txt:");
  }
  EXPECT_EQ(ruled, 9);
}

TEST(BenchConvsRun, TakesListsAndFilesOfShapes) {
  const TempFolder folder;
  write_bytes(folder / "shapes.txt", "# mine\n64@8x8->64/3x3/s1/p1 3@9x9->8/3x3/s1/p1\n");
  const auto bench = [&](const Arguments& more) {
    return run_convoy(joined({"bench", "convs", "--rounds", "1", "--batch-size", "2"}, more),
                      folder.path());
  };
  const Finished table = bench({"--shapes", "shapes.txt"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_EQ(test::lines_of(table.out).size(), 1u + 3u + 2u + 1u) << table.out;
  EXPECT_NE(table.out.find("64@8x8->64/3x3/s1/p1"), std::string::npos);
  const auto expect_refused = [&](const Arguments& more, int code, const std::string& words) {
    const Finished end = bench(more);
    EXPECT_EQ(end.code, code) << end.err;
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
  };
  expect_refused({"--shapes", "ssdd"}, 2, "cifar, resnet, ssd, grouped, depthwise, odd, all");
  expect_refused({"--shapes", "ssd", "--model", "resnet18"}, 2, "--model has no meaning");
  expect_refused({"--steps", "3"}, 2, "--steps is for `convoy bench`");
  expect_refused({"--shapes", "shapes.txt", "--memory", "1K"}, 6, "needs");
  write_bytes(folder / "bad.txt", "64@8x8->64/3x3/s1/p1\n64@8->64\n");
  expect_refused({"--shapes", "bad.txt"}, 2, "bad.txt:2: \"64@8->64\" is no convolution");
  write_bytes(folder / "empty.txt", "# nothing\n");
  expect_refused({"--shapes", "empty.txt"}, 2, "names no convolution");
  EXPECT_EQ(run_convoy({"bench", "--shapes", "ssd"}, folder.path()).code, 2);
}

}  // namespace
}  // namespace convoy
