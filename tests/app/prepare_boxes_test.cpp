// `convoy prepare boxes` as a user meets it: from each format to each other one, and what is left
// out on the way.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cmath>

#include "data/boxed/box_format.h"
#include "data/boxed/boxed_source.h"
#include "data/coco/coco_records.h"
#include "support/boxed_layouts.h"
#include "support/coco_set.h"
#include "support/process.h"
#include "support/raw_set.h"
#include "support/run_files.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

std::string prepare(const std::string& from, const std::string& to, const fs::path& folder,
                    const Arguments& more = {}) {
  const Finished end = run_convoy(
      joined({"prepare", "boxes", "--input", from, "--output", from + "_" + to, "--to", to}, more),
      folder);
  EXPECT_EQ(end.code, 0) << end.err;
  return end.out + end.err;
}

void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& words,
                    const fs::path& folder) {
  const Finished end = run_convoy(joined({"prepare", "boxes"}, arguments), folder);
  EXPECT_EQ(end.code, code) << end.err;
  EXPECT_EQ(lines_of(end.err).size(), 1u) << end.err;
  for (const std::string& word : words) EXPECT_NE(end.err.find(word), word.npos) << end.err;
}

BoxedSplit read(const fs::path& dir, bool train) {
  RaiseBoxFaults faults;
  return read_boxes(*recognise_boxes(dir), dir, {.train = train}, {.faults = faults});
}

struct Differences {
  int64_t boxes = 0;
  double pixels = 0;  // the largest
};

// The same pictures, classes, sizes and boxes; returns how far boxes differ.
Differences compare(const fs::path& a_dir, const fs::path& b_dir, bool train) {
  const BoxedSplit a_split = read(a_dir, train), b_split = read(b_dir, train);
  EXPECT_EQ(class_names_of(a_split.categories), class_names_of(b_split.categories));
  const auto a = boxed_source(a_split, false), b = boxed_source(b_split, false);
  Differences found;
  EXPECT_EQ(a->size(), b->size());
  for (int64_t i = 0; i < std::min(a->size(), b->size()); ++i) {
    EncodedPicture of_a, of_b;
    a->read(i, of_a);
    b->read(i, of_b);
    EXPECT_EQ(of_a.bytes, of_b.bytes);
    EXPECT_EQ(of_a.objects.classes, of_b.objects.classes) << a->origin(i);
    EXPECT_EQ(of_a.objects.width, of_b.objects.width);
    EXPECT_EQ(of_a.objects.height, of_b.objects.height);
    EXPECT_EQ(of_a.boxes, of_b.boxes) << a->origin(i);
    const std::vector<double>&truth_a = of_a.objects.truth, &truth_b = of_b.objects.truth;
    EXPECT_EQ(truth_a.size(), truth_b.size()) << a->origin(i);
    for (size_t k = 0; k < std::min(truth_a.size(), truth_b.size()); ++k) {
      if (k % 7 >= 4) continue;
      found.boxes += k % 7 == 0;
      found.pixels = std::max(found.pixels, std::abs(truth_a[k] - truth_b[k]));
    }
  }
  return found;
}

TEST(PrepareBoxes, EveryFormatBecomesEveryOther) {
  for (const std::string layout : {"roboflow_coco", "ultralytics", "published_voc"}) {
    const TempFolder folder;
    write_layout(layout, folder / "in");
    for (const std::string to : {"coco", "yolo", "voc"}) {
      const std::string said = prepare("in", to, folder.path());
      EXPECT_NE(said.find("train: 2 pictures, 0 without boxes, 3 boxes of 2 classes"), said.npos);
      EXPECT_NE(said.find("val: 2 pictures, 1 without boxes, 2 boxes of 2 classes"), said.npos);
      EXPECT_EQ(recognise_boxes(folder / ("in_" + to))->name, to);
      for (const bool train : {true, false}) {
        const Differences found = compare(folder / "in", folder / ("in_" + to), train);
        EXPECT_EQ(found.boxes, train ? 3 : 2);
        EXPECT_EQ(found.pixels, 0) << layout << " to " << to;
      }
    }
  }
}

// Boxes with fractions, at borders, with many digits; sparse ids; a name that formats must quote.
CocoSet hard_set() {
  CocoSet set;
  set.annotations["categories"] = {{{"id", 7}, {"name", "it's <a> & b: #c"}},
                                   {{"id", 2}, {"name", "traffic light"}},
                                   {{"id", 90}, {"name", "\xc3\xbc\"ber"}}};
  int64_t id = 1000;
  for (const auto& [width, height] : {std::pair(641, 427), {333, 500}, {97, 1021}}) {
    set.add_picture(id -= 7, {.width = width, .height = height});
    const double w = width, h = height;
    const std::vector<std::array<double, 4>> boxes{{0, 0, w, h},
                                                   {258.15 / 641 * w, 41.29, 48.27, 243.78},
                                                   {w - 1.0 / 3, h - 0.1, 1.0 / 3, 0.1},
                                                   {0.01, 0.02, 0.5, 1e-3},
                                                   {1.0 / 7, 2.0 / 7, 3.0 / 7, h * 0.618034},
                                                   {12.34, 56.78, 9.1, 2.3}};
    for (size_t i = 0; i < boxes.size(); ++i) {
      set.add_object(id, std::array<int64_t, 3>{7, 2, 90}[i % 3], boxes[i], i == 5);
    }
  }
  return set;
}

