#include "boxes/coco_annotations.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/allocations.h"
#include "support/raises.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

class CocoAnnotationsTest : public testing::Test {
 protected:
  fs::path file(const std::string& text) const {
    write_atomically(folder_ / "truth.json", text, Fault::bug);
    return folder_ / "truth.json";
  }
  CocoAnnotations read(const std::string& text) const { return read_coco_annotations(file(text)); }
  void expect_refused(const std::string& text, std::string_view what) const {
    SCOPED_TRACE(text.substr(0, 400));
    expect_raises(Fault::data, {"truth.json", what, "; try: "}, [&] { read(text); });
  }
  // One image and one category, and this annotation beside a sound one.
  static std::string with(const std::string& annotation) {
    return R"({"images": [{"id": 1}], "categories": [{"id": 7}], "annotations": [
      {"id": 5, "image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 9}, )" +
           annotation + "]}";
  }

  TempFolder folder_;
};

TEST_F(CocoAnnotationsTest, ReadsImagesCategoriesAndObjects) {
  const CocoAnnotations all = read(R"({
    "info": {"a": [1, {"b": [[2]]}], "images": [3]}, "licenses": [],
    "annotations": [{"segmentation": [[1, 2.5, 3]], "iscrowd": 0, "image_id": 9007199254740993,
        "bbox": [1, 2.25, -3, 0], "category_id": 18, "id": 1768, "area": 702.5, "new": null},
      {"segmentation": {"counts": [272, 2], "size": [4, 5]}, "iscrowd": 1, "image_id": 2.0,
        "bbox": [0, 0, 640, 480], "category_id": 3, "id": 2, "area": 1}],
    "images": [{"id": 9007199254740993, "width": 640, "height": 480, "file_name": "a/ü.jpg"},
               {"id": 2}],
    "categories": [{"supercategory": "x", "id": 3, "name": "car"}, {"id": 18}]})");
  ASSERT_EQ(all.images.size(), 2u);
  EXPECT_EQ(all.images[0].id, 9007199254740993);
  EXPECT_EQ(all.images[0].file, "a/ü.jpg");
  EXPECT_EQ(all.images[0].width, 640);
  EXPECT_EQ(all.images[0].height, 480);
  EXPECT_EQ(all.images[1].file, "");
  EXPECT_EQ(all.images[1].width, 0);
  ASSERT_EQ(all.categories.size(), 2u);
  EXPECT_EQ(all.categories[0].name, "car");
  EXPECT_EQ(all.categories[1].id, 18);
  ASSERT_EQ(all.annotations.size(), 2u);
  const CocoAnnotation& first = all.annotations[0];
  EXPECT_EQ(first.id, 1768);
  EXPECT_EQ(first.image, 9007199254740993);
  EXPECT_EQ(first.category, 18);
  EXPECT_EQ(first.x, 1);
  EXPECT_EQ(first.y, 2.25);
  EXPECT_EQ(first.width, -3);
  EXPECT_EQ(first.height, 0);
  EXPECT_EQ(first.area, 702.5);
  EXPECT_FALSE(first.crowd);
  EXPECT_EQ(all.annotations[1].image, 2);
  EXPECT_TRUE(all.annotations[1].crowd);
}

TEST_F(CocoAnnotationsTest, EachMistakeIsNamedWithItsPlace) {
  const std::string sound =
      R"({"id": 6, "image_id": 1, "category_id": 7, "bbox": [1, 2, 3, 4], "area": 9})";
  EXPECT_EQ(read(with(sound)).annotations.size(), 2u);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = sound;
    return with(text.replace(text.find(from), from.size(), to));
  };
  expect_refused(changed("\"id\": 6, ", ""), "annotations[1] has no \"id\"");
  expect_refused(changed("6", "5"), "annotations[1] has the id 5 that an earlier entry has");
  expect_refused(changed("6", "6.5"), "annotations[1] has \"id\" that is not a whole number");
  expect_refused(changed("6", "1e300"), "\"id\" that is not a whole number");
  expect_refused(changed("6", "\"6\""), "\"id\" that is not a whole number");
  expect_refused(changed("1, \"cat", "2, \"cat"), "annotations[1] is of image 2, which");
  expect_refused(changed("7", "8"), "annotations[1] is of category 8, which");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 3]"), "not a list of four numbers");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 3, 4, 5]"), "not a list of four numbers");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 3, null]"), "not a list of four numbers");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 3, [4]]"), "not a list of four numbers");
  expect_refused(changed("[1, 2, 3, 4]", "7"), "not a list of four numbers");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 1e10, 4]"), "\"bbox\" that is far outside");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, NaN, 4]"), "is not JSON in annotations[1]");
  expect_refused(changed("[1, 2, 3, 4]", "[1, 2, 1e999, 4]"), "is not JSON in annotations[1]");
  expect_refused(changed("9", "null"), "\"area\" that is not a number");
  expect_refused(changed("9}", "9, \"iscrowd\": 2}"), "\"iscrowd\" that is neither 0 nor 1");
  expect_refused(changed("9}", "9, \"area\": 9}"), "has \"area\" twice in annotations[1]");
  expect_refused(with("3"), "annotations[1] is not an object");
  expect_refused(with(sound) + "x", "is not JSON");
  expect_refused(with(sound).substr(0, 150), "is not JSON");
}

