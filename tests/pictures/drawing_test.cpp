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

// What `draw` writes to the file that it is given.
template <class Draw>
Pixels written(const Draw& draw) {
  const TempFolder folder;
  draw(folder / "drawn.png");
  const std::string bytes = read_file(folder / "drawn.png", Fault::bug);
  EXPECT_EQ(PictureDecoder().open(bytes, "drawn").format, PictureFormat::png);
  return decode_picture(bytes, "drawn", false);
}

Pixels drawn(const Pixels& pixels, const std::vector<PredictionLine>& lines) {
  return written([&](const fs::path& out) { draw_prediction(pixels, lines, out); });
}

Pixels drawn(const Pixels& pixels, const std::vector<DrawnObject>& objects) {
  return written([&](const fs::path& out) { draw_objects(pixels, objects, out); });
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
  EXPECT_EQ(drawn(plain(2048, 512), std::vector<PredictionLine>{}).region,
            (PixelRect{0, 0, 1024, 256}));
  EXPECT_EQ(drawn(plain(1, 3000), std::vector<PredictionLine>{}).region,
            (PixelRect{0, 0, 320, 1024}));
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

TEST(Drawing, AnObjectHasAFrameOfTwoPixels) {
  const Pixels picture = plain(400, 300);
  const Pixels all =
      drawn(picture, {{.x = 40.4, .y = 50, .width = 100, .height = 80, .colour = 3}});
  ASSERT_EQ(all.region, picture.region);
  const std::string colour = rgb_of(all, {40, 50, 1, 1});
  EXPECT_NE(colour, "ZZZ");
  for (int64_t y = 45; y < 135; ++y) {
    for (int64_t x = 35; x < 145; ++x) {
      const bool inside = x >= 40 && x < 140 && y >= 50 && y < 130;
      const bool deep = x >= 42 && x < 138 && y >= 52 && y < 128;
      EXPECT_EQ(rgb_of(all, {x, y, 1, 1}), inside && !deep ? colour : "ZZZ") << x << ", " << y;
    }
  }
  // Another class has another colour.
  const Pixels other =
      drawn(picture, {{.x = 40, .y = 50, .width = 100, .height = 80, .colour = 4}});
  EXPECT_NE(rgb_of(other, {40, 50, 1, 1}), colour);
  EXPECT_NE(rgb_of(other, {40, 50, 1, 1}), "ZZZ");
}

TEST(Drawing, ObjectsAreDrawnWhereTheResizedPictureIs) {
  // Enlarged by 11: 28 pixels become 308, with margins of 6 on the left and right.
  const Pixels small = drawn(plain(28, 28), {{.x = 2, .y = 3, .width = 4, .height = 5}});
  ASSERT_EQ(small.region, (PixelRect{0, 0, 320, 308}));
  const std::string colour = rgb_of(small, {6 + 22, 33, 1, 1});
  EXPECT_NE(colour, "ZZZ");
  EXPECT_EQ(rgb_of(small, {6 + 65, 87, 1, 1}), colour);
  EXPECT_EQ(rgb_of(small, {6 + 66, 88, 1, 1}), "ZZZ");
  EXPECT_EQ(rgb_of(small, {6 + 21, 32, 1, 1}), "ZZZ");
  // Boxes end where the picture ends.
  const Pixels edge = drawn(plain(400, 300), {{.x = -50, .y = -9, .width = 1e6, .height = 1e300}});
  for (const PixelRect corner :
       {PixelRect{0, 0, 1, 1}, {399, 0, 1, 1}, {0, 299, 1, 1}, {399, 299, 1, 1}}) {
    EXPECT_EQ(rgb_of(edge, corner), rgb_of(small, {6 + 22, 33, 1, 1}));
  }
  EXPECT_EQ(rgb_of(edge, {2, 2, 1, 1}), "ZZZ");
}

TEST(Drawing, ALabelIsAboveItsObjectAndInsideThePicture) {
  constexpr int64_t label = 19;
  const Pixels all =
      drawn(plain(400, 300),
            {{.x = 100, .y = 100, .width = 90, .height = 50, .label = "dog 93 %"},
             {.x = 360, .y = 5, .width = 40, .height = 200, .label = "giraffe 51 %", .colour = 1},
             {.x = 10,
              .y = 200,
              .width = 30,
              .height = 30,
              .label = std::string(300, 'w'),
              .colour = 2}});
  EXPECT_GT(colours(all, {100, 100 - label, 60, label}), 2u);
  EXPECT_EQ(colours(all, {100, 100 - label - 5, 60, 5}), 1u);  // nothing higher
  EXPECT_EQ(colours(all, {104, 104, 60, label}), 1u);          // nor in the box
  EXPECT_GT(colours(all, {330, 5, 60, label}), 2u);            // no room above: inside, moved left
  EXPECT_GT(colours(all, {0, 200 - label, 400, label}), 2u);   // shortened to the whole width
}

TEST(Drawing, TheFirstObjectIsOnTop) {
  const DrawnObject one{.x = 50, .y = 50, .width = 100, .height = 100, .colour = 1};
  DrawnObject two = one;
  two.colour = 2;
  const auto corner = [](const Pixels& pixels) { return rgb_of(pixels, {50, 50, 1, 1}); };
  EXPECT_EQ(corner(drawn(plain(400, 300), {one, two})), corner(drawn(plain(400, 300), {one})));
  EXPECT_NE(corner(drawn(plain(400, 300), {one, two})), corner(drawn(plain(400, 300), {two, one})));
}

TEST(Drawing, AFolderThatIsNotThereIsRefused) {
  expect_raises(Fault::usage, {"nowhere"},
                [] { draw_prediction(plain(8, 8), {}, "nowhere/x.png"); });
}

}  // namespace
}  // namespace convoy::test
