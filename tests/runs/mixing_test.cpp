// Mixup and cutmix in whole runs: the recipe alone fixes what is mixed with what.

#include <gtest/gtest.h>

#include "support/run_files.h"

namespace convoy {
namespace {

using test::Arguments;
using test::Finished;
using test::joined;
using test::Json;
using test::tiny;
using test::TinyRun;

std::string weights_of(const Arguments& recipe, int processes = 0) {
  const TinyRun run(recipe);
  const Finished end = processes ? test::run_convoy_on(processes, run.train(), run.folder())
                                 : test::run_convoy(run.train(), run.folder());
  EXPECT_EQ(end.code, 0) << end.err;
  const std::vector<std::string> lines = test::lines_of(end.out);
  EXPECT_TRUE(!lines.empty() && lines.back().starts_with("weights ")) << end.out;
  return lines.empty() ? "" : lines.back();
}

const std::vector<Arguments> forms{
    {"--mixup-alpha", "0.2"},
    {"--mixup-alpha", "0.2", "--mixup-form", "sample"},
    {"--mixup-alpha", "0.2", "--mixup-form", "reversed"},
    {"--cutmix-alpha", "1"},
    {"--mixup-alpha", "0.2", "--cutmix-alpha", "1"},
    {"--cutmix-lambda", "0.85"},
    {"--mixup-alpha", "0.2", "--cutmix-lambda", "0.85", "--label-smoothing", "0.1",
     "--label-smoothing-kind", "others"},
    {"--mixup-alpha", "0.2", "--cutmix-lambda", "0.85", "--cutmix-version", "2"}};

TEST(MixingRun, EveryFormTrainsSomethingElse) {
  const Arguments recipe = tiny({"--max-steps", "3", "--eval-epochs", "0"});
  std::set<std::string> all{weights_of(recipe)};
  for (const Arguments& form : forms) all.insert(weights_of(joined(recipe, form)));
  EXPECT_EQ(all.size(), forms.size() + 1);
}

TEST(MixingRun, ThreadsWorkersBytesAndProcessesChangeNothing) {
  for (const Arguments& form : {forms[2], forms[4], forms[6]}) {
    const Arguments recipe = joined(
        tiny({"--max-steps", "5", "--eval-epochs", "0", "--batch-size", "8", "--replicas", "3"}),
        form);
    const std::string expected = weights_of(recipe);
    for (const Arguments& variant :
         {Arguments{"--replica-mode", "sequence"}, Arguments{"--replica-mode", "together"},
          Arguments{"--workers", "3", "--eight-bit-io"}}) {
      EXPECT_EQ(weights_of(joined(recipe, variant)), expected) << testing::PrintToString(variant);
    }
    EXPECT_EQ(weights_of(recipe, 2), expected);
  }
  const Arguments accumulated =
      tiny({"--max-steps", "3", "--eval-epochs", "0", "--batch-size", "4", "--replicas", "2",
            "--gradient-accumulation-count", "3", "--mixup-alpha", "1"});
  EXPECT_EQ(weights_of(accumulated, 2), weights_of(accumulated));
  const Arguments in_step = tiny({"--max-steps", "3", "--eval-epochs", "0", "--batch-size", "4",
                                  "--replicas", "2", "--sync-bn", "--mixup-alpha", "1"});
  EXPECT_EQ(weights_of(in_step, 2), weights_of(in_step));
}

// Epochs of 16 steps and one of a single sample, which has no partner to be mixed with.
TEST(MixingRun, AShortStepMixesWhatItHas) {
  for (const char* samples : {"257", "259"}) {
    const TinyRun run(tiny({"--generated-samples", samples, "--epochs", "2", "--epoch-tail",
                            "short", "--mixup-alpha", "0.2", "--cutmix-lambda", "0.7"}));
    run.whole();
    const std::vector<Json> start = test::events(run.dir(), "run_start");
    ASSERT_EQ(start.size(), 1u);
    EXPECT_EQ(start[0].at("steps_per_epoch"), 17) << start[0];
  }
}

TEST(MixingRun, MixingIsForTrainingAlone) {
  // With a rate of 0 the weights stay: evaluation cannot tell, the training loss can.
  const auto losses = [](const Arguments& more) {
    const TinyRun run(tiny(joined({"--epochs", "1", "--lr", "0", "--bn-momentum", "0"}, more)));
    run.whole();
    return std::pair(test::comparable_events(run.dir(), "eval").back(),
                     test::comparable_events(run.dir(), "train").back());
  };
  const auto plain = losses({}), mixed = losses({"--mixup-alpha", "1"});
  EXPECT_EQ(plain.first, mixed.first);
  EXPECT_NE(plain.second, mixed.second);
}

TEST(MixingRun, RefusesWhatCannotBeMixed) {
  const test::TempFolder folder;
  for (const auto& [options, words] : std::vector<std::pair<Arguments, std::string>>{
           {{"--batch-size", "1", "--mixup-alpha", "0.2"}, "try: --batch-size 2"},
           {{"--cutmix-version", "2"}, "try: --cutmix-lambda 0.85"},
           {{"--cutmix-alpha", "1", "--cutmix-lambda", "0.5"}, "two kinds of cutmix"},
           {{"--swa-start-epoch", "3", "--ema-decay", "0.9"}, "a run has one"}}) {
    const Finished end = test::run_convoy(joined({"train"}, tiny(options)), folder.path());
    EXPECT_EQ(end.code, 2) << end.err;
    EXPECT_EQ(test::lines_of(end.err).size(), 1u) << end.err;
    EXPECT_NE(end.err.find(words), std::string::npos) << end.err;
  }
}

}  // namespace
}  // namespace convoy
