// What the options of a training mean, seen in the files it leaves.

#include <gtest/gtest.h>

#include <set>

#include "base/text/text.h"
#include "support/run_files.h"
#include "weights/safetensors.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

std::vector<int64_t> steps_of(const TinyRun& run, const std::string& kind) {
  std::vector<int64_t> steps;
  for (const Json& event : test::events(run.dir(), kind)) steps.push_back(event.at("step"));
  return steps;
}

// Fields of summary.csv, the header first.
std::vector<std::vector<std::string>> summary(const TinyRun& run) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : test::lines_of(read_file(run.dir() / "summary.csv", Fault::bug))) {
    rows.push_back(split(line, ','));
  }
  return rows;
}

using Steps = std::vector<int64_t>;

TEST(Training, LearnsTheGeneratedClasses) {
  const TinyRun run(tiny({"--epochs", "4", "--generated-image-size", "16"}));
  run.whole();
  const std::vector<Json> evaluations = test::events(run.dir(), "eval");
  ASSERT_EQ(evaluations.size(), 4u);
  EXPECT_GT(evaluations.back().at("top1"), 60.0);
  EXPECT_LT(evaluations.back().at("loss"), evaluations.front().at("loss"));
}

TEST(Training, MaxStepsCutsTheScheduleOff) {
  const TinyRun longer(tiny({"--epochs", "2", "--log-steps", "1"})),
      cut(tiny({"--epochs", "2", "--log-steps", "1", "--max-steps", "5"}));
  longer.whole();
  cut.whole();
  const auto whole = test::comparable_events(longer.dir(), "train"),
             part = test::comparable_events(cut.dir(), "train");
  ASSERT_EQ(whole.size(), 32u);
  ASSERT_EQ(part.size(), 5u);
  EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.begin()));
  EXPECT_EQ(steps_of(cut, "eval"), Steps{5});
  EXPECT_EQ(steps_of(cut, "run_end"), Steps{5});
  EXPECT_EQ(test::checkpoint_steps(cut.dir()), Steps{5});
}

TEST(Training, EpochsMayBeFractionsAndTheLastIsSummarisedToo) {
  const TinyRun run(tiny({"--epochs", "1.5", "--eval-epochs", "0.5"}));
  run.whole();
  EXPECT_EQ(steps_of(run, "eval"), (Steps{8, 16, 24}));
  EXPECT_EQ(steps_of(run, "run_end"), Steps{24});
  const auto rows = summary(run);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1][0], "1");
  EXPECT_EQ(rows[2][0], "2");
}

TEST(Training, EvaluatesEveryTwoEpochsAndAtTheEnd) {
  const TinyRun run(tiny({"--epochs", "5", "--eval-epochs", "2"}));
  run.whole();
  EXPECT_EQ(steps_of(run, "eval"), (Steps{32, 64, 80}));
  const auto rows = summary(run);
  ASSERT_EQ(rows.size(), 6u);
  for (const size_t epoch : {1u, 3u}) {
    EXPECT_EQ(rows[epoch][2] + rows[epoch][3] + rows[epoch][4], "") << epoch;
  }
  for (const size_t epoch : {2u, 4u, 5u}) EXPECT_NE(rows[epoch][3], "") << epoch;

  const TinyRun never(tiny({"--epochs", "2", "--eval-epochs", "0"}));
  never.whole();
  EXPECT_EQ(steps_of(never, "eval"), Steps{});
  EXPECT_FALSE(fs::exists(never.dir() / "weights/best.safetensors"));
  EXPECT_TRUE(fs::exists(never.dir() / "weights/last.safetensors"));
}

