#include "data/views/view_maker.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/raises.h"

namespace convoy {
namespace {

PictureView view_of(const char* name, const PictureSpec& spec, int64_t width, int64_t height,
                    uint64_t key = 0, const std::vector<Box>& boxes = {}) {
  return find_view(name).make(spec)->make(width, height, boxes, Random(key));
}

TEST(ViewMaker, TheMiddleIsTorchvisions) {
  // torchvision's Resize(256) and CenterCrop(224): sizes and offsets that it computes.
  struct Case {
    int64_t width, height, whole_x, whole_y, first_x, first_y;
  };
  for (const Case& c : {Case{500, 375, 341, 256, 58, 16}, Case{375, 500, 256, 341, 16, 58},
                        Case{256, 256, 256, 256, 16, 16}, Case{100, 333, 256, 852, 16, 314},
                        Case{1, 1000, 256, 256000, 16, 127888}}) {
    const PictureView view = view_of("centre", {}, c.width, c.height);
    EXPECT_EQ(view.x.whole, c.whole_x);
    EXPECT_EQ(view.y.whole, c.whole_y);
    EXPECT_EQ(view.x.first, c.first_x) << c.width;
    EXPECT_EQ(view.y.first, c.first_y) << c.height;
    EXPECT_EQ(view.x.count, 224);
    EXPECT_EQ(view.x.from, 0);
    EXPECT_EQ(view.x.length, static_cast<double>(c.width));
  }
  // TensorFlow's rounds down: 341 - 224 = 117, and 58 is its half too; 343 - 224 = 119 is not.
  const PictureSpec legacy{.how = Interpolation::legacy_bilinear};
  EXPECT_EQ(view_of("centre", legacy, 503, 375).x.first, 59);
  EXPECT_EQ(view_of("centre", {}, 503, 375).x.first, 60);
}

TEST(ViewMaker, SquashingKeepsNoProportions) {
  const PictureView view =
      view_of("squash", {.size = 227, .options = {{"eval-resize", "256"}}}, 500, 100);
  EXPECT_EQ(view.x.whole, 256);
  EXPECT_EQ(view.y.whole, 256);
  EXPECT_EQ(view.x.first, 14);
  EXPECT_EQ(view.y.length, 100);
}

// Mean and deviation of area and logarithm of the ratio, over many crops.
struct Moments {
  double area = 0, ratio = 0, ratio_square = 0, least_area = 1, most_area = 0;
};
Moments moments(const char* name, int64_t width, int64_t height, int count,
                const std::vector<Box>& boxes = {}) {
  Moments m;
  for (int i = 0; i < count; ++i) {
    const PictureView view = view_of(name, {}, width, height, mix(static_cast<uint64_t>(i)), boxes);
    EXPECT_GE(view.x.from, 0);
    EXPECT_GE(view.y.from, 0);
    EXPECT_LE(view.x.from + view.x.length, static_cast<double>(width));
    EXPECT_LE(view.y.from + view.y.length, static_cast<double>(height));
    const double area = view.x.length * view.y.length / static_cast<double>(width * height);
    const double ratio = std::log(view.x.length / view.y.length);
    m.area += area / count;
    m.ratio += ratio / count;
    m.ratio_square += ratio * ratio / count;
    m.least_area = std::min(m.least_area, area);
    m.most_area = std::max(m.most_area, area);
  }
  return m;
}

TEST(ViewMaker, RandomCropsAreSpreadAsTheyShould) {
  // torchvision 0.28's get_params on a square of 400, 200,000 crops: a mean area of 0.4797 of the
  // picture, a mean logarithm of the ratio of 0.0000 with a deviation of 0.1592.
  const Moments resized = moments("random-resized", 400, 400, 20000);
  EXPECT_NEAR(resized.area, 0.4797, 0.006);
  EXPECT_NEAR(resized.ratio, 0, 0.004);
  EXPECT_NEAR(std::sqrt(resized.ratio_square), 0.1592, 0.003);
  EXPECT_NEAR(resized.least_area, 0.08, 0.002);
  EXPECT_GT(resized.most_area, 0.98);

  const Moments distorted = moments("distorted-box", 400, 400, 20000);
  // A tenth of the picture must be seen when no object is known, though crops may have a twentieth.
  EXPECT_NEAR(distorted.least_area, 0.1, 0.003);
  EXPECT_GT(distorted.most_area, 0.95);
  // With a small object in a corner, small crops that touch it are allowed.
  const Moments corner = moments("distorted-box", 400, 400, 20000, {{0, 0, 0.05f, 0.05f}});
  EXPECT_LT(corner.least_area, 0.06);
}

TEST(ViewMaker, CropsSeeATenthOfSomeObject) {
  const Box box{0.7f, 0.7f, 0.9f, 0.9f};
  int all = 0;
  for (uint64_t key = 0; key < 2000; ++key) {
    const PictureView view = view_of("distorted-box", {}, 300, 200, mix(key), {box});
    const double w = std::min(270.0, view.x.from + view.x.length) - std::max(210.0, view.x.from);
    const double h = std::min(180.0, view.y.from + view.y.length) - std::max(140.0, view.y.from);
    ASSERT_GT(w, 0);
    ASSERT_GT(h, 0);
    ASSERT_GE(w * h, 0.1 * 60 * 40 * (1 - 1e-5));
    all += view.x.length == 300 && view.y.length == 200;
  }
  EXPECT_LT(all, 100);
}

TEST(ViewMaker, PicturesThatNoCropFitsAreTakenFromTheMiddle) {
  // A line of pixels: torchvision takes the middle, no wider than the ratio allows.
  const PictureView line = view_of("random-resized", {}, 1000, 3, 5);
  EXPECT_EQ(line.x.length, 4);
  EXPECT_EQ(line.x.from, 498);
  EXPECT_EQ(line.y.length, 3);
  const PictureView dot = view_of("distorted-box", {}, 1, 1, 5);
  EXPECT_EQ(dot.x.length, 1);
  EXPECT_EQ(dot.y.length, 1);
}

TEST(ViewMaker, AreaAndRatioCanBeChosen) {
  const PictureSpec spec{.options = {{"crop-area", "0.25,0.25"}, {"crop-ratio", "1,1"}}};
  for (const char* name : {"random-resized", "distorted-box"}) {
    const PictureView view = view_of(name, spec, 200, 200, 3);
    EXPECT_EQ(view.x.length, 100) << name;
    EXPECT_EQ(view.y.length, 100) << name;
  }
  test::expect_raises(Fault::usage, {"unknown crop 'center'", "centre"},
                      [] { find_view("center"); });
}

}  // namespace
}  // namespace convoy
