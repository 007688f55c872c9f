#include "data/detection_form.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/loading/loader.h"
#include "support/coco_set.h"
#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

constexpr int64_t side = 100;

const DefaultBoxSpec& few_boxes() {
  static const DefaultBoxSpec spec{.image = side,
                                   .maps = {{10, 10, ssd_shapes(side, 12, 20, {2})},
                                            {5, 20, ssd_shapes(side, 30, 50, {2, 3})},
                                            {1, 100, ssd_shapes(side, 90, 95, {})}}};
  return spec;
}

std::unique_ptr<Dataset> opened(const fs::path& folder, const char* view) {
  return open_dataset("coco",
                      {.data_dir = folder.string(), .pictures = {.size = side, .view = view}});
}

// The box whose code relative to `by` this is.
Box decoded(const float* code, const CentredBox& by) {
  const float cy = code[0] / 10 * by.h + by.cy, cx = code[1] / 10 * by.w + by.cx;
  const float h = std::exp(code[2] / 5) * by.h, w = std::exp(code[3] / 5) * by.w;
  return {cy - h / 2, cx - w / 2, cy + h / 2, cx + w / 2};
}

// Where the first plane is above `limit`, as fractions of the image.
Box bright(const float* image, float limit) {
  Box found{1, 1, 0, 0};
  for (int64_t y = 0; y < side; ++y) {
    for (int64_t x = 0; x < side; ++x) {
      if (image[y * side + x] < limit) continue;
      const auto at = [](int64_t i) { return static_cast<float>(i) / side; };
      found = {std::min(found.ymin, at(y)), std::min(found.xmin, at(x)),
               std::max(found.ymax, at(y + 1)), std::max(found.xmax, at(x + 1))};
    }
  }
  return found;
}

// Boxes of a batch against where the pixels are: through decoding, crop, flip and codes.
TEST(DetectionForm, CodesAreOfTheObjectsInTheImage) {
  const test::TempFolder folder;
  test::CocoSet set;
  set.add_picture(1, {.width = 200, .height = 150, .left = 110, .top = 30, .wide = 50, .high = 60});
  set.add_object(1, 5, {110, 30, 50, 60});
  set.write(folder.path(), "train2017");
  for (const char* view : {"ssd-crop", "ssd-whole", "random-resized", "squash"}) {
    const auto data = opened(folder.path(), view);
    // A flip before or after the normalisation, which ends the moves that are drawn together.
    const bool flips_first = view[0] == 's';
    const AugmentChain chain(flips_first ? std::vector<std::string>{"flip", "mean-std"}
                                         : std::vector<std::string>{"mean-std", "flip"},
                             {}, data->image_shape());
    const DetectionForm form(few_boxes(), data->image_shape());
    LoaderSpec spec{.batch = 1, .last_step = 40, .seed = 3};
    spec.form = &form;
    Loader loader(*data, chain, EpochPlan(1, 1, 40, EpochTail::wrap), spec);
    int seen = 0;
    while (!loader.done()) {
      const Batch& batch = loader.next();
      const int32_t* classes = batch.data<int32_t>("box_classes");
      const Box pixels = bright(batch.data<float>("image"), 136.0f / 255);
      for (int64_t i = 0; i < form.boxes().count(); ++i) {
        if (classes[i] == 0) continue;
        ASSERT_EQ(classes[i], 2);  // bee, cat, dog
        const Box box = decoded(batch.data<float>("box_codes") + i * 4,
                                form.boxes().centred()[static_cast<size_t>(i)]);
        ASSERT_NEAR(box.ymin, pixels.ymin, 0.025) << view;
        ASSERT_NEAR(box.ymax, pixels.ymax, 0.025) << view;
        ASSERT_NEAR(box.xmin, pixels.xmin, 0.025) << view;
        ASSERT_NEAR(box.xmax, pixels.xmax, 0.025) << view;
        ++seen;
      }
    }
    EXPECT_GT(seen, 40) << view;
  }
}

