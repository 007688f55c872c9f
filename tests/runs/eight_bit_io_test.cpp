// --eight-bit-io: images travel as bytes and the network's first node makes floats of them. It
// saves memory and changes no bit.

#include <gtest/gtest.h>
#include <signal.h>

#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::run_convoy;
using test::tiny;
using test::TinyRun;

const Arguments bytes{"--eight-bit-io"};

// All that a run says about its results.
std::vector<std::string> results_of(const TinyRun& run) {
  std::vector<std::string> all{test::weights_hash_of(run.dir())};
  for (const char* kind : {"train", "eval"}) {
    const std::vector<std::string> said = test::comparable_events(run.dir(), kind);
    EXPECT_FALSE(said.empty()) << kind;
    all.insert(all.end(), said.begin(), said.end());
  }
  return all;
}

TEST(EightBitIoRun, ChangesNoResult) {
  // 250 and 50 samples: no batch divides them.
  const Arguments recipe = tiny({"--generated-samples", "250", "--epochs", "2", "--augment",
                                 "pad-crop,flip", "--crop-padding", "2", "--log-steps", "5"});
  for (const Arguments& more : std::vector<Arguments>{
           {},
           {"--normalise", "none", "--lr", "1e-5"},
           {"--mean", "0.1,0.5,0.9", "--std", "0.2,0.3,0.4", "--hostside-norm"},
           {"--epoch-tail", "short", "--ema-decay", "0.9"},
           {"--auto-augment", "ra", "--color-jitter", "0.4,0.4,0.4,0.1"},
           {"--replicas", "2", "--replica-mode", "together"},
           {"--replicas", "2", "--replica-mode", "sequence"},
           {"--replicas", "2", "--gradient-accumulation-count", "3", "--epoch-tail", "carry"}}) {
    SCOPED_TRACE(testing::PrintToString(more));
    const TinyRun floats(joined(recipe, more));
    Arguments other = joined(recipe, more);
    std::erase(other, "--hostside-norm");
    const TinyRun same(joined(other, bytes));
    floats.whole();
    same.whole();
    EXPECT_EQ(results_of(same), results_of(floats));
  }
}

TEST(EightBitIoRun, IsResumedAfterAKillAndEvaluatedAlone) {
  const Arguments recipe =
      tiny({"--epochs", "6", "--checkpoint-steps", "4", "--augment", "pad-crop,flip"});
  const TinyRun floats(recipe), cut(joined(recipe, bytes));
  floats.whole();
  test::Process process(cut.train(), cut.folder());
  ASSERT_TRUE(process.until([&] { return !test::checkpoint_steps(cut.dir()).empty(); }));
  process.send(SIGKILL);
  process.wait();
  const Finished end = run_convoy(TinyRun::resume(), cut.folder());
  ASSERT_EQ(end.code, 0) << end.err;
  EXPECT_EQ(results_of(cut), results_of(floats));
  // The weights know nothing of it: they are what they would have been.
  const test::RunRecord with = test::run_record(cut.dir()),
                        without = test::run_record(floats.dir());
  EXPECT_EQ(with.at("weights/last.safetensors"), without.at("weights/last.safetensors"));
  const Finished alone = run_convoy({"eval", "--checkpoint", "runs/a", "--json"}, cut.folder());
  ASSERT_EQ(alone.code, 0) << alone.err;
  const Json last = test::events(cut.dir(), "eval").back();
  for (const char* key : {"top1", "top5", "correct", "total", "loss"}) {
    EXPECT_EQ(Json::parse(alone.out).at(key).dump(), last.at(key).dump()) << key;
  }
}

TEST(EightBitIoRun, PlanAndBenchKnowOfIt) {
  const test::TempFolder folder;
  const auto json = [&](const Arguments& arguments) {
    const Finished end = run_convoy(arguments, folder.path());
    EXPECT_EQ(end.code, 0) << end.err;
    return Json::parse(end.out);
  };
  const Arguments plan{"plan", "--model", "resnet18", "--batch-size", "8", "--json"};
  const Json floats = json(plan).at("memory"), saved = json(joined(plan, bytes)).at("memory");
  EXPECT_LT(saved.at("loader_bytes").get<int64_t>(), floats.at("loader_bytes").get<int64_t>() / 3);
  EXPECT_LT(saved.at("peak_bytes").get<int64_t>(), floats.at("peak_bytes").get<int64_t>());

  const Arguments bench =
      joined({"bench", "--steps", "2", "--warmup-steps", "1", "--json"}, tiny());
  EXPECT_EQ(json(joined(bench, bytes)).at("losses"), json(bench).at("losses"));
  EXPECT_GT(json(joined(joined(bench, {"--mode", "infer"}), bytes)).at("images_per_s"), 0);
  const Json images = json({"bench", "data", "--dataset", "generated", "--generated-samples", "64",
                            "--rounds", "1", "--eight-bit-io", "--json"});
  EXPECT_GT(images.at("images_per_s"), 0);
}

TEST(EightBitIoRun, WhatNeedsFloatsOrContradictsIsRefused) {
  const test::TempFolder folder;
  const auto refused = [&](const Arguments& more, const std::vector<std::string>& words) {
    const Finished end = run_convoy(joined({"train"}, tiny(more)), folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    for (const std::string& word : words) {
      EXPECT_NE(end.err.find(word), std::string::npos) << "lacks '" << word << "': " << end.err;
    }
    EXPECT_TRUE(!fs::exists(folder / "runs") || fs::is_empty(folder / "runs"));
  };
  refused({"--eight-bit-io", "--normalise", "standardise"}, {"standardise", "mean-std"});
  refused({"--eight-bit-io", "--augment", "pad-crop,pad-crop"}, {"pad-crop", "eight-bit-io"});
  refused({"--eight-bit-io", "--hostside-norm"}, {"eight-bit-io", "hostside-norm"});
  refused({"--no-hostside-norm"}, {"hostside-norm", "--eight-bit-io"});
}

}  // namespace
}  // namespace convoy
