#include "plot/page.h"

#include <gtest/gtest.h>

namespace convoy {
namespace {

Pixels filled(int64_t width, int64_t height, uint8_t value) {
  Pixels pixels{.region = {3, 5, width, height}, .bytes = {}};
  pixels.bytes.assign(static_cast<size_t>(4 * width * height), value);
  return pixels;
}

TEST(Page, PicturesStandInRowsWithWhiteBetween) {
  const Pixels page = page_of({filled(4, 3, 10), filled(2, 5, 20), filled(4, 3, 30)}, 2, 1);
  EXPECT_EQ(page.region, (PixelRect{0, 0, 9, 11}));
  EXPECT_EQ(page.at(0, 0)[0], 10);
  EXPECT_EQ(page.at(3, 2)[0], 10);
  EXPECT_EQ(page.at(4, 0)[0], 255);
  EXPECT_EQ(page.at(5, 4)[0], 20);
  EXPECT_EQ(page.at(7, 0)[0], 255);
  EXPECT_EQ(page.at(0, 5)[0], 255);
  EXPECT_EQ(page.at(3, 8)[0], 30);
  EXPECT_EQ(page.at(5, 6)[0], 255);
}

TEST(Page, AFewPicturesMakeANarrowPage) {
  EXPECT_EQ(page_of({filled(4, 3, 10)}, 5).region, (PixelRect{0, 0, 4, 3}));
}

}  // namespace
}  // namespace convoy
