// COCO as record files, opened as a dataset.
#include "data/coco/coco_records.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "data/dataset.h"
#include "data/objects.h"
#include "records/example.h"
#include "support/coco_set.h"
#include "support/mutate.h"
#include "support/raises.h"
#include "support/records.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using Features = std::map<std::string, FeatureValue>;
using Floats = std::vector<float>;
using Integers = std::vector<int64_t>;
using Texts = std::vector<std::string>;

// Two objects: a person (1), and a toothbrush (90) that is a crowd.
Features features() {
  return {{"image/encoded", Texts{test::spot_bmp({})}},
          {"image/source_id", Texts{"42"}},
          {"image/height", Integers{60}},
          {"image/width", Integers{90}},
          {"image/object/bbox/ymin", Floats{0.25f, 0}},
          {"image/object/bbox/xmin", Floats{0.5f, 0}},
          {"image/object/bbox/ymax", Floats{0.5f, 1}},
          {"image/object/bbox/xmax", Floats{1, 1}},
          {"image/object/area", Floats{100, 5000}},
          {"image/object/is_crowd", Integers{0, 1}},
          {"image/object/class/label", Integers{1, 90}},
          {"image/object/class/text", Texts{"person", "toothbrush"}},
          {"image/object/mask", Texts{"", ""}}};
}

EncodedPicture read(const Features& record, bool train = true,
                    const test::CocoSet* annotations = nullptr) {
  const test::TempFolder folder;
  test::write_records(
      folder / (train ? "train-00000-of-00001.tfrecord" : "val-00000-of-00001.tfrecord"),
      {encode_example(record)});
  if (annotations) annotations->write(folder / "raw-data", "val2017");
  EXPECT_TRUE(has_coco_records(folder.path(), train));
  const auto source = open_coco_records(folder.path(), train, 1);
  EXPECT_EQ(source->size(), 1);
  EXPECT_EQ(source->class_names().size(), annotations ? 3u : 80u);
  EncodedPicture picture;
  source->read(0, picture);
  return picture;
}

TEST(CocoRecords, HaveTheirObjects) {
  const EncodedPicture picture = read(features());
  EXPECT_EQ(picture.boxes, (std::vector<Box>{{0.25f, 0.5f, 0.5f, 1}, {0, 0, 1, 1}}));
  EXPECT_EQ(picture.objects.classes, (std::vector<int32_t>{1, 80}));
  EXPECT_EQ(picture.objects.image_id, 42);
  EXPECT_EQ(picture.objects.width, 90);
  EXPECT_EQ(picture.objects.truth,
            (std::vector<double>{45, 15, 45, 15, 1, 100, 0, 0, 0, 90, 60, 80, 5000, 1}));
}

TEST(CocoRecords, APictureMayHaveNoObject) {
  Features record = features();
  std::erase_if(record, [](const auto& each) { return each.first.starts_with("image/object/"); });
  const EncodedPicture picture = read(record, false);
  EXPECT_TRUE(picture.boxes.empty());
  EXPECT_TRUE(picture.objects.truth.empty());
}

TEST(CocoRecords, EvaluationComparesWithTheAnnotationFile) {
  test::CocoSet set = test::five_pictures();
  set.annotations["images"][4]["id"] = 42;
  for (auto& each : set.annotations["annotations"]) {
    if (each["image_id"] == 23) each["image_id"] = 42;
  }
  Features record = features();
  record["image/object/class/label"] = Integers{3, 9};
  const EncodedPicture picture = read(record, false, &set);
  EXPECT_EQ(picture.objects.classes, (std::vector<int32_t>{1, 3}));
  ASSERT_EQ(picture.objects.truth.size(), 21u);
  EXPECT_EQ(picture.objects.truth[2], 90);
  record["image/source_id"] = Texts{"41"};
  test::expect_raises(Fault::data, {"picture 41", "annotation file"},
                      [&] { read(record, false, &set); });
}

TEST(CocoRecords, WhatIsWrongIsNamed) {
  const auto refused = [](const char* name, const FeatureValue& value,
                          std::initializer_list<std::string_view> words) {
    Features record = features();
    record[name] = value;
    test::expect_raises(Fault::data, words, [&] { read(record); });
  };
  refused("image/object/class/label", Integers{1, 12}, {"at byte 0", "category 12"});
  refused("image/object/class/label", Integers{1}, {"at byte 0", "1 objects", "2 values"});
  refused("image/object/bbox/xmax", Floats{1, 1.5f}, {"at byte 0", "1.5"});
  refused("image/object/bbox/xmax", Floats{1, NAN}, {"at byte 0", "nan"});
  refused("image/object/area", Floats{1, 2, 3}, {"at byte 0", "3 values"});
  refused("image/source_id", Texts{"4x"}, {"at byte 0", "source_id", "4x"});
  refused("image/height", Texts{"60"}, {"at byte 0", "image/height"});
  // Boxes without an area are no boxes of training.
  Features flat = features();
  flat["image/object/bbox/xmax"] = Floats{0.5f, 1};
  const EncodedPicture picture = read(flat);
  EXPECT_EQ(picture.objects.classes, std::vector<int32_t>{80});
  EXPECT_EQ(picture.objects.truth.size(), 14u);
}

TEST(CocoRecords, MutilatedRecordsAreReadOrRefused) {
  const std::string record = encode_example(features());
  const test::TempFolder folder;
  int refused = 0;
  for (uint64_t i = 0; i < 300; ++i) {
    Random random(mix(i));
    test::write_records(folder / "train-00000-of-00001", {test::mutated(record, {record}, random)});
    try {
      const auto source = open_coco_records(folder.path(), true, 1);
      EncodedPicture picture;
      source->read(0, picture);
      for (const Box& box : picture.boxes) EXPECT_TRUE(box.area() > 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::data) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(CocoRecords, MlperfsDummiesAreRead) {
  const auto file = test::shared_data("fixtures/tfrecord/mlperf_v0.7_ssd_dummy.tfrecord");
  if (!file) GTEST_SKIP();
  const test::TempFolder folder;
  fs::copy(*file, folder / "train-00000-of-00001.tfrecord");
  EXPECT_EQ(infer_dataset(folder.path().string()), "coco");
  const auto set = open_dataset(
      "coco", {.data_dir = folder.path().string(), .pictures = {.size = 30, .view = "ssd-crop"}});
  ASSERT_EQ(set->size(), 128);
  std::vector<float> image(2700);
  for (int64_t i = 0; i < set->size(); ++i) {
    Sample sample;
    sample.begin(image.data(), set->image_type());
    set->read(i, 1, sample);
    // All of their boxes are of no size.
    EXPECT_TRUE(sample.get<int32_t>(object_tensor::classes).empty());
    EXPECT_FALSE(sample.get<double>(object_tensor::truth).empty());
  }
}

}  // namespace
}  // namespace convoy
