// COCO as published, opened as a dataset.
#include "support/coco_set.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "data/classes/class_match.h"
#include "data/dataset.h"
#include "data/objects.h"
#include "support/raises.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::five_pictures;
using test::TempFolder;

std::unique_ptr<Dataset> opened(const fs::path& folder, bool train,
                                const char* view = "ssd-whole") {
  return open_dataset(
      "coco",
      {.data_dir = folder.string(), .train = train, .pictures = {.size = 30, .view = view}});
}

struct Read {
  Sample sample;
  std::vector<float> image;
};
std::unique_ptr<Read> read(const Dataset& set, int64_t index, uint64_t key = 1) {
  auto read = std::make_unique<Read>();
  read->image.resize(static_cast<size_t>(set.image_shape().count()));
  read->sample.begin(read->image.data(), set.image_type());
  set.read(index, key, read->sample);
  return read;
}

template <class T>
std::vector<T> values(const Sample& sample, std::string_view name) {
  const auto found = sample.get<T>(name);
  return {found.begin(), found.end()};
}

TEST(CocoSet, TrainingLeavesOutPicturesWithoutUsableObjects) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "train2017");
  EXPECT_EQ(infer_dataset(folder.path().string()), "coco");
  const auto set = opened(folder.path(), true);
  EXPECT_EQ(set->size(), 3);
  EXPECT_EQ(set->class_names(), (std::vector<std::string>{"background", "bee", "cat", "dog"}));
  EXPECT_EQ(set->remark(),
            "2 of 5 pictures have no usable box, and training leaves them out; so are 2 boxes of "
            "no size, 1 boxes that go beyond their picture");

  // In the order of the names; objects by picture; classes by the categories' ids.
  const auto first = read(*set, 1), second = read(*set, 0), last = read(*set, 2);
  EXPECT_EQ(values<float>(first->sample, object_tensor::boxes),
            (std::vector<float>{0.25f, 0.25f, 0.75f, 0.75f}));
  EXPECT_EQ(values<int32_t>(first->sample, object_tensor::classes), std::vector<int32_t>{1});
  EXPECT_EQ(values<int64_t>(first->sample, object_tensor::image_id), std::vector<int64_t>{8});
  EXPECT_EQ(values<int32_t>(first->sample, object_tensor::picture_size),
            (std::vector<int32_t>{60, 80}));
  EXPECT_EQ(values<float>(second->sample, object_tensor::boxes),
            (std::vector<float>{0.25f, 0.25f, 0.75f, 0.75f, 0, 0, 1, 1}));
  EXPECT_EQ(values<int32_t>(second->sample, object_tensor::classes), (std::vector<int32_t>{3, 2}));
  EXPECT_EQ(values<double>(second->sample, object_tensor::truth),
            (std::vector<double>{16, 24, 32, 48, 3, 768, 0, 0, 0, 64, 96, 2, 3072, 0}));
  // The crowd takes part; the object of a negative size is only in the truth.
  EXPECT_EQ(values<int32_t>(last->sample, object_tensor::classes), (std::vector<int32_t>{2, 1}));
  EXPECT_EQ(values<double>(last->sample, object_tensor::truth).size(), 21u);
  EXPECT_EQ(values<double>(last->sample, object_tensor::truth)[6], 1);
}

TEST(CocoSet, EvaluationHasAllPictures) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "val2017", "images");
  const auto set = opened(folder.path(), false);
  EXPECT_EQ(set->size(), 5);
  EXPECT_EQ(set->remark(), "");
  const auto bare = read(*set, 3);
  EXPECT_TRUE(values<float>(bare->sample, object_tensor::boxes).empty());
  EXPECT_TRUE(values<double>(bare->sample, object_tensor::truth).empty());
  const auto unusable = read(*set, 2);
  EXPECT_TRUE(values<float>(unusable->sample, object_tensor::boxes).empty());
  EXPECT_EQ(values<double>(unusable->sample, object_tensor::truth).size(), 14u);
}

TEST(CocoSet, ImagesAreFloatsOrBytesAsTheViewSays) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "train2017");
  EXPECT_EQ(opened(folder.path(), true, "squash")->image_type(), DType::u8);
  for (const char* view : {"ssd-crop", "ssd-whole"}) {
    const auto set = opened(folder.path(), true, view);
    ASSERT_EQ(set->image_type(), DType::f32);
    // Edges of the bright square lie between pixels, so they are no whole numbers.
    int between = 0;
    for (uint64_t key = 0; key < 20; ++key) {
      const auto one = read(*set, 0, mix(key));
      for (const float x : one->image) {
        ASSERT_TRUE(x >= 0 && x <= 240.01f);
        between += x != std::round(x);
      }
    }
    EXPECT_GT(between, 100) << view;
  }
}

void expect_refused(const test::CocoSet& set, std::initializer_list<std::string_view> words) {
  const TempFolder folder;
  set.write(folder.path(), "train2017");
  test::expect_raises(Fault::data, words, [&] {
    const auto data = opened(folder.path(), true);
    for (int64_t i = 0; i < data->size(); ++i) read(*data, i);
  });
}

