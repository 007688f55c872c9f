// The plan's promises about memory, kept against the system's own count.

#include "train/run/run_needs.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/process.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

RunConfig config_of(Settings more) {
  Settings settings{{"dataset", {"generated", "test"}}, {"threads", {"2", "test"}}};
  for (auto& [key, value] : more) settings[key] = value;
  Fields field(settings);
  RunConfig config;
  config.describe(field);
  return config;
}

TEST(RunNeeds, GrowWithTheBatchAndHoldEveryKind) {
  const RunConfig config =
      config_of({{"model", {"resnet18", "test"}}, {"batch-size", {"4", "test"}}});
  const RunSetup setup(config);
  const MemoryNeeds at4 = memory_needs(setup);
  const MemoryNeeds at8 = memory_needs(setup, NetworkPlans(*setup.task, setup.network_spec(8)));
  EXPECT_EQ(at4.state, at8.state);
  EXPECT_GE(at4.state, 3 * 11'689'512 * 4) << "weights, gradients, momentum";
  EXPECT_GT(at8.workspace, at4.workspace + at4.workspace / 2);
  EXPECT_GT(at8.loader, at4.loader);
  EXPECT_GT(at4.libraries, 0);
  EXPECT_EQ(at4.peak(), at4.state + at4.workspace + at4.loader + at4.libraries);
}

TEST(RunNeeds, ProcessesThatShareTheUpdateHoldAShareOfTheOptimisersBuffers) {
  const auto needs = [](const char* shard, ProcessPlace process) {
    const RunConfig config = config_of({{"model", {"resnet18", "test"}},
                                        {"optimizer", {"adamw", "test"}},
                                        {"batch-size", {"4", "test"}},
                                        {"replicas", {"4", "test"}},
                                        {"shard-optimizer", {shard, "test"}}});
    return memory_needs(RunSetup(config, {}, process));
  };
  const int64_t whole = needs("false", {1, 4}).state, shared = needs("true", {1, 4}).state;
  constexpr double slots = 2 * 11'689'512 * 4.0;
  EXPECT_NEAR(static_cast<double>(whole - shared), slots * 3 / 4, slots / 100);
  EXPECT_EQ(needs("true", {0, 1}).state, whole) << "one process has nothing to share";
  // Rank 0 puts them together for a checkpoint, one of the two in place of the gradients.
  EXPECT_NEAR(
      static_cast<double>(needs("true", {0, 4}).workspace - needs("false", {0, 4}).workspace),
      slots / 2, slots / 100);
}

TEST(RunNeeds, BytesAreAQuarterOfTheLoadersFloats) {
  const auto needs = [](const char* bytes) {
    const RunConfig config = config_of({{"model", {"resnet18", "test"}},
                                        {"batch-size", {"4", "test"}},
                                        {"prefetch", {"3", "test"}},
                                        {"eight-bit-io", {bytes, "test"}}});
    return memory_needs(RunSetup(config));
  };
  const MemoryNeeds floats = needs("false"), bytes = needs("true");
  // Four batches of 4 images for training, four of 16 for evaluation; three bytes saved of four.
  constexpr int64_t image = 3 * 224 * 224;
  EXPECT_EQ(floats.loader - bytes.loader, 4 * (4 + 16) * image * 3);
  // The network holds its floats itself, once.
  EXPECT_LE(bytes.workspace - floats.workspace, 16 * image * 4);
  EXPECT_LT(bytes.workspace + bytes.loader, floats.workspace + floats.loader);
}

TEST(RunNeeds, TheLargestBatchFitsAndTheNextDoesNot) {
  const RunConfig config =
      config_of({{"model", {"resnet50", "test"}}, {"batch-size", {"5000", "test"}}});
  const RunSetup setup(config);
  for (const int64_t limit : {int64_t{2} << 30, int64_t{7} << 30, int64_t{100} << 30}) {
    const int64_t batch = largest_batch(setup, limit);
    ASSERT_GT(batch, 0);
    const auto needs = [&](int64_t b) {
      return memory_needs(setup, NetworkPlans(*setup.task, setup.network_spec(b)));
    };
    EXPECT_TRUE(fits(needs(batch), limit)) << batch;
    EXPECT_FALSE(fits(needs(batch + 1), limit)) << batch;
  }
  EXPECT_EQ(largest_batch(setup, 100 << 20), 0) << "not even one image";
}

