// Whole runs on several processes that share the update, against those in which each does all of
// it.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/processes.h"
#include "train/update/optimizer.h"

namespace convoy {
namespace {

using test::Arguments;
using test::joined;
using test::Json;
using test::processes_recipe;
using test::ProcessesRun;

const Arguments shards{"--shard-optimizer"};

TEST(ShardOptimizerDist, EveryOptimiserTrainsTheSameWeightsOnAnyNumber) {
  int processes = 2;
  for (const OptimizerDef& def : optimizer_catalog()) {
    const std::string optimizer(def.name);
    const Arguments recipe = processes_recipe({"--optimizer", optimizer});
    const ProcessesRun alone(0, recipe), many(processes, joined(recipe, shards));
    ASSERT_EQ(alone.hash().size(), 16u);
    EXPECT_EQ(many.hash(), alone.hash()) << optimizer << " on " << processes;
    EXPECT_EQ(many.numbers(), alone.numbers()) << optimizer;
    // A checkpoint has all of the buffers, whoever held them.
    const fs::path buffers = "checkpoints/last/optimizer.safetensors";
    EXPECT_EQ(read_file(many.dir / buffers, Fault::bug), read_file(alone.dir / buffers, Fault::bug))
        << optimizer;
    processes = processes == 4 ? 2 : processes + 1;
  }
}

TEST(ShardOptimizerDist, WithBf16AndAnAverageAndAccumulationToo) {
  for (const Arguments& more : std::vector<Arguments>{
           {"--exchange-precision", "bf16", "--optimizer", "lars", "--ema-decay", "0.9"},
           {"--optimizer", "adamw", "--gradient-accumulation-count", "2", "--batch-size", "4"},
           {"--bn-span", "2", "--optimizer", "lars"},
           {"--clip-grad-norm", "0.1", "--freeze", "layer2,*.bn1.*", "--layer-decay", "0.5"},
           {"--clip-grad-value", "0.01", "--freeze", "all-but-head"}}) {
    const ProcessesRun alone(0, processes_recipe(more));
    for (const int processes : {2, 4}) {
      const ProcessesRun many(processes, joined(processes_recipe(more), shards));
      EXPECT_EQ(many.hash(), alone.hash()) << more[1] << " on " << processes;
      EXPECT_EQ(many.numbers(), alone.numbers()) << more[1] << " on " << processes;
    }
  }
}

TEST(ShardOptimizerDist, ACheckpointGoesOnWithAnotherNumberSharedOrNot) {
  const Arguments recipe = processes_recipe({"--optimizer", "adamw"});
  const ProcessesRun alone(0, recipe);
  const Arguments saves{"--checkpoint-steps", "2", "--checkpoint-keep", "9"};
  for (const bool shared_first : {true, false}) {
    const ProcessesRun run(3, joined(joined(recipe, saves), shared_first ? shards : Arguments{}));
    run.forget_after(2);
    const test::Finished end =
        run.resume(2, {shared_first ? "--no-shard-optimizer" : "--shard-optimizer"});
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(run.session_event("resume")["step"], 2) << shared_first;
    EXPECT_EQ(run.hash(), alone.hash()) << shared_first;
    EXPECT_EQ(run.numbers(), alone.numbers()) << shared_first;
  }
}

TEST(ShardOptimizerDist, MovesNoMoreBytesAndOneProcessSaysThatItSharesNothing) {
  const Arguments recipe = processes_recipe({"--replicas", "2", "--model", "cifar_resnet20"});
  const ProcessesRun plain(2, recipe), shared(2, joined(recipe, shards));
  const Json before = plain.session_event("exchange"), after = shared.session_event("exchange");
  ASSERT_FALSE(after.is_null());
  const double gradients = after["steps"].get<double>() * after["gradient_bytes"].get<double>();
  EXPECT_EQ(after["gradient_bytes"], before["gradient_bytes"]);
  EXPECT_GT(after["bytes"].get<double>(), 0.9 * gradients);
  EXPECT_LE(after["bytes"].get<double>(), 2.1 * gradients);
  EXPECT_EQ(shared.hash(), plain.hash());
  const ProcessesRun one(0, joined(recipe, {"--rts"}));
  EXPECT_EQ(one.hash(), plain.hash());
  EXPECT_NE(one.session_event("warning").dump().find("nothing to shard"), std::string::npos);
}

}  // namespace
}  // namespace convoy
