// The sums of a step against what a plain recursion over the replicas gives.

#include "train/step/step_sums.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/random.h"
#include "support/session.h"

namespace convoy {
namespace {

constexpr int64_t params = 70, stats = 6;

StateLayout layout() {
  StateLayout made;
  made.param_floats = params;
  made.stat_floats = stats;
  return made;
}

using Floats = std::vector<float>;

// Of very different sizes, so that another order of the sum shows.
Floats made_by(int replica, int micro, int64_t floats) {
  Random random(random_key(3, Purpose::generated, static_cast<uint64_t>(replica * 100 + micro)));
  Floats made(static_cast<size_t>(floats));
  for (float& x : made) x = static_cast<float>(random.normal() * std::exp2(random.below(20)));
  return made;
}

float rounded(float x) {
  uint32_t bits = std::bit_cast<uint32_t>(x);
  bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000u);
}

// A balanced tree over replicas [first, first + n).
template <class F>
float tree(int first, int n, const F& leaf) {
  if (n == 1) return leaf(first);
  const auto left = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n)) / 2);
  return tree(first, left, leaf) + tree(first + left, n - left, leaf);
}

Floats expected_gradients(const StepShape& shape) {
  std::vector<Floats> leaves;
  for (int r = 0; r < shape.local_replicas(); ++r) {
    Floats& sum = leaves.emplace_back(made_by(r, 0, params));
    for (int m = 1; m < shape.accumulation; ++m) {
      const Floats next = made_by(r, m, params);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += next[i];
    }
    for (float& x : sum) x = shape.narrow ? rounded(x) : x;
  }
  Floats total(params);
  for (size_t i = 0; i < total.size(); ++i) {
    total[i] =
        tree(0, shape.local_replicas(), [&](int r) { return leaves[static_cast<size_t>(r)][i]; });
  }
  return total;
}

void check(const StepShape& shape, const std::vector<Bucket>& pieces) {
  StepSums sums(shape, layout(), test::pool(2));
  Floats total(params);
  for (int step = 0; step < 2; ++step) {
    sums.start();
    for (int r = 0; r < shape.local_replicas(); ++r) {
      for (int m = 0; m < shape.accumulation; ++m) {
        const Floats grads = made_by(r, m, params), batch = made_by(r, 50 + m, stats);
        for (const Bucket& piece : pieces) sums.add(r, m, piece, grads.data() + piece.begin);
        sums.set_statistics(r, m, batch);
      }
      if (shape.narrow) round_to_bf16(sums.leaf(r, {0, params}), test::pool(2));
      if (shape.lanes() == 1 && r < shape.local_replicas() - 1) sums.push(r);
      const bool ends = (r + 1) % shape.lanes() == 0 && r + 1 < shape.local_replicas();
      for (int k = r + 1 - shape.lanes(); shape.lanes() > 1 && ends && k <= r; ++k) sums.push(k);
    }
    for (const Bucket& piece : pieces) {
      sums.sum(piece, std::span(total).subspan(static_cast<size_t>(piece.begin),
                                               static_cast<size_t>(piece.count)));
    }
    const std::span<float> where = sums.leaf(0, sums.all_statistics());
    sums.sum(sums.all_statistics(), where);
    EXPECT_EQ(total, expected_gradients(shape));
    for (int m = 0; m < shape.accumulation; ++m) {
      for (size_t i = 0; i < stats; ++i) {
        EXPECT_EQ(sums.leaf(0, sums.statistics(m))[i], tree(0, shape.local_replicas(), [&](int r) {
                    return made_by(r, 50 + m, stats)[i];
                  }));
      }
    }
  }
}

TEST(StepSums, AreThoseOfABalancedTreeOverReplicas) {
  for (const int replicas : {1, 2, 3, 4, 5, 7}) {
    for (const int accumulation : {1, 2, 3}) {
      for (const int span : {1, 2, replicas}) {
        if (replicas % span != 0) continue;
        for (const bool narrow : {false, true}) {
          const StepShape shape{
              .replicas = replicas, .accumulation = accumulation, .narrow = narrow, .span = span};
          check(shape, {{0, params}});
          check(shape, {{48, params - 48}, {0, 16}, {16, 32}});  // piece by piece, in any order
        }
      }
    }
  }
}

TEST(StepSums, TakeNothingWhereOneRunMakesThem) {
  EXPECT_EQ(StepSums::bytes({.replicas = 4, .together = true}, layout()), 0);
  const int64_t leaf = (params + 2 * stats) * 4, padded = 96 * 4;
  EXPECT_EQ(StepSums::bytes({.accumulation = 2}, layout()), leaf);
  EXPECT_EQ(StepSums::bytes({.replicas = 4, .accumulation = 2}, layout()), leaf + 2 * padded);
  EXPECT_EQ(StepSums::bytes({.replicas = 4, .accumulation = 2, .span = 4}, layout()), 4 * leaf);
  // A group of two, and the sum of the other.
  EXPECT_EQ(StepSums::bytes({.replicas = 4, .accumulation = 2, .span = 2}, layout()),
            2 * leaf + 2 * padded);
}

}  // namespace
}  // namespace convoy
