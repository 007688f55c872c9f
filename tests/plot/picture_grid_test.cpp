#include "plot/picture_grid.h"

#include <gtest/gtest.h>

#include "pictures/png.h"

namespace convoy::test {
namespace {

Pixels flat(int64_t width, int64_t height, uint8_t grey) {
  return {{0, 0, width, height},
          std::vector<uint8_t>(static_cast<size_t>(width * height * 4), grey)};
}

TEST(PictureGrid, EnlargesByAWholeFactorAndReducesLargePictures) {
  const Pixels small = flat(5, 4, 10), large = flat(400, 200, 10);
  // Gaps of 8 around and below each; no captions.
  const Pixels one = picture_grid(std::vector<GridCell>{{&small, ""}}, 4, 16);
  EXPECT_EQ(one.region.width, 8 + 16 + 8);
  EXPECT_EQ(one.region.height, 8 + 12 + 16);
  const Pixels two = picture_grid(std::vector<GridCell>{{&large, ""}, {&large, ""}}, 4, 100);
  EXPECT_EQ(two.region.width, 8 + 2 * 108);
  EXPECT_EQ(two.region.height, 8 + 50 + 16);
  EXPECT_EQ(two.at(8, 8)[0], 10);
  EXPECT_EQ(two.at(8 + 99, 8 + 49)[0], 10);
  EXPECT_EQ(two.at(8 + 100, 8)[0], 255) << "beside the first";
}

TEST(PictureGrid, EachPixelIsASquare) {
  Pixels picture = flat(3, 2, 0);
  for (size_t i = 0; i < 6; ++i) picture.bytes[i * 4] = static_cast<uint8_t>(10 * (i + 1));
  const Pixels grid = picture_grid(std::vector<GridCell>{{&picture, ""}}, 1, 12);
  for (int64_t y = 0; y < 8; ++y) {
    for (int64_t x = 0; x < 12; ++x) {
      ASSERT_EQ(grid.at(8 + x, 8 + y)[0], 10 * (y / 4 * 3 + x / 4 + 1)) << x << " " << y;
    }
  }
}

TEST(PictureGrid, ThinLinesStayInReducedPictures) {
  Pixels picture = flat(40, 40, 0);
  for (int64_t y = 0; y < 40; ++y) {  // a white column
    for (int64_t c = 0; c < 3; ++c) picture.bytes[static_cast<size_t>((y * 40 + 21) * 4 + c)] = 240;
  }
  const Pixels grid = picture_grid(std::vector<GridCell>{{&picture, ""}}, 1, 10);
  EXPECT_EQ(grid.at(8 + 5, 8)[0], 60) << "a quarter of it";
  EXPECT_EQ(grid.at(8 + 4, 8)[0], 0);
}

TEST(PictureGrid, BothEffortsOfPngHaveTheSamePixels) {
  Pixels picture = flat(37, 23, 0);
  for (size_t i = 0; i < picture.bytes.size(); ++i) {
    picture.bytes[i] = static_cast<uint8_t>(i % 4 == 3 ? 0 : i * i % 251);
  }
  for (const PngEffort effort : {PngEffort::usual, PngEffort::quick}) {
    Pixels read;
    std::vector<std::string> remarks;
    decode_png(encode_png(picture, effort), "a picture", read, remarks);
    ASSERT_EQ(read.region.width, 37);
    ASSERT_EQ(read.region.height, 23);
    for (int64_t y = 0; y < 23; ++y) {
      for (int64_t x = 0; x < 37; ++x) {
        for (int c = 0; c < 3; ++c) ASSERT_EQ(read.at(x, y)[c], picture.at(x, y)[c]);
      }
    }
  }
}

// Whether a row of the grid has ink.
bool has_ink(const Pixels& grid, int64_t from, int64_t to) {
  for (int64_t y = from; y < to; ++y) {
    for (int64_t x = 0; x < grid.region.width; ++x) {
      if (grid.at(x, y)[0] < 128) return true;
    }
  }
  return false;
}

TEST(PictureGrid, LongCaptionsHaveUpToThreeLines) {
  const Pixels picture = flat(160, 160, 200);
  const auto height = [&](const char* caption) {
    return picture_grid(std::vector<GridCell>{{&picture, caption}}, 1, 160).region.height;
  };
  const int64_t line = height("cat") - height("");
  EXPECT_GT(line, 14);
  EXPECT_EQ(height("class 3 not class 7") - height(""), 2 * line);
  EXPECT_EQ(height("class 3 not class 7, loss 2.34") - height(""), 3 * line);
  EXPECT_EQ(height(std::string(500, 'x').c_str()) - height(""), 3 * line);
  const Pixels grid =
      picture_grid(std::vector<GridCell>{{&picture, "class 3 not class 7"}}, 1, 160);
  EXPECT_TRUE(has_ink(grid, 8 + 160 + 4, 8 + 160 + 4 + line));
  EXPECT_TRUE(has_ink(grid, 8 + 160 + 4 + line, grid.region.height)) << "the second line";
}

}  // namespace
}  // namespace convoy::test
