#include "boxes/default_boxes.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

void expect_box(const CentredBox& box, double cy, double cx, double h, double w) {
  EXPECT_NEAR(box.cy, cy, 1e-6);
  EXPECT_NEAR(box.cx, cx, 1e-6);
  EXPECT_NEAR(box.h, h, 1e-6);
  EXPECT_NEAR(box.w, w, 1e-6);
}

TEST(DefaultBoxes, ThoseOfSsd300AreThePublishedOnes) {
  const DefaultBoxes boxes(ssd300_boxes());
  ASSERT_EQ(boxes.count(), 8732);
  int64_t first = 0;
  const int64_t counts[] = {5776, 2166, 600, 150, 36, 4};
  for (size_t map = 0; map < 6; first += counts[map++]) {
    EXPECT_EQ(boxes.maps()[map].boxes(), counts[map]);
  }
  EXPECT_EQ(first, boxes.count());
  expect_box(boxes.centred().front(), 0.5 / 37.5, 0.5 / 37.5, 0.07, 0.07);
  expect_box(boxes.centred()[5776], 0.5 / 18.75, 0.5 / 18.75, 0.15, 0.15);
  // Wide, then tall; the longest sides are clipped to the image.
  expect_box(boxes.centred()[2 * 1444], 0.5 / 37.5, 0.5 / 37.5, 0.049497, 0.098995);
  expect_box(boxes.centred()[3 * 1444 + 39], 1.5 / 37.5, 1.5 / 37.5, 0.098995, 0.049497);
  expect_box(boxes.centred()[8730], 0.5, 0.5, 0.615183, 1);
  expect_box(boxes.centred()[8731], 0.5, 0.5, 1, 0.615183);
}

TEST(DefaultBoxes, CornersMayLieOutsideOfTheImage) {
  const DefaultBoxes boxes(ssd300_boxes());
  const Box& first = boxes.corners().front();
  EXPECT_NEAR(first.ymin, 0.013333 - 0.035, 1e-6);
  EXPECT_NEAR(first.xmax, 0.013333 + 0.035, 1e-6);
  const Box& last = boxes.corners().back();
  EXPECT_NEAR(last.ymax, 1, 1e-6);
  EXPECT_NEAR(last.xmin, 0.5 - 0.3075915, 1e-6);
}

TEST(Box, IntersectionsOfBoxesThatTouchAreEmpty) {
  const Box box{0, 0, 0.5f, 0.5f};
  EXPECT_EQ(intersection(box, {0.5f, 0, 1, 1}), 0);
  EXPECT_EQ(intersection(box, {0.75f, 0.75f, 1, 1}), 0);
  EXPECT_EQ(intersection(box, {0.25f, 0.25f, 1, 1}), 0.0625f);
  EXPECT_EQ(box.area(), 0.25f);
}

}  // namespace
}  // namespace convoy
