#include "ops/conv/conv_cost.h"

#include <gtest/gtest.h>

#include "ops/conv/conv_algorithm.h"
#include "ops/conv/conv_name.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

ConvShape shape(const char* name, int64_t images) {
  ConvShape s = *conv_by_name(name);
  s.n = images;
  return s;
}

TEST(ConvCost, CountsWhatIsComputedInVain) {
  // 20 channels lie in 24 at avx2 and in 32 at avx512; 7 pixels are two tiles of 4.
  const ConvShape s = shape("20@7x7->20/3x3/s1/p1", 3);
  const auto work = [&](ConvAlgorithm a, Isa level) {
    return conv_work(a, s, ConvPass::forward, level);
  };
  EXPECT_EQ(work(ConvAlgorithm::direct, Isa::avx2).products, 3 * 49 * 9 * 24 * 24);
  EXPECT_EQ(work(ConvAlgorithm::direct, Isa::avx512).products, 3 * 49 * 9 * 32 * 32);
  const ConvWork f4 = work(ConvAlgorithm::winograd_f4, Isa::avx2);
  EXPECT_EQ(f4.products, 3 * 4 * 36 * 24 * 24);
  EXPECT_EQ(f4.points, 3 * 4 * 36 * (24 + 24));
  EXPECT_EQ(f4.weights, 36 * 24 * 24);
  EXPECT_EQ(f4.pixels, 3 * 49 * 48);
  EXPECT_EQ(f4.reads, 2 * f4.weights) << "12 tiles are two chunks of six";
  EXPECT_EQ(f4.far + f4.sums, 0);
  EXPECT_EQ(work(ConvAlgorithm::winograd_f2, Isa::avx2).products, 3 * 16 * 16 * 24 * 24);
}

TEST(ConvCost, TilesCoverWhatAPassWrites) {
  const ConvShape s = shape("32@6x6->32/3x3/s1/p0", 1);  // to 4x4 pixels
  EXPECT_EQ(conv_work(ConvAlgorithm::winograd_f4, s, ConvPass::forward, Isa::avx2).products,
            36 * 32 * 32);
  EXPECT_EQ(conv_work(ConvAlgorithm::winograd_f4, s, ConvPass::grad_input, Isa::avx2).products,
            4 * 36 * 32 * 32);
}

TEST(ConvCost, GroupsMultiplyOnlyWithinThemselves) {
  const ConvShape s = shape("128@28x28->128/3x3/s1/p1/g4", 2);
  EXPECT_EQ(conv_work(ConvAlgorithm::direct, s, ConvPass::forward, Isa::avx512).products,
            2 * 784 * 9 * 32 * 128);
}

TEST(ConvCost, EveryAlgorithmHasRatesForEveryPassItCanCompute) {
  for (const Isa level : {Isa::sse41, Isa::avx2, Isa::avx512, Isa::avx512_bf16, Isa::amx}) {
    for (const char* name : {"64@56x56->64/3x3/s1/p1", "64@56x56->256/1x1/s1/p0",
                             "64@56x56->64/3x3/s1/p1/bf16", "64@56x56->256/1x1/s1/p0/bf16"}) {
      for (const ConvAlgorithm a : conv_algorithms()) {
        for (const ConvPass pass : conv_passes) {
          const ConvShape s = shape(name, 16);
          if (!can_compute(a, s, pass)) continue;
          const auto cost = conv_estimate(a, s, pass, level);
          ASSERT_TRUE(cost) << algorithm_name(a) << " " << pass_name(pass);
          EXPECT_GT(*cost, 0);
          // Four times the images are about four times the work, and never less work.
          const auto more = conv_estimate(a, shape(name, 64), pass, level);
          EXPECT_GT(*more, *cost);
          EXPECT_LT(*more, 5 * *cost);
        }
      }
    }
  }
}

TEST(ConvCost, TheLargestImagesFitIntoTheNumbers) {
  const ConvShape s = shape("1024@2048x2048->1024/3x3/s1/p1", 128);
  for (const ConvAlgorithm a : conv_algorithms()) {
    const auto cost = conv_estimate(a, s, ConvPass::forward, Isa::avx2);
    EXPECT_GT(*cost, int64_t{1} << 50) << algorithm_name(a);
  }
}

}  // namespace
}  // namespace convoy::ops