TEST(PrepareBoxes, RoundTripsKeepEveryBoxAndClass) {
  const TempFolder folder;
  hard_set().write(folder / "in", "train2017");
  hard_set().write(folder / "in", "val2017");
  const std::vector<std::string> trips[] = {
      {"yolo", "coco"}, {"voc", "coco"}, {"voc", "yolo", "voc", "coco"}, {"coco", "yolo"}};
  for (const auto& trip : trips) {
    std::string at = "in";
    for (const std::string& to : trip) {
      if (!fs::exists(folder / (at + "_" + to))) prepare(at, to, folder.path());
      at += "_" + to;
    }
    for (const bool train : {true, false}) {
      const Differences found = compare(folder / "in", folder / at, train);
      EXPECT_EQ(found.boxes, 18) << at;
      EXPECT_LT(found.pixels, 1e-9) << at;
    }
  }
  // VOC's difficult is COCO's crowd.
  const BoxedSplit voc = read(folder / "in_voc", true);
  EXPECT_EQ(std::ranges::count(voc.objects, true, &BoxedObject::crowd), 3);
  const BoxedSplit same = read(folder / "in_coco", true);
  EXPECT_EQ(same.categories[1].id, 7);
}

TEST(PrepareBoxes, RealPicturesKeepTheirBoxes) {
  const auto input = shared_data("coco/tiny_coco");
  if (!input) GTEST_SKIP();
  const TempFolder folder;
  fs::create_directory_symlink(*input, folder / "in");
  prepare("in", "coco", folder.path());
  int64_t boxes = 0;
  for (const std::string to : {"yolo", "voc"}) {
    prepare("in", to, folder.path());
    prepare("in_" + to, "coco", folder.path());
    for (const bool train : {true, false}) {
      const Differences direct = compare(folder / "in_coco", folder / ("in_" + to), train),
                        back = compare(folder / "in_coco", folder / ("in_" + to + "_coco"), train);
      EXPECT_EQ(direct.boxes, back.boxes);
      EXPECT_LT(back.pixels, 1e-9);
      boxes += back.boxes;
    }
  }
  EXPECT_GT(boxes, 2 * 400);
}

TEST(PrepareBoxes, RecordsHoldTheSameObjects) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "in");
  prepare("in", "tfrecord", folder.path(), {"--train-shards", "2", "--validation-shards", "1"});
  const auto records = open_coco_records(folder / "in_tfrecord", true, 1);
  const auto source = boxed_source(read(folder / "in", true), true);
  EXPECT_EQ(records->class_names(), source->class_names());
  ASSERT_EQ(records->size(), source->size());
  std::map<int64_t, EncodedPicture> known;
  for (int64_t i = 0; i < source->size(); ++i) {
    EncodedPicture picture;
    source->read(i, picture);
    known[picture.objects.image_id] = picture;
  }
  for (int64_t i = 0; i < records->size(); ++i) {
    EncodedPicture picture;
    records->read(i, picture);
    EXPECT_EQ(picture.boxes, known.at(picture.objects.image_id).boxes);
    EXPECT_EQ(picture.objects.classes, known.at(picture.objects.image_id).objects.classes);
  }
}

TEST(PrepareBoxes, GoesOnWhereItWasKilledAndNoticesDamage) {
  const TempFolder folder;
  write_layout("roboflow_voc", folder / "in");
  prepare("in", "yolo", folder.path());
  const auto before = files_below(folder / "in_yolo");
  fs::remove(folder / "in_yolo/labels/train/a.txt");
  fs::remove(folder / "in_yolo/images/val/c.bmp");
  const std::string said = prepare("in", "yolo", folder.path());
  EXPECT_NE(said.find("2 were written now"), said.npos) << said;
  EXPECT_EQ(files_below(folder / "in_yolo"), before);
  write_bytes(folder / "in_yolo/labels/train/a.txt", "0 0 0 1 1\n");
  expect_refused({"--input", "in", "--output", "in_yolo", "--to", "yolo"}, 3,
                 {"labels/train/a.txt is damaged", "the annotations"}, folder.path());
  write_layout("cvat_voc", folder / "in");
  expect_refused({"--input", "in", "--output", "in_yolo", "--to", "yolo", "--val-share", "0.3"}, 2,
                 {"prepared"}, folder.path());
}

