#include "pictures/drawing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "pictures/files.h"
#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

constexpr int64_t line_height = 26, margins = 16;

Pixels drawn(const Pixels& pixels, const std::vector<PredictionLine>& lines) {
  const TempFolder folder;
  draw_prediction(pixels, lines, folder / "drawn.png");
  const std::string bytes = read_file(folder / "drawn.png", Fault::bug);
  EXPECT_EQ(PictureDecoder().open(bytes, "drawn").format, PictureFormat::png);
  return decode_picture(bytes, "drawn", false);
}

Pixels plain(int64_t width, int64_t height) {
  Pixels pixels{{0, 0, width, height}, {}};
  pixels.bytes.assign(static_cast<size_t>(width * height * 4), 90);
  return pixels;
}

// How many colours there are in a part of a row of lines.
size_t colours(const Pixels& p, const PixelRect& region) {
  std::set<std::string> found;
  for (int64_t y = region.y; y < region.y + region.height; ++y) {
    for (int64_t x = region.x; x < region.x + region.width; ++x) {
      found.insert(rgb_of(p, {x, y, 1, 1}));
    }
  }
  return found.size();
}

TEST(Drawing, ThePictureStandsOverItsClasses) {
  const Pixels picture = decode_picture(picture_bytes("flower.jpg"), "flower", false);
  const Pixels all = drawn(picture, {{"anemone", 0.75, true}, {"daisy", 0.2}, {"bee", 0.0}});
  ASSERT_EQ(all.region, (PixelRect{0, 0, 480, 360 + margins + 3 * line_height}));
  EXPECT_EQ(rgb_of(all, picture.region), rgb_of(picture, picture.region));
  // Bars begin at the left and are as long as they are likely.
  const auto bar_end = [&](int64_t line) {
    const int64_t y = 360 + 8 + line * line_height + 1;  // above the letters
    const std::string paper("\xff\xff\xff");
    int64_t x = 8;
    while (x < 480 && rgb_of(all, {x, y, 1, 1}) != paper) ++x;
    return x - 8;
  };
  EXPECT_EQ(bar_end(0), std::lround((480 - 16) * 0.75));
  EXPECT_EQ(bar_end(1), std::lround((480 - 16) * 0.2));
  EXPECT_EQ(bar_end(2), 0);
  EXPECT_NE(rgb_of(all, {9, 369, 1, 1}), rgb_of(all, {9, 369 + line_height, 1, 1}));
  // Letters on the left, numbers on the right.
  for (int64_t line = 0; line < 3; ++line) {
    const int64_t top = 360 + 8 + line * line_height;
    EXPECT_GT(colours(all, {8, top, 60, 22}), 4u);
    EXPECT_GT(colours(all, {410, top, 62, 22}), 4u);
  }
}

TEST(Drawing, SmallPicturesAreEnlargedAndLargeOnesMadeSmaller) {
  const Pixels small = drawn(plain(28, 28), {{"7", 1}});
  EXPECT_EQ(small.region, (PixelRect{0, 0, 320, 308 + margins + line_height}));
  EXPECT_EQ(rgb_of(small, {6, 0, 1, 1}), "ZZZ");
  EXPECT_NE(rgb_of(small, {5, 0, 1, 1}), "ZZZ");
  EXPECT_EQ(rgb_of(small, {313, 307, 1, 1}), "ZZZ");
  EXPECT_NE(rgb_of(small, {314, 307, 1, 1}), "ZZZ");
  EXPECT_EQ(drawn(plain(2048, 512), {}).region, (PixelRect{0, 0, 1024, 256}));
  EXPECT_EQ(drawn(plain(1, 3000), {}).region, (PixelRect{0, 0, 320, 1024}));
}

TEST(Drawing, NamesMayBeLongForeignOrDamaged) {
  const std::string longest(500, 'w');
  const Pixels all = drawn(plain(400, 300), {{longest, 0.5},
                                             {"r\xc3\xa9seau", 0.3},
                                             {"\xff\xfe\xed\xa0\x80\xc3", 0.1},
                                             {std::string("a\0b\n", 4), NAN}});
  ASSERT_EQ(all.region.height, 300 + margins + 4 * line_height);
  for (int64_t line = 0; line < 4; ++line) {
    const int64_t top = 300 + 8 + line * line_height;
    EXPECT_GT(colours(all, {8, top, 60, 22}), 2u) << line;
    // The name keeps away from the number.
    EXPECT_EQ(colours(all, {400 - 8 - 70, top, 5, 22}), 1u) << line;
  }
}

TEST(Drawing, AFolderThatIsNotThereIsRefused) {
  expect_raises(Fault::usage, {"nowhere"},
                [] { draw_prediction(plain(8, 8), {}, "nowhere/x.png"); });
}

}  // namespace
}  // namespace convoy::test