// Soon every test image is known, and what is no better than an earlier epoch is not best.
TEST(Training, KeepsTheNewestCheckpointsAndTheBest) {
  const TinyRun run(tiny({"--epochs", "6", "--checkpoint-keep", "2", "--generated-samples", "512",
                          "--generated-image-size", "16", "--batch-size", "32"}));
  run.whole();
  int64_t best_step = 0;
  double best = -1;
  Json best_event;
  for (const Json& event : test::events(run.dir(), "eval")) {
    if (event.at("top1") <= best) continue;
    best = event.at("top1");
    best_step = event.at("step");
    best_event = event;
  }
  ASSERT_LT(best_step, 80) << "choose data of which all is known early";
  EXPECT_EQ(test::checkpoint_steps(run.dir()), (Steps{best_step, 80, 96}));
  EXPECT_EQ(fs::read_symlink(run.dir() / "checkpoints/last"), "step-0000096");
  EXPECT_EQ(fs::read_symlink(run.dir() / "checkpoints/best"), fmt::format("step-{:07}", best_step));

  // Both files of the best epoch are that epoch's.
  EXPECT_EQ(read_file(run.dir() / "weights/best.safetensors", Fault::bug),
            read_file(run.dir() / "checkpoints/best/model.safetensors", Fault::bug));
  EXPECT_EQ(read_file(run.dir() / "weights/last.safetensors", Fault::bug),
            read_file(run.dir() / "checkpoints/last/model.safetensors", Fault::bug));
  const Finished alone = test::run_convoy(
      {"eval", "--json", "--checkpoint", "runs/a/weights/best.safetensors"}, run.folder());
  EXPECT_EQ(Json::parse(alone.out).at("top1"), best_event.at("top1"));
  EXPECT_EQ(Json::parse(alone.out).at("loss"), best_event.at("loss"));
}

TEST(Training, NoCheckpointsMeansOneAtTheEnd) {
  const TinyRun run(tiny({"--epochs", "3", "--checkpoint-epochs", "0"}));
  run.whole();
  EXPECT_EQ(test::checkpoint_steps(run.dir()), std::vector<int64_t>{48});
  EXPECT_EQ(test::events(run.dir(), "checkpoint").size(), 1u);
  EXPECT_TRUE(fs::exists(run.dir() / "weights/best.safetensors"));
}

TEST(Training, StartsFromGivenWeights) {
  const TinyRun first(tiny({"--epochs", "2"}));
  first.whole();
  const std::string file = first.dir() / "weights/last.safetensors";
  // At rate 0 only the statistics move, so the parameters are still those of the file.
  const TinyRun second(tiny({"--init-from", file, "--lr", "0", "--max-steps", "1"}));
  second.whole();
  const SafetensorsFile before = SafetensorsFile::read(file),
                        after = SafetensorsFile::read(second.dir() / "weights/last.safetensors");
  ASSERT_EQ(before.tensors().size(), after.tensors().size());
  int same = 0;
  for (const TensorEntry& tensor : before.tensors()) {
    if (tensor.name.find("running_") != std::string::npos) continue;
    if (tensor.name.ends_with("num_batches_tracked")) continue;
    EXPECT_TRUE(std::ranges::equal(tensor.data, after.at(tensor.name).data)) << tensor.name;
    ++same;
  }
  EXPECT_GT(same, 20);
}

TEST(Training, TheMovingAverageIsEvaluatedBesideTheWeights) {
  const TinyRun run(tiny({"--epochs", "2", "--ema-decay", "0.9"}));
  run.whole();
  std::vector<bool> kinds;
  for (const Json& event : test::events(run.dir(), "eval")) kinds.push_back(event.at("ema"));
  EXPECT_EQ(kinds, (std::vector<bool>{false, true, false, true}));
  EXPECT_TRUE(fs::exists(run.dir() / "checkpoints/last/ema.safetensors"));
  // The average decides what is best, and is what best.safetensors holds.
  const Json average = test::events(run.dir(), "eval").back();
  EXPECT_EQ(summary(run)[2][3], fmt::format("{}", average.at("top1").get<double>()));
  EXPECT_EQ(read_file(run.dir() / "weights/best.safetensors", Fault::bug),
            read_file(run.dir() / "checkpoints/best/ema.safetensors", Fault::bug));
}

// Powers of two change exponents alone.
TEST(Training, LossScalesThatArePowersOfTwoChangeNoBit) {
  const TinyRun plain(tiny({"--epochs", "2", "--log-steps", "1"})),
      scaled(tiny({"--epochs", "2", "--log-steps", "1", "--loss-scale", "1024"}));
  plain.whole();
  scaled.whole();
  EXPECT_EQ(test::comparable_events(scaled.dir(), "train"),
            test::comparable_events(plain.dir(), "train"));
  EXPECT_EQ(test::weights_hash_of(scaled.dir()), test::weights_hash_of(plain.dir()));
}

