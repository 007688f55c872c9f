#include "train/step/tree_accumulator.h"

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
  for (const int capacity : {16, 64}) {
    TreeAccumulator tree(floats, capacity);  // used again and again
    for (size_t count = 1; count <= 17; ++count) {
      std::vector<float> rows, next;
      for (size_t i = 0; i < count; ++i) {
        next = leaf(i, floats);
        rows.insert(rows.end(), next.begin(), next.end());
        if (i + 1 < count) tree.push(next, test::pool(2));
      }
      kernels::tree_sum(rows.data(), floats, static_cast<int64_t>(count), floats);
      std::vector<float> sum(floats);
      tree.sum(next, 0, sum, test::pool(2));
      tree.clear();
      EXPECT_TRUE(std::equal(sum.begin(), sum.end(), rows.begin())) << count;
    }
  }
}

TEST(TreeAccumulator, TheLastLeafMayComeInPieces) {
  constexpr size_t floats = 37;
  for (size_t count = 1; count <= 9; ++count) {
    TreeAccumulator at_once(floats, 8), tree(floats, 8);
    std::vector<float> last;
    for (size_t i = 0; i < count; ++i) {
      last = leaf(i, floats);
      if (i + 1 == count) break;
      std::vector<float> copy = last;
      at_once.push(last, test::pool(2));
      tree.push(copy, test::pool(2));
    }
    std::vector<float> expected(floats), sum(floats), whole = last;
    at_once.sum(whole, 0, expected, test::pool(2));
    for (const auto& [begin, length] : {std::pair<size_t, size_t>{16, 21}, {0, 16}}) {
      tree.sum(std::span(last).subspan(begin, length), static_cast<int64_t>(begin),
               std::span(sum).subspan(begin, length), test::pool(2));
    }
    EXPECT_EQ(sum, expected) << count;
  }
}

TEST(TreeAccumulator, APairOfAlignedHalvesMakesTheWhole) {
  // What two processes that own half of the replicas each would send.
  constexpr size_t floats = 16;
  TreeAccumulator whole(floats, 7), half(floats, 3);
  std::vector<std::vector<float>> halves(2, std::vector<float>(floats));
  std::vector<float> sum(floats);
  for (uint64_t i = 0; i < 8; ++i) {
    std::vector<float> a = leaf(i, floats), b = a;
    if (i < 7) whole.push(a, test::pool(1));
    if (i == 7) whole.sum(a, 0, sum, test::pool(1));
    if (i % 4 < 3) {
      half.push(b, test::pool(1));
    } else {
      half.sum(b, 0, halves[i / 4], test::pool(1));
      half.clear();
    }
  }
  kernels::accumulate(halves[0].data(), halves[1].data(), floats);
  EXPECT_EQ(sum, halves[0]);
}

}  // namespace
}  // namespace convoy