TEST_F(CocoAnnotationsTest, OtherFilesAreRefused) {
  expect_refused("", "is not JSON");
  expect_refused("[]", "is not an object");
  expect_refused("3", "is not an object");
  expect_refused("{}", "lists no images");
  expect_refused(R"({"images": {}})", "has \"images\" that is not a list");
  expect_refused(R"({"images": null})", "has \"images\" that is not a list");
  expect_refused(R"({"images": [{"id": 1}], "images": []})", "has \"images\" twice");
  expect_refused(R"({"images": [{"id": 1}, {"id": 1}]})", "images[1] has the id 1 that");
  expect_refused(R"({"images": [{"id": 1, "width": -3}]})", "\"width\" that is not a number of");
  expect_refused(R"({"images": [{"id": 1, "file_name": 3}]})", "\"file_name\" that is not a text");
  expect_refused(R"({"images": [{"id": 1}], "categories": [{"id": 2}, {"id": 2}]})",
                 "categories[1] has the id 2 that");
  expect_refused(R"({"images": [{"id": 1}], "x": )" + std::string(100, '[') + "}", "too deeply");
  expect_refused(std::string("{\"images\": []}\0", 15), "zero byte");
  expect_raises(Fault::data, {"none.json"}, [&] { read_coco_annotations(folder_ / "none.json"); });
  expect_raises(Fault::data, {}, [&] { read_coco_annotations(folder_.path()); });
}

TEST_F(CocoAnnotationsTest, TooManyCategoriesAreRefused) {
  std::string text = R"({"images": [{"id": 1}], "categories": [{"id": 0})";
  for (size_t i = 1; i < most_coco_categories; ++i) text += ",{\"id\":" + std::to_string(i) + "}";
  EXPECT_EQ(read(text + "]}").categories.size(), most_coco_categories);
  expect_refused(text + ",{\"id\":-1}]}", "20001 categories, more than 20000");
}

TEST_F(CocoAnnotationsTest, TakeLittleMoreMemoryThanTheyAre) {
  constexpr int objects = 200'000;
  std::string text = R"({"images": [{"id": 1}], "categories": [{"id": 1}], "annotations": [)";
  for (int i = 0; i < objects; ++i) {
    text += (i ? ",{\"id\":" : "{\"id\":") + std::to_string(i) +
            R"(,"image_id":1,"category_id":1,"bbox":[1,2,3,4],"area":12,"segmentation":[[)" +
            "1.25,2.5,3.75,4.5,5.25,6.5,7.75,8.5,9.25,10.5]]}";
  }
  const fs::path path = file(text + "]}");
  const AllocationCounter counter;
  EXPECT_EQ(read_coco_annotations(path).annotations.size(), size_t{objects});
  // A vector that grows takes three times its final size in total; and the index of the ids.
  EXPECT_LT(counter.bytes(), objects * (4 * static_cast<int64_t>(sizeof(CocoAnnotation)) + 64));
}

TEST_F(CocoAnnotationsTest, RealFilesHaveWhatAnotherReaderFinds) {
  const auto folder = shared_data("coco");
  if (!folder) GTEST_SKIP();
  for (const char* name : {"coco_tiny/annotations/instances_train2017.json",
                           "tiny_coco/annotations/instances_val2017.json",
                           "tiny_coco/annotations/instances_train2017.json"}) {
    SCOPED_TRACE(name);
    const auto expected = nlohmann::json::parse(read_file(*folder / name, Fault::bug));
    const CocoAnnotations all = read_coco_annotations(*folder / name);
    ASSERT_EQ(all.images.size(), expected["images"].size());
    ASSERT_EQ(all.categories.size(), expected["categories"].size());
    ASSERT_EQ(all.annotations.size(), expected["annotations"].size());
    for (size_t i = 0; i < all.images.size(); ++i) {
      EXPECT_EQ(all.images[i].file, expected["images"][i]["file_name"]);
      EXPECT_EQ(all.images[i].width, expected["images"][i]["width"]);
    }
    for (size_t i = 0; i < all.annotations.size(); ++i) {
      const CocoAnnotation& a = all.annotations[i];
      const auto& wanted = expected["annotations"][i];
      EXPECT_EQ(a.id, wanted["id"]);
      EXPECT_EQ(a.image, wanted["image_id"]);
      EXPECT_EQ(a.category, wanted["category_id"]);
      EXPECT_EQ((std::vector<double>{a.x, a.y, a.width, a.height}),
                wanted["bbox"].get<std::vector<double>>());
      EXPECT_EQ(a.area, wanted["area"].get<double>());
      EXPECT_EQ(a.crowd, wanted["iscrowd"] == 1);
    }
  }
}

TEST(CocoIndex, FindsEveryIdAndTheFirstRepetition) {
  const std::vector<CocoCategory> some{{30, ""}, {-4, ""}, {7, ""}, {30, ""}, {7, ""}, {30, ""}};
  const CocoIndex index(some);
  EXPECT_EQ(index.find(30), 0);
  EXPECT_EQ(index.find(-4), 1);
  EXPECT_EQ(index.find(7), 2);
  EXPECT_EQ(index.find(8), -1);
  EXPECT_EQ(index.repeated(), 3);
  EXPECT_EQ(CocoIndex(std::vector<CocoCategory>{}).repeated(), -1);
}

}  // namespace
}  // namespace convoy::test
