// Whole runs on several processes, started by mpirun as a user would.

#include "support/processes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "support/places.h"
#include "support/tiny_pictures.h"

namespace convoy {
namespace {

using test::Arguments;
using test::convoy_program;
using test::Finished;
using test::joined;
using test::Json;
using Trained = test::ProcessesRun;

Arguments recipe(const Arguments& more = {}) { return test::processes_recipe(more); }

TEST(ProcessesDist, AnyNumberTrainsTheSameWeights) {
  const Trained alone(0, recipe());
  ASSERT_EQ(alone.hash().size(), 16u);
  for (const int processes : {1, 2, 3, 4}) {
    const Trained many(processes, recipe());
    EXPECT_EQ(many.hash(), alone.hash()) << processes;
    EXPECT_EQ(many.numbers(), alone.numbers()) << processes;
    EXPECT_EQ(test::checkpoint_steps(many.dir), test::checkpoint_steps(alone.dir)) << processes;
  }
  EXPECT_NE(Trained(2, recipe({"--seed", "2"})).hash(), alone.hash());
}

TEST(ProcessesDist, OtherVerbsOnOtherRanksAreRefused) {
  const test::TempFolder folder;
  for (const Arguments& other :
       std::vector<Arguments>{{"resume", "runs/x"}, {"eval", "--checkpoint", "x.safetensors"}}) {
    const Finished result = test::run_convoy_on(
        1,
        joined(joined({"train", "--dataset", "generated"}, {":", "-np", "1", convoy_program()}),
               other),
        folder.path());
    EXPECT_EQ(result.code, 2) << result.err;
    EXPECT_NE(result.err.find("rank 0 was started as convoy train, rank 1 as convoy " + other[0]),
              std::string::npos)
        << result.err;
  }
}

TEST(ProcessesDist, AccumulationAndBf16TooAndReplicasOneAfterAnother) {
  for (const Arguments& more : std::vector<Arguments>{
           {"--gradient-accumulation-count", "2", "--bn-update", "step", "--batch-size", "4"},
           {"--gradient-accumulation-count", "3", "--batch-size", "2", "--ema-decay", "0.9"},
           {"--replica-mode", "sequence", "--replicas", "6", "--batch-size", "4"},
           {"--exchange-precision", "bf16"}}) {
    const Trained alone(0, recipe(more)), two(2, recipe(more)), three(3, recipe(more));
    EXPECT_EQ(two.hash(), alone.hash()) << more[1];
    EXPECT_EQ(three.hash(), alone.hash()) << more[1];
    EXPECT_EQ(three.numbers(), alone.numbers()) << more[1];
  }
  EXPECT_NE(Trained(2, recipe({"--exchange-precision", "bf16"})).hash(),
            Trained(2, recipe()).hash());
}

TEST(ProcessesDist, GroupsOfReplicasShareBatchNormWhereverTheyRun) {
  std::vector<std::string> hashes;
  for (const Arguments& more : std::vector<Arguments>{
           {"--BN-span", "2"},
           {"--sync-bn"},
           {"--bn-span", "2", "--exchange-precision", "bf16"},
           {"--bn-span", "4", "--gradient-accumulation-count", "2", "--batch-size", "4"}}) {
    const Trained alone(0, recipe(more));
    hashes.push_back(alone.hash());
    for (const int processes : {2, 3, 4}) {
      const Trained many(processes, recipe(more));
      EXPECT_EQ(many.hash(), alone.hash()) << more.front() << " on " << processes;
      EXPECT_EQ(many.numbers(), alone.numbers()) << more.front() << " on " << processes;
    }
  }
  hashes.push_back(Trained(0, recipe()).hash());
  for (size_t i = 0; i < hashes.size(); ++i) {
    for (size_t k = 0; k < i; ++k) EXPECT_NE(hashes[i], hashes[k]) << i << " and " << k;
  }
}

// Four replicas of 8 that share everything are one of 32.
TEST(ProcessesDist, AllReplicasInOneGroupAreOneBatch) {
  const Arguments first{"--max-steps", "3", "--eval-epochs", "0"};
  const Trained group(0, recipe(joined(first, {"--sync-bn"})));
  const Trained whole(0, recipe(joined(first, {"--replicas", "1", "--batch-size", "32"})));
  const Trained apart(0, recipe(first));
  const auto losses = [](const Trained& run) {
    std::vector<double> all;
    for (const Json& event : test::events(run.dir, "train")) all.push_back(event["loss"]);
    return all;
  };
  ASSERT_EQ(losses(group).size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(losses(group)[i], losses(whole)[i], 1e-4) << i;
    EXPECT_GT(std::abs(losses(apart)[i] - losses(whole)[i]), 1e-3) << i;
  }
}

TEST(ProcessesDist, ACheckpointGoesOnWithAnotherNumber) {
  const Trained alone(0, recipe());
  const Trained part(3, recipe({"--max-steps", "3"}));
  const Trained whole(2, recipe({"--checkpoint-steps", "2", "--checkpoint-keep", "9"}));
  whole.forget_after(2);
  const Finished end = whole.resume(3);
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(whole.session_event("resume")["step"], 2);
  EXPECT_EQ(whole.hash(), alone.hash());
  EXPECT_EQ(whole.numbers(), alone.numbers());
  EXPECT_NE(part.hash(), alone.hash());
}

TEST(ProcessesDist, ASignalToAnyRankSavesOnceAndEndsAll) {
  const Arguments options = recipe({"--epochs", "40", "--log-steps", "1", "--eval-epochs", "0"});
  test::TempFolder folder;
  const fs::path dir = folder / "runs/a";
  test::Process process(joined({"train", "--name", "a", "--quiet"}, options), folder.path(),
                        test::mpirun(2));
  ASSERT_TRUE(process.until(
      [&] { return fs::exists(dir / "metrics.jsonl") && test::events(dir, "train").size() >= 3; }));
  process.send(SIGUSR1);  // mpirun hands it to every rank
  const Finished end = process.wait();
  EXPECT_EQ(end.code, 75) << end.err;
  const Json stop = test::events(dir, "stop").back();
  EXPECT_EQ(stop["signal"], SIGUSR1);
  EXPECT_EQ(test::checkpoint_steps(dir).back(), stop["step"].get<int64_t>());
  const Finished again = test::run_convoy_on(3, {"resume", "runs/a", "--quiet"}, folder.path());
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(test::weights_hash_of(dir), Trained(0, options).hash());
}

TEST(ProcessesDist, MostOfTheExchangeHappensDuringBackward) {
  const Trained two(2,
                    recipe({"--batch-size", "32", "--generated-samples", "512", "--epochs", "4"}));
  const Json exchange = two.session_event("exchange");
  ASSERT_FALSE(exchange.is_null());
  EXPECT_GT(exchange["early_share"].get<double>(), 0.0);
  const double steps = exchange["steps"], gradients = exchange["gradient_bytes"];
  EXPECT_GT(exchange["bytes"].get<double>(), 0.9 * steps * gradients);
  EXPECT_LE(exchange["bytes"].get<double>(), 2.1 * steps * gradients);
}

TEST(ProcessesDist, GradientsOfWhatIsFrozenBeforeTheRestDoNotTravel) {
  // Without batch norm there are no statistics behind the gradients.
  for (const Arguments& model : std::vector<Arguments>{
           {},
           {"--model", "graphcore_resnet10", "--norm", "group", "--generated-image-size", "32"}}) {
    const Arguments frozen = recipe(joined(model, {"--freeze", "all-but-head"}));
    const Trained alone(0, frozen), whole(2, recipe(model)), two(2, frozen);
    EXPECT_EQ(two.hash(), alone.hash());
    EXPECT_EQ(two.numbers(), alone.numbers());
    const Json all = whole.session_event("exchange"), head = two.session_event("exchange");
    EXPECT_GT(head["gradient_bytes"].get<double>(), 0);
    EXPECT_LT(head["gradient_bytes"].get<double>(), 0.2 * all["gradient_bytes"].get<double>());
    const Trained shared(2, joined(frozen, {"--shard-optimizer"}));
    EXPECT_EQ(shared.hash(), alone.hash());
  }
}

TEST(ProcessesDist, EvaluationCountsTheSameOnAnyNumber) {
  const Trained run(0, recipe());
  const Arguments eval{"eval", "--checkpoint",      "runs/a", "--json", "--threads",
                       "1",    "--eval-batch-size", "7"};
  const std::string alone = test::run_convoy(eval, run.folder.path()).out;
  EXPECT_NE(alone.find("\"correct\""), alone.npos);
  for (const int processes : {1, 2, 3}) {
    const Finished end = test::run_convoy_on(processes, eval, run.folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    EXPECT_EQ(Json::parse(end.out), Json::parse(alone)) << processes;
  }
}

TEST(ProcessesDist, TroubleIsToldOnceAndEndsAll) {
  test::TempFolder folder;
  const auto told = [&](const Arguments& options, int code, const std::string& words) {
    const Finished end = test::run_convoy_on(3, options, folder.path());
    EXPECT_EQ(end.code, code) << end.err;
    const size_t at = end.err.find("convoy: error: ");
    ASSERT_NE(at, end.err.npos) << end.err;
    EXPECT_EQ(end.err.find("convoy: error: ", at + 1), end.err.npos) << end.err;
    EXPECT_NE(end.err.find(words), end.err.npos) << end.err;
    EXPECT_NE(end.err.find("[rank 0 host "), end.err.npos) << end.err;
  };
  told(joined({"train"}, recipe({"--replicas", "2"})), 2, "3 processes");
  EXPECT_FALSE(fs::exists(folder / "runs"));
  told(joined({"train"}, recipe({"--no-such-option"})), 2, "no-such-option");
  told(joined({"train", "--quiet"}, recipe({"--lr", "1e30"})), 5, "loss of step");
  told({"resume", "nowhere"}, 4, "nowhere");
  const Finished list = test::run_convoy_on(2, {"list", "models"}, folder.path());
  EXPECT_EQ(list.code, 2) << list.err;
}

// `mpirun -np 1 PROGRAM … : -np 1 PROGRAM …`, each in its folder.
Finished run_two(const Arguments& first, const fs::path& one, const Arguments& second,
                 const fs::path& two) {
  const Arguments before{
      "mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-np", "1",
      "--wdir", one.string()};
  const Arguments between{":", "-np", "1", "--wdir", two.string(), convoy_program()};
  return test::Process(joined(joined(first, between), second), one, before).wait();
}

TEST(ProcessesDist, WhatWasTypedForOneRankAloneIsRefused) {
  test::TempFolder folder;
  const auto refused = [&](const Arguments& one, const Arguments& two, const std::string& words) {
    const Arguments train = joined({"train", "--quiet"}, recipe());
    const Finished end =
        run_two(joined(train, one), folder.path(), joined(train, two), folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_NE(end.err.find("rank 1 (host "), end.err.npos) << end.err;
    EXPECT_NE(end.err.find(words), end.err.npos) << end.err;
    EXPECT_FALSE(fs::exists(folder / "runs"));
  };
  refused({"--lr", "0.1"}, {"--lr", "0.2"}, "was given --lr 0.2, rank 0 --lr 0.1; try: ");
  refused({}, {"--seed", "7"}, "was given --seed 7, rank 0 no --seed");
  refused({"--seed", "7"}, {}, "was given no --seed, rank 0 --seed 7");
}

TEST(ProcessesDist, OtherPicturesOnOneRankAreNamed) {
  test::TempFolder one, two;
  for (const test::TempFolder* place : {&one, &two}) {
    for (const char* split : {"train", "val"}) {
      for (int n = 0; n < 8; ++n) {
        const fs::path folder = *place / "data" / split / (n % 2 ? "cat" : "dog");
        fs::create_directories(folder);
        write_atomically(folder / fmt::format("{}.jpg", n), test::tiny_jpeg(n), Fault::bug);
      }
    }
  }
  const Arguments train{"train",        "--quiet", "--dataset",    "imagefolder",
                        "--data-dir",   "data",    "--model",      "cifar_resnet8",
                        "--replicas",   "2",       "--threads",    "1",
                        "--epochs",     "1",       "--image-size", "8",
                        "--batch-size", "2"};
  const Finished same = run_two(train, one.path(), train, two.path());
  EXPECT_EQ(same.code, 0) << same.err;
  const fs::path changed = two / "data/val/cat/3.jpg";
  const std::string before = read_file(changed, Fault::bug);
  write_atomically(changed, before + "more", Fault::bug);
  const Finished end = run_two(train, one.path(), train, two.path());
  EXPECT_EQ(end.code, 3) << end.err;
  const std::string words = fmt::format(
      "val/cat/3.jpg has {} bytes, rank 0's has {}; try: ", before.size() + 4, before.size());
  EXPECT_NE(end.err.find("rank 1 (host "), end.err.npos) << end.err;
  EXPECT_NE(end.err.find(words), end.err.npos) << end.err;
}

}  // namespace
}  // namespace convoy
