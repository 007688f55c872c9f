#include "train/tree_accumulator.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"
#include "kernels/sums.h"
#include "support/session.h"

namespace convoy {
namespace {

// Of very different sizes, so that another order of the sum shows.
std::vector<float> leaf(uint64_t number, size_t floats) {
  Random random(random_key(3, Purpose::generated, number));
  std::vector<float> made(floats);
  for (float& x : made) x = static_cast<float>(random.normal() * std::exp2(random.below(20)));
  return made;
}

TEST(TreeAccumulator, SumsWhatComesOneByOneAsTheWholeTreeDoes) {
  constexpr size_t floats = 37;
  for (const int capacity : {17, 64}) {
    TreeAccumulator tree(floats, capacity);  // used again and again
    for (size_t count = 1; count <= 17; ++count) {
      std::vector<float> rows;
      for (size_t i = 0; i < count; ++i) {
        std::vector<float> next = leaf(i, floats);
        rows.insert(rows.end(), next.begin(), next.end());
        tree.push(next, test::pool(2));
      }
      kernels::tree_sum(rows.data(), floats, static_cast<int64_t>(count), floats);
      std::vector<float> sum(floats);
      tree.finish(sum, test::pool(2));
      EXPECT_TRUE(std::equal(sum.begin(), sum.end(), rows.begin())) << count;
    }
  }
}

TEST(TreeAccumulator, TheLastLeafMayComeInPieces) {
  constexpr size_t floats = 37;
  for (size_t count = 1; count <= 9; ++count) {
    TreeAccumulator at_once(floats, 9), tree(floats, 9);
    for (size_t i = 0; i < count; ++i) {
      std::vector<float> a = leaf(i, floats), b = a;
      at_once.push(a, test::pool(2));
      if (i + 1 < count) tree.push(b, test::pool(2));
    }
    std::vector<float> expected(floats), sum(floats), last = leaf(count - 1, floats);
    at_once.finish(expected, test::pool(2));
    for (const auto& [begin, length] : {std::pair<size_t, size_t>{16, 21}, {0, 16}}) {
      tree.finish_with(std::span(last).subspan(begin, length), static_cast<int64_t>(begin),
                       std::span(sum).subspan(begin, length), test::pool(2));
    }
    tree.clear();
    EXPECT_EQ(sum, expected) << count;
  }
}

TEST(TreeAccumulator, APairOfAlignedHalvesMakesTheWhole) {
  // What two processes that own half of the replicas each would send (design 2.4).
  constexpr size_t floats = 16;
  TreeAccumulator whole(floats, 8), half(floats, 4);
  std::vector<std::vector<float>> halves(2, std::vector<float>(floats));
  for (uint64_t i = 0; i < 8; ++i) {
    std::vector<float> a = leaf(i, floats), b = a;
    whole.push(a, test::pool(1));
    half.push(b, test::pool(1));
    if (i % 4 == 3) half.finish(halves[i / 4], test::pool(1));
  }
  std::vector<float> sum(floats);
  whole.finish(sum, test::pool(1));
  kernels::accumulate(halves[0].data(), halves[1].data(), floats);
  EXPECT_EQ(sum, halves[0]);
}

}  // namespace
}  // namespace convoy
