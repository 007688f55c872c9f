// The names of the points at which networks can be split, as recipes of Graphcore spell them.

#include "train/memory/pipeline.h"

#include <gtest/gtest.h>

#include <set>

#include "models/model.h"
#include "support/network.h"
#include "train/step/network_plans.h"
#include "train/tasks/classification.h"

namespace convoy::test {
namespace {

std::vector<SplitPoint> points_of(const std::string& model, bool bf16) {
  const Classification task(find_model(model).variant, 10, {});
  const auto optimizer = default_optimizer("sgd");
  NetworkSpec spec{.image = find_model(model).image(64),
                   .watch = {},
                   .optimizer = optimizer.get(),
                   .step = {.micro_batch = 2}};
  spec.storage.bf16 = bf16;
  const NetworkPlans plans(task, spec);
  return split_points(plans.find("train")->graph);
}

TEST(Pipeline, TheNamesInRecipesAreThere) {
  const std::vector<std::pair<std::string, std::set<std::string>>> wanted{
      {"resnet50",
       {"b1/0/relu", "b1/2/relu", "b2/0/relu", "b2/2/relu", "b2/3/relu", "b3/0/relu", "b3/3/relu",
        "b3/5/relu"}},
      {"resnet18", {"b1/0/relu", "b2/1/relu", "b3/0/relu"}},
      {"graphcore_efficientnet_b4",
       {"block2b", "block2c", "block4b", "block4c", "block6a", "block6c"}}};
  for (const auto& [model, names] : wanted) {
    for (const bool bf16 : {false, true}) {
      std::set<std::string> found;
      double flops = 0, activations = 0;
      for (const SplitPoint& point : points_of(model, bf16)) {
        EXPECT_TRUE(found.insert(split_name(point.block)).second) << point.block;
        EXPECT_GT(point.carried, 0) << point.block;
        EXPECT_GE(point.flops, flops) << point.block;
        EXPECT_GT(point.activations, activations) << point.block;
        flops = point.flops;
        activations = point.activations;
      }
      EXPECT_LE(flops, 1);
      EXPECT_LE(activations, 1);
      for (const std::string& name : names) EXPECT_TRUE(found.contains(name)) << model << name;
    }
  }
}

TEST(Pipeline, BlocksHaveTheNamesOfGraphcoresPrograms) {
  EXPECT_EQ(split_name("layer1.2"), "b1/2/relu");
  EXPECT_EQ(split_name("features.2.1"), "block2b");
  EXPECT_EQ(split_name("stage3.1"), "stage3.1");
}

}  // namespace
}  // namespace convoy::test
