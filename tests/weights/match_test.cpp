#include "weights/match.h"

#include <gtest/gtest.h>

#include <cstring>

#include "support/weight_writers.h"

namespace convoy::test {
namespace {

const std::vector<Wanted> small{{"conv1.weight", {4, 3, 3, 3}, false},
                                {"bn1.running_mean", {4}, false},
                                {"fc.weight", {12, 4}, true},
                                {"fc.bias", {12}, true}};

std::vector<FakeTensor> like(const std::vector<Wanted>& wanted, const std::string& prefix = "") {
  std::vector<FakeTensor> tensors;
  for (const Wanted& w : wanted) tensors.push_back({prefix + w.name, w.shape});
  return tensors;
}

TEST(Match, EqualNamesAndShapesAreAPair) {
  const WeightFile file = fake_file(like(small));
  const Match match = match_weights(file, small);
  EXPECT_EQ(match.pairs.size(), 4u);
  EXPECT_TRUE(match.fits(HeadPolicy::must_fit));
  EXPECT_EQ(match.verdict(), "4 of 4 tensors");
  EXPECT_EQ(match.rename, "");
}

TEST(Match, PrefixesThatAllTensorsCarryAreStripped) {
  for (const char* prefix : {"module.", "model.", "_orig_mod.", "backbone.", "net.",
                             "module.model.", "_orig_mod.module.", "module.module."}) {
    auto tensors = like(small, prefix);
    tensors.push_back({"n_averaged", {}});  // what is no weight has no say
    tensors.push_back({std::string(prefix) + "bn1.num_batches_tracked", {}});
    const WeightFile file = fake_file(tensors);
    EXPECT_EQ(match_weights(file, small).verdict(), "4 of 4 tensors") << prefix;
  }
  // Not where only some do.
  auto tensors = like(small, "backbone.");
  tensors.push_back({"head.weight", {1}});
  const WeightFile file = fake_file(tensors);
  const Match match = match_weights(file, small);
  EXPECT_EQ(match.pairs.size(), 0u);
  EXPECT_EQ(match.unused.size(), 5u);
}

TEST(Match, OptimiserSlotsAndCountersAreLeftAside) {
  auto tensors = like(small);
  for (const char* name :
       {"bn1.num_batches_tracked", "global_step", "fc.weight/Momentum", "conv1.weight/Adam",
        "conv1.weight/Adam_1", "beta1_power", "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE",
        "a/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE",
        "save_counter/.ATTRIBUTES/VARIABLE_VALUE"}) {
    tensors.push_back({name, {1}});
  }
  const WeightFile file = fake_file(tensors);
  EXPECT_TRUE(match_weights(file, small).fits(HeadPolicy::must_fit));
}

TEST(Match, AHeadOfOtherClassesIsNewWhereThatIsAllowed) {
  auto tensors = like(small);
  tensors[2].shape = {1000, 4};
  tensors[3].shape = {1000};
  const WeightFile file = fake_file(tensors);
  const Match match = match_weights(file, small);
  EXPECT_EQ(match.verdict(), "2 of 4 tensors; new: fc.weight, fc.bias (1000 → 12)");
  EXPECT_TRUE(match.fits(HeadPolicy::may_be_new));
  EXPECT_FALSE(match.fits(HeadPolicy::must_fit));

  // Another width is no matter of classes, nor is a head of integers.
  tensors[2].shape = {1000, 5};
  EXPECT_FALSE(match_weights(fake_file(tensors), small).fits(HeadPolicy::may_be_new));
  tensors[2].shape = {1000};
  EXPECT_FALSE(match_weights(fake_file(tensors), small).fits(HeadPolicy::may_be_new));
}

TEST(Match, WhatIsMissingDifferentOrLeftOverIsNamed) {
  auto tensors = like(small);
  tensors[0].shape = {4, 3, 7, 7};
  tensors.erase(tensors.begin() + 1);
  tensors.push_back({"layer9 \n", {1}});
  const WeightFile file = fake_file(tensors);
  const Match match = match_weights(file, small);
  EXPECT_EQ(match.verdict(),
            "2 of 4 tensors; different: conv1.weight (4x3x7x7, the model has 4x3x3x3); missing: "
            "bn1.running_mean; without a place: \"layer9 \\n\"");
  EXPECT_FALSE(match.fits(HeadPolicy::may_be_new));

  std::vector<Wanted> many;
  for (int i = 0; i < 9; ++i) many.push_back({fmt::format("a{}", i), {1}, false});
  EXPECT_EQ(match_weights(fake_file({}), many).verdict(),
            "0 of 9 tensors; missing: a0, a1, a2 and 6 more");
}

TEST(Match, IntegersAreNoWeights) {
  WeightData data("x", 0);
  const auto owner = std::make_shared<const std::string>(bytes_of<int64_t>(1));
  data.keep(owner);
  data.add("w", View::row_major(Element::s64, {1}), as_bytes(*owner));
  const WeightFile file("fake", std::move(data));
  const std::vector<Wanted> wanted{{"w", {1}, false}};
  EXPECT_EQ(match_weights(file, wanted).verdict(),
            "0 of 1 tensors; different: w (s64 1, the model has 1)");
}

TEST(Match, KernelsOfTensorFlowAreTurned) {
  // Each value says where it was: h, w, i, o in decimal digits.
  std::vector<float> hwio;
  for (int h = 0; h < 2; ++h) {
    for (int w = 0; w < 3; ++w) {
      for (int i = 0; i < 4; ++i) {
        for (int o = 0; o < 5; ++o) hwio.push_back(float(1000 * h + 100 * w + 10 * i + o));
      }
    }
  }
  const std::string bytes = floats(hwio);
  const TensorEntry kernel{"k", DType::f32, {2, 3, 4, 5}, as_bytes(bytes)};
  EXPECT_EQ(arranged(kernel.shape, Arrangement::hwio), (Shape{5, 4, 2, 3}));
  std::vector<float> ours(hwio.size());
  copy_renamed(kernel, {"k", Arrangement::hwio}, ours);
  for (int o = 0; o < 5; ++o) {
    for (int i = 0; i < 4; ++i) {
      for (int h = 0; h < 2; ++h) {
        for (int w = 0; w < 3; ++w) {
          EXPECT_EQ(ours[size_t(((o * 4 + i) * 2 + h) * 3 + w)],
                    float(1000 * h + 100 * w + 10 * i + o));
        }
      }
    }
  }
  EXPECT_EQ(arranged(kernel.shape, Arrangement::hwim), (Shape{20, 1, 2, 3}));
  copy_renamed(kernel, {"k", Arrangement::hwim}, ours);
  EXPECT_EQ(ours[0], 0);
  EXPECT_EQ(ours[size_t((4 * 3 + 2) * 6 + 5)], 1000 + 200 + 10 * 2 + 4);  // channel 14: i 2, m 4

  const std::string four = floats({0, 1, 2, 3, 4, 5});
  const TensorEntry dense{"d", DType::f32, {2, 3}, as_bytes(four)};
  std::vector<float> turned(6);
  copy_renamed(dense, {"d", Arrangement::in_out}, turned);
  EXPECT_EQ(arranged(dense.shape, Arrangement::in_out), (Shape{3, 2}));
  EXPECT_EQ(turned, (std::vector<float>{0, 3, 1, 4, 2, 5}));
  copy_renamed(dense, {"d"}, turned);
  EXPECT_EQ(turned, (std::vector<float>{0, 1, 2, 3, 4, 5}));
  // Channels in another order, of 2 out and 3 in, as they lie and turned.
  copy_renamed(dense, {"d", Arrangement::same, {1, 0}, {2, 0, 1}}, turned);
  EXPECT_EQ(turned, (std::vector<float>{5, 3, 4, 2, 0, 1}));
  copy_renamed(dense, {"d", Arrangement::in_out, {2, 0, 1}, {1, 0}}, turned);
  EXPECT_EQ(turned, (std::vector<float>{5, 2, 3, 0, 4, 1}));
  const TensorEntry flat{"f", DType::f32, {6}, as_bytes(four)};
  copy_renamed(flat, {"f", Arrangement::same, {5, 4, 3, 2, 1, 0}}, turned);
  EXPECT_EQ(turned, (std::vector<float>{5, 4, 3, 2, 1, 0}));
}

}  // namespace
}  // namespace convoy::test
