#include "boxes/decode.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace convoy {
namespace {

TEST(Decode, ACodeMovesAndStretchesItsDefaultBox) {
  const CentredBox from{0.5f, 0.25f, 0.2f, 0.4f};
  const float none[] = {0, 0, 0, 0};
  const Box same = decode(from, none);
  EXPECT_FLOAT_EQ(same.ymin, 0.4f);
  EXPECT_FLOAT_EQ(same.xmin, 0.05f);
  EXPECT_FLOAT_EQ(same.ymax, 0.6f);
  EXPECT_FLOAT_EQ(same.xmax, 0.45f);
  // Down by half its height, left by its width; twice as high, half as wide.
  const float ln2 = std::log(2.0f);
  const float code[] = {5, -10, 5 * ln2, -5 * ln2};
  const Box other = decode(from, code);
  EXPECT_NEAR(other.ymin, 0.6 - 0.2, 1e-6);
  EXPECT_NEAR(other.ymax, 0.6 + 0.2, 1e-6);
  EXPECT_NEAR(other.xmin, -0.15 - 0.1, 1e-6);  // not clipped
  EXPECT_NEAR(other.xmax, -0.15 + 0.1, 1e-6);
}

TEST(Decode, CandidatesAreTheObjectsWithAScoreAboveTheLimit) {
  // Three boxes of four classes: background alone; two objects; one object just at the limit.
  const std::vector<float> logits{9, 0, 0, 0, /**/ 0, 2, 1.5f, -3, /**/ 0, 0, -90, -90};
  std::vector<Candidate> found;
  find_candidates(logits.data(), 4, 0, 3, 0.2f, found);
  ASSERT_EQ(found.size(), 3u);
  const double sum = 1 + std::exp(2) + std::exp(1.5) + std::exp(-3);
  EXPECT_EQ(found[0].box, 1);
  EXPECT_EQ(found[0].label, 1);
  EXPECT_NEAR(found[0].score, std::exp(2) / sum, 1e-6);
  EXPECT_EQ(found[1].label, 2);
  EXPECT_NEAR(found[1].score, std::exp(1.5) / sum, 1e-6);
  EXPECT_EQ(found[2].box, 2);
  EXPECT_EQ(found[2].score, 0.5f);
  // Exactly the limit is not above it, and only the asked boxes are looked at.
  found.clear();
  find_candidates(logits.data(), 4, 2, 3, 0.5f, found);
  EXPECT_TRUE(found.empty());
  find_candidates(logits.data(), 4, 0, 2, 0.0f, found);
  EXPECT_EQ(found.size(), 6u);
}

}  // namespace
}  // namespace convoy