TEST(RunNeeds, WhatDoesNotFitIsRefusedWithWhatWould) {
  const RunConfig config = config_of({{"model", {"resnet50", "test"}},
                                      {"batch-size", {"512", "test"}},
                                      {"memory", {"4G", "test"}}});
  const RunSetup setup(config);
  const TempFolder folder;
  try {
    refuse_what_cannot_fit(setup, folder.path());
    FAIL() << "it was not refused";
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::no_space);
    const std::string said = e.what();
    const int64_t largest = largest_batch(setup, int64_t{4} << 30);
    const auto expect_said = [&](const std::string& part) {
      EXPECT_NE(said.find(part), std::string::npos) << said;
    };
    expect_said("the largest --batch-size that fits is " + std::to_string(largest));
    // The same step in pieces, and what that changes.
    ASSERT_GE(largest, 32);
    ASSERT_LT(largest, 64);
    expect_said("--batch-size 32 --gradient-accumulation-count 16, the same 512 images a step");
    expect_said("batch norm is over 32 images instead of 512");
  }
}

std::string refusal(const Settings& options) {
  const RunConfig config = config_of(options);
  const TempFolder folder;
  try {
    refuse_what_cannot_fit(RunSetup(config), folder.path());
  } catch (const Error& e) {
    EXPECT_EQ(e.fault(), Fault::no_space);
    return e.what();
  }
  return "it was not refused";
}

TEST(RunNeeds, TheRefusalPrefersWhatChangesNothingAndTellsWhatElseChanges) {
  const auto expect_said = [](const std::string& said, const char* part) {
    EXPECT_NE(said.find(part), std::string::npos) << said;
  };
  const Settings many{{"model", {"resnet50", "test"}},
                      {"batch-size", {"8", "test"}},
                      {"replicas", {"16", "test"}},
                      {"memory", {"4G", "test"}}};
  EXPECT_EQ(refusal(many), "it was not refused") << "in sequence they fit, and auto takes that";
  Settings together = many;
  together["replica-mode"] = {"together", "test"};
  expect_said(refusal(together), "try: --replica-mode sequence, which trains the same weights");
  // Replicas that share batch norm: what it is over are all of a group.
  Settings groups = many;
  groups["replicas"] = {"2", "test"};
  groups["bn-span"] = {"2", "test"};
  groups["batch-size"] = {"64", "test"};
  const std::string said = refusal(groups);
  expect_said(said, " images instead of 128");
  expect_said(said, "running statistics move ");
  // Groups of two are in memory one after another; groups of three all at once.
  groups["batch-size"] = {"8", "test"};
  groups["replicas"] = {"64", "test"};
  EXPECT_EQ(refusal(groups), "it was not refused");
  groups["replicas"] = {"66", "test"};
  groups["bn-span"] = {"3", "test"};
  expect_said(refusal(groups), "66 replicas that share batch norm in groups of 3");
}

TEST(RunNeeds, AmountsOfMemoryAreReadOrRefused) {
  EXPECT_THROW(config_of({{"memory", {"lots", "test"}}}), Error);
  EXPECT_EQ(memory_limit(config_of({{"memory", {"1.5GiB", "test"}}})), int64_t{3} << 29);
  EXPECT_EQ(memory_limit(config_of({})), memory_limit_bytes());
}

TEST(RunNeeds, TimeFollowsTheMachine) {
  const RunConfig config = config_of({{"model", {"cifar_resnet20", "test"}}});
  const RunSetup setup(config);
  const double slow = estimated_step_seconds(setup.plans, {.flops = 1e11, .bytes = 1e10});
  const double fast = estimated_step_seconds(setup.plans, {.flops = 2e11, .bytes = 2e10});
  EXPECT_GT(slow, 0);
  EXPECT_NEAR(slow / fast, 2, 1e-6);
}

}  // namespace
}  // namespace convoy::test
