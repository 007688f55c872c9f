#include "data/sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/augment/augment_chain.h"
#include "data/loading/loader.h"
#include "data/sources/picture_dataset.h"
#include "support/coco_set.h"
#include "support/raises.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

TEST(Sample, HoldsTensorsOfAnyLengthAndForgetsThem) {
  Sample sample;
  uint8_t pixel = 0;
  sample.begin(&pixel);
  sample.add_label(3);
  const auto boxes = sample.add<float>("boxes", {2, 4});
  EXPECT_EQ(boxes.size(), 8u);
  boxes[7] = 0.5f;
  EXPECT_EQ(sample.get<int32_t>("label")[0], 3);
  EXPECT_EQ(sample.get<float>("boxes")[7], 0.5f);
  EXPECT_EQ(sample.find("masks"), nullptr);
  test::expect_raises(Fault::bug, {"no such tensor"}, [&] { sample.get<float>("label"); });
  test::expect_raises(Fault::bug, {"two tensors"}, [&] { sample.add_label(4); });
  sample.begin(&pixel);
  EXPECT_EQ(sample.find("label"), nullptr);
  EXPECT_TRUE(sample.add<float>("boxes", {0, 4}).empty());
}

// A grey picture with one bright square.
class OneSpot final : public PictureSource {
 public:
  static constexpr int64_t width = 90, height = 60, side = 12, left = 54, top = 15;

  int64_t size() const override { return 1; }
  std::vector<std::string> class_names() const override { return {"spot"}; }
  std::string origin(int64_t) const override { return "spot"; }
  void read(int64_t, EncodedPicture& picture) const override {
    picture.bytes = test::spot_bmp({width, height, left, top, side, side});
    picture.label = 0;
    picture.boxes.clear();
  }
};

// The middle of what is bright in the first plane, and how much is.
struct Bright {
  double x = 0, y = 0, weight = 0;
};
Bright bright(const std::vector<float>& image, int64_t size) {
  Bright all;
  for (int64_t y = 0; y < size; ++y) {
    for (int64_t x = 0; x < size; ++x) {
      const double w =
          std::max(0.0, static_cast<double>(image[static_cast<size_t>(y * size + x)]) - 32);
      all.x += w * (static_cast<double>(x) + 0.5);
      all.y += w * (static_cast<double>(y) + 0.5);
      all.weight += w;
    }
  }
  all.x /= all.weight;
  all.y /= all.weight;
  return all;
}

// What the geometry says about a square, against where its pixels are.
TEST(Sample, GeometryFollowsViewsFlipsAndCrops) {
  constexpr int64_t size = 48;
  const double whole = 208.0 * OneSpot::side * OneSpot::side;
  int checked = 0;
  for (const char* view : {"centre", "random-resized", "squash"}) {
    for (const std::vector<std::string>& steps : {std::vector<std::string>{},
                                                  {"flip"},
                                                  {"pad-crop"},
                                                  {"pad-crop", "flip"},
                                                  {"flip", "pad-crop"}}) {
      PictureSpec spec;
      spec.size = size;
      spec.view = view;
      if (spec.view == "centre") spec.options = {{"eval-resize", "52"}};
      const PictureDataset set(std::make_unique<OneSpot>(), spec);
      const AugmentChain chain(steps, {}, set.image_shape());
      EXPECT_TRUE(chain.distorts().empty());
      std::vector<uint8_t> pixels(static_cast<size_t>(set.image_shape().count()));
      std::vector<float> image(pixels.size());
      std::vector<std::byte> scratch(chain.scratch_bytes() + 64);
      for (uint64_t key = 0; key < 40; ++key) {
        Sample sample;
        sample.begin(pixels.data());
        set.read(0, key, sample);
        chain.run(pixels.data(), image.data(), key, scratch.data());
        Geometry g = sample.geometry;
        chain.follow(key, g);
        const double area = std::abs(g.x.scale * g.y.scale) / (OneSpot::width * OneSpot::height);
        const Bright found = bright(image, size);
        // Only where all of the square is inside.
        if (std::abs(found.weight / (whole * area) - 1) > 0.02) continue;
        ++checked;
        const double middle_x = (OneSpot::left + OneSpot::side / 2.0) / OneSpot::width;
        const double middle_y = (OneSpot::top + OneSpot::side / 2.0) / OneSpot::height;
        EXPECT_NEAR(g.x.at(middle_x), found.x, 0.15) << view << " " << steps.size() << " " << key;
        EXPECT_NEAR(g.y.at(middle_y), found.y, 0.15) << view << " " << steps.size() << " " << key;
      }
    }
  }
  EXPECT_GT(checked, 200);
}

TEST(Sample, WhatDistortsIsNamed) {
  const AugmentChain chain({"flip", "rand-augment"}, {}, {3, 8, 8});
  EXPECT_EQ(chain.distorts(), "rand-augment");
  Geometry geometry;
  test::expect_raises(Fault::bug, {"distortion"}, [&] { chain.follow(1, geometry); });
}

// A task's own form of samples: the label twice, as a pair, and where the image begins.
class PairForm final : public SampleForm {
 public:
  TensorList tensors() const override {
    return {{"pair", {{2}, DType::s32}}, {"left", {{}, DType::f32}}};
  }
  void write(const Sample& sample, Batch& batch, int64_t i) const override {
    const int32_t label = sample.get<int32_t>("label")[0];
    batch.data<int32_t>("pair")[2 * i] = label;
    batch.data<int32_t>("pair")[2 * i + 1] = -label;
    batch.data<float>("left")[i] = static_cast<float>(sample.geometry.x.at(0));
  }
};

TEST(Sample, ABatchHasTheTensorsOfATasksForm) {
  const test::NumberedDataset set(20);
  const AugmentChain chain({"flip"}, {}, set.image_shape());
  const PairForm form;
  LoaderSpec spec{.batch = 4, .last_step = 5, .shuffle = false};
  spec.form = &form;
  for (const int workers : {1, 3}) {
    spec.workers = workers;
    Loader loader(set, chain, evaluation_plan(20, 4), spec);
    int mirrored = 0;
    for (int32_t first = 0; !loader.done(); first += 4) {
      const Batch& batch = loader.next();
      EXPECT_EQ(batch.find("label"), nullptr);
      for (int32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(batch.data<int32_t>("pair")[2 * i], (first + i) % 7);
        EXPECT_EQ(batch.data<int32_t>("pair")[2 * i + 1], -((first + i) % 7));
        const float left = batch.data<float>("left")[i];
        EXPECT_TRUE(left == 0 || left == 5);
        mirrored += left == 5;
      }
    }
    EXPECT_GT(mirrored, 0);
    EXPECT_LT(mirrored, 20);
  }
}

}  // namespace
}  // namespace convoy
