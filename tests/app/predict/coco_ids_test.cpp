#include "app/predict/coco_ids.h"

#include <gtest/gtest.h>

#include "data/coco/coco_categories.h"
#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::expect_raises;

const std::vector<std::string> pets{"background", "cat", "dog"};

constexpr const char* annotations =
    R"({"images": [{"id": 12, "file_name": "val/a.jpg", "width": 4, "height": 3},
                   {"id": 7, "file_name": "000000000099.jpg", "width": 4, "height": 3}],
        "categories": [{"id": 5, "name": "dog"}, {"id": 4, "name": "cat"}],
        "annotations": []})";

TEST(CocoIds, NamesOfCocoHaveItsNumbers) {
  const CocoIds ids(pets, 3, "");
  EXPECT_EQ(ids.category(1), 17);
  EXPECT_EQ(ids.category(2), 18);
  EXPECT_EQ(ids.name(2), "dog");
  // One name that COCO does not have: the data have numbers of their own.
  const CocoIds own({"background", "cat", "axolotl"}, 3, "");
  EXPECT_EQ(own.category(1), 1);
  EXPECT_EQ(own.category(2), 2);
  EXPECT_EQ(own.name(2), "axolotl");
  EXPECT_TRUE(ids.are_known());
  EXPECT_FALSE(own.are_known());
}

TEST(CocoIds, EightyClassesWithoutNamesAreThoseOfCoco) {
  const CocoIds ids({}, 81, "");
  for (int64_t label = 1; label <= 80; ++label) {
    const CocoCategory& category = coco_categories()[static_cast<size_t>(label - 1)];
    EXPECT_EQ(ids.category(label), category.id);
    EXPECT_EQ(ids.name(label), category.name);
  }
  const CocoIds others({}, 6, "");
  EXPECT_EQ(others.category(5), 5);
  EXPECT_EQ(others.name(5), "class 5");
  EXPECT_TRUE(ids.are_known());
  EXPECT_FALSE(others.are_known());
}

TEST(CocoIds, AnnotationsKnowPicturesAndCategories) {
  const test::TempFolder folder;
  test::write_bytes(folder / "gt.json", annotations);
  const CocoIds ids(pets, 3, folder / "gt.json");
  EXPECT_TRUE(ids.are_known());
  EXPECT_EQ(ids.category(1), 4);
  EXPECT_EQ(ids.category(2), 5);
  EXPECT_EQ(ids.image("some/where/a.jpg"), 12);
  EXPECT_EQ(ids.image("000000000099.jpg"), 7);  // not its name
  expect_raises(Fault::data, {"gt.json", "b.jpg"}, [&] { (void)ids.image("x/b.jpg"); });
  const CocoIds unnamed({}, 3, folder / "gt.json");  // by their numbers
  EXPECT_EQ(unnamed.category(1), 4);
  EXPECT_EQ(unnamed.name(1), "cat");
  expect_raises(Fault::data, {"gt.json", "2 categories", "3 classes"},
                [&] { CocoIds({}, 4, folder / "gt.json"); });
  expect_raises(Fault::data, {"gt.json", "\"bird\""}, [&] {
    CocoIds({"background", "cat", "bird"}, 3, folder / "gt.json");
  });
}

TEST(CocoIds, WithoutAnnotationsAPictureIsNumberedByItsName) {
  const CocoIds ids(pets, 3, "");
  EXPECT_EQ(ids.image("coco/val2017/000000397133.jpg"), 397133);
  for (const char* name : {"cat.jpg", "12a.jpg", "-3.jpg", ".jpg", "99999999999999999999.jpg"}) {
    expect_raises(Fault::data, {name, "--annotations"}, [&] { (void)ids.image(name); });
  }
}

}  // namespace
}  // namespace convoy