TEST(CocoSet, WhatDoesNotFitTogetherIsNamed) {
  test::CocoSet set = five_pictures();
  set.annotations["images"][1]["width"] = 65;
  expect_refused(set, {"000000000004.bmp", "64 x 96", "65 x 96"});
  set = five_pictures();
  set.pictures.erase(set.pictures.begin(), set.pictures.begin() + 2);
  expect_refused(set, {"2 of 3 pictures are missing", "000000000004.bmp"});
  set = five_pictures();
  set.pictures[0].second.resize(1000);
  expect_refused(set, {"000000000008.bmp"});
  set = five_pictures();
  set.annotations["images"][0]["file_name"] = "../../secret.jpg";
  expect_refused(set, {"image 8", "leads out", "../../secret.jpg"});
  set = five_pictures();
  set.annotations["images"][2].erase("height");
  expect_refused(set, {"image 15", "width and height"});
  set = five_pictures();
  for (auto& each : set.annotations["annotations"]) each["bbox"][2] = 0;
  expect_refused(set, {"none of the 5 pictures", "8 boxes of no size"});
  set = five_pictures();
  set.annotations["categories"] = nlohmann::json::array();
  set.annotations["annotations"] = nlohmann::json::array();
  expect_refused(set, {"no categories"});
}

TEST(CocoSet, FilesOfASplitMustBeThereOnce) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "train2017");
  test::expect_raises(Fault::data, {"no pictures for evaluation", "--val-share 0.1"},
                      [&] { opened(folder.path(), false); });
  five_pictures().write(folder.path(), "train2014");
  test::expect_raises(Fault::data, {"several", "instances_train2014.json"},
                      [&] { opened(folder.path(), true); });
  fs::remove(folder / "annotations/instances_train2014.json");
  fs::remove_all(folder / "train2017");
  test::expect_raises(Fault::data, {"no folder", "images/train2017"},
                      [&] { opened(folder.path(), true); });
}

TEST(CocoSet, OptionsThatWouldMoveClassesAreRefused) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "train2017");
  DatasetSpec spec{.data_dir = folder.path().string(), .pictures = {.size = 30}};
  spec.pictures.label_offset = 1;
  test::expect_raises(Fault::usage, {"label-offset"}, [&] { open_dataset("coco", spec); });
}

TEST(CocoSet, ClassesAreMatchedToThoseOfANetworkByName) {
  const TempFolder folder;
  five_pictures().write(folder.path(), "train2017");
  const ClassNames network{"background", "ant", "dog", "bee", "cat"};
  const auto set = with_classes(opened(folder.path(), true), network, {}, "the weights");
  EXPECT_EQ(set->image_type(), DType::f32);
  EXPECT_EQ(set->class_names(), network);
  const auto second = read(*set, 0);
  EXPECT_EQ(values<int32_t>(second->sample, object_tensor::classes), (std::vector<int32_t>{2, 4}));
  const auto truth = values<double>(second->sample, object_tensor::truth);
  EXPECT_EQ(truth[object_tensor::truth_class], 2);
  EXPECT_EQ(truth[object_tensor::truth_columns + object_tensor::truth_class], 4);
  EXPECT_NE(set->remark().find("2 of 5 pictures"), std::string::npos) << set->remark();
  EXPECT_NE(set->remark().find("ant"), std::string::npos) << set->remark();
  test::expect_raises(Fault::data, {"dog", "the weights"}, [&] {
    with_classes(opened(folder.path(), true), {"background", "bee", "cat"}, {}, "the weights");
  });
}

TEST(CocoSet, ContentHashesTellObjectsApart) {
  const TempFolder folder;
  test::CocoSet set = five_pictures();
  set.write(folder.path(), "train2017");
  const uint64_t before = opened(folder.path(), true)->content_hash(1);
  EXPECT_EQ(opened(folder.path(), true)->content_hash(1), before);
  set.annotations["annotations"][2]["bbox"][0] = 21;
  set.write(folder.path(), "train2017");
  EXPECT_NE(opened(folder.path(), true)->content_hash(1), before);
}

TEST(CocoSet, RealPicturesHaveTheirPublishedObjects) {
  const auto folder = test::shared_data("coco");
  if (!folder) GTEST_SKIP();
  struct Case {
    const char* name;
    bool train;
    int64_t pictures, objects;
  };
  for (const Case& c : {Case{"coco_tiny", true, 80, 705}, Case{"tiny_coco", true, 30, 288},
                        Case{"tiny_coco", false, 6, 136}}) {
    const auto set = opened(*folder / c.name, c.train, c.train ? "ssd-crop" : "ssd-whole");
    EXPECT_EQ(set->classes(), 81);
    int64_t objects = 0, crowds = 0, left = 0;
    for (int64_t i = 0; i < set->size(); ++i) {
      const auto one = read(*set, i);
      const auto truth = values<double>(one->sample, object_tensor::truth);
      objects += static_cast<int64_t>(truth.size()) / object_tensor::truth_columns;
      for (size_t k = 6; k < truth.size(); k += 7) crowds += truth[k] != 0;
      for (const float side : values<float>(one->sample, object_tensor::boxes)) {
        ASSERT_TRUE(side >= 0 && side <= 1);
      }
      left += values<int32_t>(one->sample, object_tensor::classes).empty();
    }
    EXPECT_EQ(set->size(), c.pictures) << c.name << " " << set->remark();
    EXPECT_EQ(objects, c.objects) << c.name;
    EXPECT_EQ(c.train ? left : 0, 0);
    EXPECT_EQ(c.pictures == 80 ? crowds : 6, 6);
  }
}

}  // namespace
}  // namespace convoy