TEST(DetectionForm, BatchesHaveTheWholeTruthOfAnyNumberOfObjects) {
  const test::TempFolder folder;
  test::CocoSet set;
  for (int64_t id = 0; id < 4; ++id) {
    set.add_picture(id * 7, {});
    for (int64_t k = 0; k < id * 300; ++k) {
      set.add_object(id * 7, 3, {static_cast<double>(k % 80), 1, 10, 20 + static_cast<double>(id)});
    }
  }
  set.write(folder.path(), "val2017");
  const auto data = open_dataset("coco", {.data_dir = folder.path().string(),
                                          .train = false,
                                          .pictures = {.size = side, .view = "ssd-whole"}});
  const AugmentChain chain({}, {}, data->image_shape());
  const DetectionForm form(few_boxes(), data->image_shape());
  for (const int workers : {1, 3}) {
    LoaderSpec spec{.batch = 3, .last_step = 2, .shuffle = false, .workers = workers};
    spec.form = &form;
    Loader loader(*data, chain, evaluation_plan(4, 3), spec);
    int64_t id = 0;
    while (!loader.done()) {
      const Batch& batch = loader.next();
      Batch copy(batch.types());
      copy.copy(batch);
      for (int64_t i = 0; i < batch.valid; ++i, ++id) {
        const PictureTruth truth = truth_of(copy, i);
        EXPECT_EQ(truth.image_id, id * 7);
        EXPECT_EQ(truth.width, 90);
        EXPECT_EQ(truth.height, 60);
        ASSERT_EQ(truth.objects.size(), static_cast<size_t>(id * 300 * 7));
        for (size_t k = 3; k < truth.objects.size(); k += 7) {
          ASSERT_EQ(truth.objects[k], 20 + static_cast<double>(id));
        }
      }
    }
    EXPECT_EQ(id, 4);
  }
}

TEST(DetectionForm, APictureThatCannotBeReadHasOnlyBackground) {
  const test::TempFolder folder;
  test::CocoSet set = test::five_pictures();
  set.pictures[1].second.resize(300);  // 4, the first by name
  set.write(folder.path(), "train2017");
  const auto data = opened(folder.path(), "ssd-whole");
  const AugmentChain chain({}, {}, data->image_shape());
  const DetectionForm form(few_boxes(), data->image_shape());
  LoaderSpec spec{.batch = 3, .last_step = 1, .shuffle = false, .bad = BadSamples::leave_out};
  spec.form = &form;
  Loader loader(*data, chain, evaluation_plan(3, 3), spec);
  const Batch& batch = loader.next();
  ASSERT_EQ(batch.bad.size(), 1u);
  EXPECT_EQ(batch.data<float>("weight")[0], 0);
  EXPECT_EQ(truth_of(batch, 0).objects.size(), 0u);
  EXPECT_EQ(truth_of(batch, 1).image_id, 8);
  const int32_t* classes = batch.data<int32_t>("box_classes");
  const int64_t count = form.boxes().count();
  EXPECT_TRUE(std::all_of(classes, classes + count, [](int32_t c) { return c == 0; }));
  EXPECT_TRUE(std::any_of(classes + count, classes + 2 * count, [](int32_t c) { return c == 1; }));
  EXPECT_TRUE(std::all_of(batch.data<float>("image"), batch.data<float>("image") + 3 * side * side,
                          [](float x) { return x == 0; }));
}

TEST(DetectionForm, WhatBoxesCannotFollowIsRefused) {
  const test::TempFolder folder;
  test::five_pictures().write(folder.path(), "train2017");
  const auto data = opened(folder.path(), "squash");
  const DetectionForm form(few_boxes(), data->image_shape());
  LoaderSpec spec{.batch = 1, .last_step = 1};
  spec.form = &form;
  const AugmentChain distorts({"flip", "rand-augment"}, {}, data->image_shape());
  test::expect_raises(Fault::usage, {"rand-augment", "boxes"},
                      [&] { Loader(*data, distorts, evaluation_plan(3, 1), spec); });
  const AugmentChain chain({}, {}, data->image_shape());
  spec.mixing.mixup_alpha = 0.2;
  test::expect_raises(Fault::usage, {"mixup", "labels"},
                      [&] { Loader(*data, chain, evaluation_plan(3, 1), spec); });
}

// The same batches whatever the number of workers, and again after a restart.
TEST(DetectionForm, BatchesDependOnTheStepAlone) {
  const test::TempFolder folder;
  test::five_pictures().write(folder.path(), "train2017");
  const auto data = opened(folder.path(), "ssd-crop");
  const AugmentChain chain({"flip", "ssd-jitter", "mean-std-reciprocal"}, {}, data->image_shape());
  const DetectionForm form(few_boxes(), data->image_shape());
  const auto bytes_of = [&](int workers, int64_t first) {
    LoaderSpec spec{.batch = 2, .first_step = first, .last_step = 9, .seed = 5, .workers = workers};
    spec.form = &form;
    Loader loader(*data, chain, EpochPlan(3, 2, 9, EpochTail::wrap), spec);
    std::vector<std::string> all;
    while (!loader.done()) {
      std::string bytes;
      for (const NamedTensor& tensor : loader.next().tensors()) {
        bytes.append(reinterpret_cast<const char*>(tensor.data), stored_bytes(tensor.type));
      }
      all.push_back(std::move(bytes));
    }
    return all;
  };
  const std::vector<std::string> all = bytes_of(1, 0);
  EXPECT_EQ(bytes_of(3, 0), all);
  EXPECT_EQ(bytes_of(2, 4), std::vector<std::string>(all.begin() + 4, all.end()));
  EXPECT_NE(all[0], all[3]);
}

}  // namespace
}  // namespace convoy