TEST(PrepareBoxes, WhatIsBrokenIsNamedAndLeftOutOnRequest) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "in");
  write_text(folder / "in/labels/train/a.txt", "9 0 0 1 1\n");
  write_text(folder / "in/images/val/b2.bmp", "no picture");
  const Arguments words{"--input", "in", "--output", "in_voc", "--to", "voc"};
  expect_refused(words, 3, {"a.txt:1: the class 9 is unknown", "--max-bad 1"}, folder.path());
  expect_refused(joined(words, {"--max-bad", "1"}), 3, {"b2.bmp"}, folder.path());
  const std::string said = prepare("in", "voc", folder.path(), {"--max-bad", "2"});
  EXPECT_NE(said.find("left out: "), said.npos) << said;
  EXPECT_NE(said.find("train: 1 pictures"), said.npos) << said;
  EXPECT_NE(said.find("2 pictures left out"), said.npos) << said;
  EXPECT_FALSE(fs::exists(folder / "in_voc/Annotations/a.xml"));
}

TEST(PrepareBoxes, BoxesThatCannotBeAreLeftOutAndCounted) {
  const TempFolder folder;
  five_pictures().write(folder / "in", "train2017");
  CocoSet twice = five_pictures();
  twice.add_object(8, 3, {20, 15, 40, 30});
  twice.write(folder / "in", "val2017");
  const std::string said = prepare("in", "yolo", folder.path());
  EXPECT_NE(
      said.find("train: 5 pictures, 2 without boxes, 6 boxes of 3 classes; 2 boxes of no size "
                "inside their picture are left out, 1 boxes are cut to their picture, 1 "
                "crowds or difficult"),
      said.npos)
      << said;
  EXPECT_NE(said.find("1 exact repetitions of boxes are left out"), said.npos) << said;
}

TEST(PrepareBoxes, LinksTakeNoRoom) {
  const TempFolder folder;
  write_layout("label_img", folder / "in");
  prepare("in", "coco", folder.path(), {"--pictures", "link", "--val-share", "0.4"});
  struct stat from {
  }, to{};
  for (const char* split : {"train", "val"}) {
    const fs::path link = folder / "in_coco" / split / "a.bmp";
    if (!fs::exists(link)) continue;
    ASSERT_EQ(::stat((folder / "in/a.bmp").c_str(), &from), 0);
    ASSERT_EQ(::stat(link.c_str(), &to), 0);
    EXPECT_EQ(from.st_ino, to.st_ino);
  }
  EXPECT_EQ(from.st_nlink, 2u);
  EXPECT_EQ(read(folder / "in_coco", true).pictures.size() +
                read(folder / "in_coco", false).pictures.size(),
            3u);
}

TEST(PrepareBoxes, SplitsThatShareNamesGetFoldersInVoc) {
  const TempFolder folder;
  five_pictures().write(folder / "in", "train2017");
  five_pictures().write(folder / "in", "val2017");
  prepare("in", "voc", folder.path());
  EXPECT_TRUE(fs::exists(folder / "in_voc/JPEGImages/val/000000000004.bmp"));
  EXPECT_EQ(read(folder / "in_voc", false).pictures.size(), 5u);
}

TEST(PrepareBoxes, WhatCannotBeIsRefused) {
  const TempFolder folder;
  write_layout("ultralytics", folder / "in");
  fs::create_directories(folder / "empty");
  const auto with = [](const std::string& input, const Arguments& more) {
    return joined({"--input", input, "--output", "out"}, more);
  };
  expect_refused(with("in", {}), 2, {"--to coco|yolo|voc|tfrecord"}, folder.path());
  expect_refused(with("in", {"--to", "csv"}), 2, {"csv"}, folder.path());
  expect_refused(with("in", {"--to", "voc", "--from", "coco"}), 3, {"no boxes in the format coco"},
                 folder.path());
  expect_refused(with("empty", {"--to", "voc"}), 3, {"no boxes in a known format", "data.yaml"},
                 folder.path());
  expect_refused(with("nowhere", {"--to", "voc"}), 3, {"there is no folder nowhere"},
                 folder.path());
  expect_refused(with("in", {"--to", "voc", "--val-share", "0.1"}), 2, {"--val-share"},
                 folder.path());
  expect_refused(with("in", {"--to", "voc", "--train-shards", "2"}), 2,
                 {"train-shards", "tfrecord"}, folder.path());
  expect_refused({"--input", "in", "--output", "in/out", "--to", "voc"}, 2, {"lie in each other"},
                 folder.path());
  write_picture(folder / "in/images/train/a.png.bmp", 9, 9);
  fs::copy_file(folder / "in/images/train/a.bmp", folder / "in/images/train/a.jpg");
  expect_refused(with("in", {"--to", "voc"}), 3, {"a.bmp and a.jpg", "one file of annotations"},
                 folder.path());
}

}  // namespace
}  // namespace convoy::test
