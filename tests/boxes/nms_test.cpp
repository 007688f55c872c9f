#include "boxes/nms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace convoy {
namespace {

std::vector<float> scores_after(float max_overlap, std::vector<Detection> detections) {
  suppress(max_overlap, detections);
  std::vector<float> scores;
  for (const Detection& d : detections) scores.push_back(d.score);
  return scores;
}

using Scores = std::vector<float>;
constexpr Box square{0, 0, 1, 1};

TEST(Nms, AnOverlapOfTheLimitIsTooMuch) {
  const Box half{0, 0, 0.5f, 1}, less{0, 0, 0.499f, 1}, other{2, 2, 3, 3};
  EXPECT_EQ(overlap(square, half), 0.5f);
  EXPECT_EQ(scores_after(0.5f, {{square, 1, 0.9f}, {half, 1, 0.8f}, {other, 1, 0.7f}}),
            (Scores{0.9f, 0.7f}));
  EXPECT_EQ(scores_after(0.5f, {{square, 1, 0.9f}, {less, 1, 0.8f}}), (Scores{0.9f, 0.8f}));
}

TEST(Nms, WhatIsDroppedDropsNothing) {
  // Each box covers most of its neighbours; the third is far enough from the first.
  const auto at = [](float x) { return Box{0, x, 1, x + 1}; };
  ASSERT_GE(overlap(at(0), at(0.3f)), 0.5f);
  ASSERT_LT(overlap(at(0), at(0.6f)), 0.5f);
  EXPECT_EQ(scores_after(0.5f, {{at(0), 1, 0.9f}, {at(0.3f), 1, 0.8f}, {at(0.6f), 1, 0.7f}}),
            (Scores{0.9f, 0.7f}));
  EXPECT_TRUE(scores_after(0.5f, {}).empty());
}

TEST(Nms, BoxesWithoutAreaExcludeEachOther) {
  const Box point{0.5f, 0.5f, 0.5f, 0.5f}, line{0, 0.1f, 1, 0.1f};
  EXPECT_TRUE(std::isnan(overlap(point, line)));
  EXPECT_EQ(overlap(point, square), 0);
  EXPECT_EQ(scores_after(0.5f, {{point, 1, 0.9f}, {line, 1, 0.8f}, {square, 1, 0.7f}}),
            (Scores{0.9f, 0.7f}));
}

}  // namespace
}  // namespace convoy