// Every micro-batch has its own batch statistics whether it is a replica or accumulated, and the
// gradient is the mean over all: two of either kind train alike. (Four would not: replicas meet in
// a tree, micro-batches in a row.)
TEST(Training, TwoAccumulatedMicroBatchesTrainLikeTwoReplicas) {
  const Arguments common = tiny({"--max-steps", "6", "--log-steps", "1"});
  const TinyRun accumulated(
      joined(common, {"--gradient-accumulation-count", "2", "--bn-update", "step"})),
      replicas(joined(common, {"--replicas", "2"}));
  accumulated.whole();
  replicas.whole();
  EXPECT_EQ(test::comparable_events(accumulated.dir(), "train"),
            test::comparable_events(replicas.dir(), "train"));
  EXPECT_EQ(test::weights_hash_of(accumulated.dir()), test::weights_hash_of(replicas.dir()));
}

TEST(Training, GlobalBatchSizeIsDividedAmongReplicasAndMicroBatches) {
  const Arguments parts{
      "--max-steps", "2", "--replicas", "2", "--gradient-accumulation-count", "4"};
  Arguments global = tiny(joined(parts, {"--global-batch-size", "64", "--batch-size", "8"}));
  const TinyRun by_parts(tiny(joined(parts, {"--batch-size", "8"}))), by_global(global);
  by_parts.whole();
  by_global.whole();
  EXPECT_EQ(test::comparable_events(by_parts.dir()), test::comparable_events(by_global.dir()));
  const Json start = test::events(by_global.dir(), "run_start").at(0);
  EXPECT_EQ(start.at("micro_batch"), 8);
  EXPECT_EQ(start.at("global_batch"), 64);
  EXPECT_EQ(start.at("steps_per_epoch"), 4);
}

// 250 samples in batches of 16: 15.625 steps.
TEST(Training, TheTailOfAnEpochIsCarriedDroppedOrShort) {
  for (const auto& [tail, steps] :
       {std::pair<std::string, int64_t>{"carry", 31}, {"drop", 30}, {"short", 32}}) {
    const TinyRun run(tiny({"--generated-samples", "250", "--epochs", "2", "--epoch-tail", tail}));
    run.whole();
    EXPECT_EQ(steps_of(run, "run_end"), Steps{steps}) << tail;
    EXPECT_EQ(steps_of(run, "eval").size(), 2u) << tail;
    EXPECT_EQ(summary(run).size(), 3u) << tail;
  }
}

TEST(Training, ADivergedRunSaysSoAndKeepsItsCheckpoints) {
  const TinyRun run(tiny({"--epochs", "10", "--lr", "1e10", "--checkpoint-steps", "1"}));
  const Finished end = test::run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 5);
  ASSERT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
  EXPECT_TRUE(end.err.starts_with("convoy: error: the loss of step ")) << end.err;
  EXPECT_NE(end.err.find("; try: a lower --lr"), std::string::npos) << end.err;
  const std::vector<Json> events = test::events(run.dir());
  ASSERT_GE(events.size(), 2u);
  const Json& nonfinite = events[events.size() - 2];
  EXPECT_EQ(nonfinite.at("event"), "nonfinite");
  EXPECT_EQ(events.back().at("event"), "run_end");
  EXPECT_EQ(events.back().at("exit"), 5);
  const Steps kept = test::checkpoint_steps(run.dir());
  ASSERT_FALSE(kept.empty());
  EXPECT_LT(kept.back(), nonfinite.at("step").get<int64_t>());
  for (const int64_t step : kept) {
    const Finished alone = test::run_convoy(
        {"eval", "--json", "--checkpoint", fmt::format("runs/a/checkpoints/step-{:07}", step)},
        run.folder());
    EXPECT_EQ(alone.code, 0) << alone.err;
  }
}

}  // namespace
}  // namespace convoy
