#include "boxes/scores/confidence.h"

#include <gtest/gtest.h>

#include "base/random.h"

namespace convoy {
namespace {

CocoTruth truth(double x, int category, bool crowd = false) {
  return {
      .x = x, .y = 0, .width = 10, .height = 10, .area = 100, .category = category, .crowd = crowd};
}
CocoDetection found(double x, int category, double score) {
  return {.x = x, .y = 0, .width = 10, .height = 10, .score = score, .category = category};
}

size_t at(double score) { return static_cast<size_t>(score * (confidence_steps - 1) + 0.5); }

TEST(Confidence, CountsWhatIsRightAboveEachScore) {
  const std::vector<ScoredPicture> pictures{
      {1, {truth(0, 0), truth(50, 0)}, {found(1, 0, 0.9), found(90, 0, 0.6), found(50, 0, 0.3)}},
      {2, {truth(0, 1)}, {found(0, 1, 0.5)}}};
  const ConfidenceCurves curves = confidence_curves(pictures, 3);
  const ConfidenceCurve& first = curves.classes[0];
  EXPECT_EQ(first.objects, 2);
  EXPECT_EQ(first.pictures, 1);
  EXPECT_EQ(first.precision[at(0.95)], 1);  // nothing is found
  EXPECT_EQ(first.recall[at(0.95)], 0);
  EXPECT_EQ(first.precision[at(0.9)], 1);
  EXPECT_EQ(first.recall[at(0.9)], 0.5);
  EXPECT_EQ(first.precision[at(0.6)], 0.5);
  EXPECT_DOUBLE_EQ(first.precision[at(0.3)], 2.0 / 3);
  EXPECT_EQ(first.recall[at(0.0)], 1);
  EXPECT_DOUBLE_EQ(first.f1[at(0.2)], 0.8);
  // The class without objects is not in the mean.
  EXPECT_EQ(curves.mean.objects, 3);
  EXPECT_EQ(curves.mean.pictures, 2);
  EXPECT_DOUBLE_EQ(curves.mean.recall[at(0.4)], 0.75);
  EXPECT_DOUBLE_EQ(curves.mean.f1[at(0.3)], 0.9);
  EXPECT_EQ(curves.best, 0);  // 0.9 up to 0.3, the first of equals
}

TEST(Confidence, CrowdsCountNeitherWay) {
  const std::vector<ScoredPicture> pictures{
      {1, {truth(0, 0), truth(50, 0, true)}, {found(0, 0, 0.9), found(50, 0, 0.8)}}};
  const ConfidenceCurve curve = confidence_curves(pictures, 1).classes[0];
  EXPECT_EQ(curve.objects, 1);
  EXPECT_EQ(curve.precision[at(0.1)], 1);
  EXPECT_EQ(curve.recall[at(0.1)], 1);
}

// Against counting each step anew.
TEST(Confidence, AgreesWithCountingAgain) {
  std::vector<ScoredPicture> pictures;
  Random random(4);
  for (int64_t i = 0; i < 30; ++i) {
    ScoredPicture picture{i, {}, {}};
    for (int k = 0; k < 4; ++k) picture.truths.push_back(truth(100 * k, 0));
    for (int k = 0; k < 6; ++k) {  // alone at its place, so that matches are clear
      picture.found.push_back(found(100 * k + 14 * random.uniform(), 0, random.uniform()));
    }
    pictures.push_back(picture);
  }
  const ConfidenceCurve curve = confidence_curves(pictures, 1).classes[0];
  for (int step = 0; step < confidence_steps; step += 37) {
    int taken = 0, right = 0;
    for (const ScoredPicture& picture : pictures) {
      for (size_t k = 0; k < picture.found.size(); ++k) {
        const CocoDetection& one = picture.found[k];
        if (one.score < confidence(step)) continue;
        ++taken;
        const double apart = one.x - 100 * static_cast<double>(k);
        right += k < 4 && (10 - apart) / (10 + apart) >= 0.5;
      }
    }
    const auto s = static_cast<size_t>(step);
    EXPECT_DOUBLE_EQ(curve.precision[s], taken ? right / static_cast<double>(taken) : 1);
    EXPECT_DOUBLE_EQ(curve.recall[s], right / 120.0);
  }
}

TEST(Confidence, WithoutObjectsThereIsNoMean) {
  const ConfidenceCurves curves = confidence_curves({}, 2);
  EXPECT_EQ(curves.mean.objects, 0);
  EXPECT_TRUE(curves.mean.f1.empty());
}

}  // namespace
}  // namespace convoy
