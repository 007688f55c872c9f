// `convoy check` of pictures with boxes, in each format.
#include <gtest/gtest.h>

#include <map>

#include "support/boxed_layouts.h"
#include "support/coco_set.h"
#include "support/run_files.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

Json checked(const fs::path& folder, int code) {
  const Finished end = run_convoy({"check", "set", "--json"}, folder);
  EXPECT_EQ(end.code, code) << end.err << end.out;
  return end.out.empty() ? Json() : Json::parse(end.out);
}

// The findings that are there: kind -> file -> what.
std::map<std::string, std::map<std::string, std::string>> findings(const Json& all) {
  std::map<std::string, std::map<std::string, std::string>> found;
  for (const auto& [kind, list] : all["findings"].items()) {
    for (const Json& one : list) {
      found[kind][one["file"]] = one.value("other", "") + one.value("what", "");
    }
  }
  return found;
}

TEST(CheckBoxes, SoundSetsAreCountedInEveryLayout) {
  for (const BoxedLayout& layout : boxed_layouts()) {
    const TempFolder folder;
    layout.write(folder / "set");
    const Json all = checked(folder.path(), 0);
    int64_t pictures = 0, boxes = 0, cats = 0, bare = 0;
    for (const auto& [split, counts] : all["boxes"].items()) {
      pictures += int64_t{counts["pictures"]};
      boxes += int64_t{counts["boxes"]};
      bare += int64_t{counts["without_boxes"]};
      cats += int64_t{counts["classes"]["cat"]};
      EXPECT_EQ(int64_t{counts["small"]} + int64_t{counts["medium"]} + int64_t{counts["large"]},
                int64_t{counts["boxes"]});
    }
    EXPECT_EQ(pictures, layout.has_splits ? 4 : 3) << layout.name;
    EXPECT_EQ(boxes, layout.has_splits ? 5 : 3) << layout.name;
    EXPECT_EQ(bare, 1) << layout.name;
    EXPECT_EQ(cats, layout.has_splits ? 3 : 2) << layout.name;
    for (const auto& [kind, found] : findings(all)) {
      EXPECT_TRUE(kind == "unlisted" || kind == "unused_classes" || kind == "remarks" ||
                  kind == "endings" || kind == "grey")
          << layout.name << " " << kind << " " << found.begin()->first;
    }
  }
}

TEST(CheckBoxes, OfCocoAllIsFound) {
  const TempFolder folder;
  CocoSet set = five_pictures();
  set.add_object(8, 3, {20, 15, 40, 30});
  set.annotations["images"][1]["width"] = 65;
  set.pictures.erase(set.pictures.begin() + 3);  // 16
  set.write(folder / "set", "train2017");
  set.pictures.resize(1);  // 8: the same picture in both
  set.annotations["images"] = Json::array({set.annotations["images"][0]});
  set.annotations["annotations"] = Json::array({set.annotations["annotations"][2]});
  set.write(folder / "set", "val2017");
  const auto found = findings(checked(folder.path(), 3));
  EXPECT_EQ(found.at("missing").begin()->first, "train2017/000000000016.bmp");
  EXPECT_EQ(found.at("other_sizes").at("train2017/000000000004.bmp"), "64 x 96, annotated 65 x 96");
  EXPECT_EQ(found.at("empty_boxes").at("train2017/000000000015.bmp"), "bee at 10, 10, 0 x 5");
  EXPECT_EQ(found.at("outside").at("train2017/000000000015.bmp"),
            "bee at 50, 10, 41 x 5, in 90 x 60");
  EXPECT_EQ(found.at("repeated_boxes").at("train2017/000000000008.bmp"), "bee at 20, 15, 40 x 30");
  EXPECT_EQ(found.at("across_splits").size(), 1u);
  EXPECT_EQ(found.at("unused_classes").count("val/cat"), 1u);
}

TEST(CheckBoxes, OfYoloAndVocAllIsFound) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "set");
  write_text(folder / "set/labels/train/a.txt", "0 2 0 1 1\n1 .5 .5 .1 .1\n7 0 0 1 1\n");
  write_text(folder / "set/labels/val/c.txt", "0 1 1 0.5 0.5\n0 0 0 0 0\n");
  write_picture(folder / "set/elsewhere.bmp", 50, 40);
  auto found = findings(checked(folder.path(), 3));
  EXPECT_NE(found.at("annotations").at("labels/train/a.txt:1").find("between 0 and 1"),
            std::string::npos);
  EXPECT_EQ(found.at("unknown_classes").count("labels/train/a.txt:3"), 1u);
  EXPECT_EQ(found.at("outside").at("images/val/c.bmp"), "bee at 48, 48, 32 x 32, in 64 x 64");
  EXPECT_EQ(found.at("empty_boxes").count("images/val/c.bmp"), 1u);
  EXPECT_EQ(found.at("unlisted").count("elsewhere.bmp"), 1u);
  EXPECT_EQ(found.at("unlisted").size(), 1u);

  fs::remove_all(folder / "set");
  write_layout("published_voc", folder / "set");
  fs::remove(folder / "set/Annotations/a.xml");
  fs::remove(folder / "set/JPEGImages/c.bmp");
  write_picture(folder / "set/JPEGImages/b2.bmp", 40, 80);
  found = findings(checked(folder.path(), 3));
  EXPECT_EQ(found.at("missing").at("ImageSets/Main/train.txt"), "a has no annotation");
  EXPECT_EQ(found.at("missing").count("Annotations/c.xml"), 1u);
  EXPECT_EQ(found.at("other_sizes").at("JPEGImages/b2.bmp"), "40 x 80, annotated 80 x 40");
}

TEST(CheckBoxes, WhatCannotBeReadAtAllIsAFinding) {
  const TempFolder folder;
  for (const auto& [layout, file] :
       {std::pair("roboflow_coco", "train/_annotations.coco.json"), {"ultralytics", "mine.yaml"}}) {
    fs::remove_all(folder / "set");
    write_layout(layout, folder / "set");
    write_text(folder / "set" / file, "train: x\nnames: [a, a]\n");
    const Finished end = run_convoy({"check", "set"}, folder.path());
    EXPECT_EQ(end.code, 3) << end.err;
    EXPECT_NE(end.out.find("annotations that cannot be read: 1"), std::string::npos) << end.out;
    EXPECT_NE(end.out.find(file), std::string::npos) << end.out;
  }
}

TEST(CheckBoxes, RecordsAreReadThrough) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "in");
  const Finished made = run_convoy({"prepare", "boxes", "--input", "in", "--output", "set", "--to",
                                    "tfrecord", "--train-shards", "1", "--validation-shards", "1"},
                                   folder.path());
  ASSERT_EQ(made.code, 0) << made.err;
  const Json all = checked(folder.path(), 0);
  EXPECT_EQ(all["pictures"], 4);
}

}  // namespace
}  // namespace convoy::test
