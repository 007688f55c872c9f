#include "boxes/scores/confusion.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

constexpr int background = 3;

CocoTruth truth(double x, int category, bool crowd = false) {
  return {
      .x = x, .y = 0, .width = 10, .height = 10, .area = 100, .category = category, .crowd = crowd};
}
CocoDetection found(double x, int category, double score = 0.9) {
  return {.x = x, .y = 0, .width = 10, .height = 10, .score = score, .category = category};
}

TEST(Confusion, EachDetectionAndObjectHasOnePartnerAtMost) {
  const std::vector<ScoredPicture> pictures{
      {1,
       {truth(0, 0), truth(100, 1), truth(200, 2), truth(300, 0, true)},
       {found(0, 0),          // right
        found(1, 0),          // the same object once more
        found(101, 2),        // another class
        found(205, 2),        // too little overlap: 5 / 15
        found(301, 1),        // in a crowd
        found(400, 1, 0.1)}}  // too low a score
  };
  const ConfusionMatrix matrix(pictures, 3);
  EXPECT_EQ(matrix.count(0, 0), 1);
  EXPECT_EQ(matrix.count(0, background), 1);
  EXPECT_EQ(matrix.count(2, 1), 1);
  EXPECT_EQ(matrix.count(background, 2), 1);
  EXPECT_EQ(matrix.count(2, background), 1);
  int64_t all = 0;
  for (int row = 0; row <= 3; ++row) {
    for (int column = 0; column <= 3; ++column) all += matrix.count(row, column);
  }
  EXPECT_EQ(all, 5);
  EXPECT_EQ(matrix.missed(), 1);
  EXPECT_EQ(matrix.false_alarms(), 2);
  EXPECT_EQ(matrix.mistakes(), 4);
  EXPECT_EQ(matrix.share(0, 0), 1);
  EXPECT_EQ(matrix.share(2, 1), 1);
  EXPECT_EQ(matrix.share(2, background), 0.5);
  EXPECT_EQ(ConfusionMatrix({}, 2).share(0, 0), 0);
}

TEST(Confusion, LargerOverlapsGoFirst) {
  // The detection in the middle overlaps both objects; the second one more.
  const std::vector<ScoredPicture> pictures{
      {1, {truth(0, 0), truth(4, 1)}, {found(3, 2), found(0, 0, 0.3)}}};
  const ConfusionMatrix matrix(pictures, 3);
  EXPECT_EQ(matrix.count(2, 1), 1);
  EXPECT_EQ(matrix.count(0, 0), 1);
}

}  // namespace
}  // namespace convoy
