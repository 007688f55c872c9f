// `convoy prepare coco` as a user meets it.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "data/boxed/boxed_source.h"
#include "data/coco/coco_layout.h"
#include "data/coco/coco_records.h"
#include "data/coco/coco_split.h"
#include "records/example.h"
#include "records/tfrecord.h"
#include "support/coco_set.h"
#include "support/process.h"
#include "support/raw_set.h"
#include "support/run_files.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

std::string prepare(const Arguments& arguments, const fs::path& folder) {
  const Finished end = run_convoy(joined({"prepare", "coco"}, arguments), folder);
  EXPECT_EQ(end.code, 0) << end.err;
  return end.out + end.err;
}

void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& words,
                    const fs::path& folder) {
  const Finished end = run_convoy(joined({"prepare", "coco"}, arguments), folder);
  EXPECT_EQ(end.code, code) << end.err;
  ASSERT_EQ(lines_of(end.err).size(), 1u) << end.err;
  for (const std::string& word : words) EXPECT_NE(end.err.find(word), word.npos) << end.err;
}

const Arguments small{
    "--input", "in", "--output", "out", "--train-shards", "2", "--validation-shards", "3"};

BoxedSplit read_coco(const fs::path& folder, bool train) {
  const CocoFiles files = find_coco(folder, split_name(train));
  return read_coco_split(files.annotations, files.pictures);
}

// The pictures of two sources, by their ids: the same objects.
void expect_same(const PictureSource& a, const PictureSource& b) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_EQ(a.class_names(), b.class_names());
  std::map<int64_t, EncodedPicture> of_a;
  for (int64_t i = 0; i < a.size(); ++i) {
    EncodedPicture picture;
    a.read(i, picture);
    of_a.emplace(picture.objects.image_id, picture);
  }
  for (int64_t i = 0; i < b.size(); ++i) {
    EncodedPicture picture;
    b.read(i, picture);
    ASSERT_TRUE(of_a.contains(picture.objects.image_id));
    const EncodedPicture& other = of_a.at(picture.objects.image_id);
    EXPECT_EQ(picture.boxes, other.boxes);
    EXPECT_EQ(picture.objects.classes, other.objects.classes);
    EXPECT_EQ(picture.objects.width, other.objects.width);
    EXPECT_EQ(picture.objects.height, other.objects.height);
  }
}

TEST(PrepareCoco, RecordsHaveTheObjectsOfTheAnnotations) {
  const TempFolder folder;
  five_pictures().write(folder / "in", "train2017");
  five_pictures().write(folder / "in", "val2017", "images");
  const std::string said = prepare(small, folder.path());
  EXPECT_NE(said.find("5 pictures, 3 with boxes, the others are left out"), said.npos) << said;
  EXPECT_NE(said.find("2 boxes of no size, 1 boxes that go beyond their picture"), said.npos);
  EXPECT_NE(said.find("3 records in 2 shards"), said.npos) << said;
  EXPECT_NE(said.find("5 records in 3 shards"), said.npos) << said;
  for (const bool train : {true, false}) {
    expect_same(*boxed_source(read_coco(folder / "in", train), train),
                *open_coco_records(folder / "out", train, 1));
  }
  // Written pictures are dealt to the shards one by one: 8 and 23 to the first, 4 to the second.
  const TfRecordFile first(folder / "out/train-00000-of-00002.tfrecord");
  std::vector<std::string> ids;
  std::string record;
  for (const RecordPlace& place : first.scan()) {
    first.read(place, record);
    ids.emplace_back(Example(record, "record").bytes("image/source_id"));
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"8", "23"}));
  EXPECT_EQ(read_file(folder / "out/raw-data/annotations/instances_val2017.json", Fault::bug),
            read_file(folder / "in/annotations/instances_val2017.json", Fault::bug));
}

TEST(PrepareCoco, GoesOnWhereItWasKilledAndNoticesDamage) {
  const TempFolder folder;
  five_pictures().write(folder / "in", "train2017");
  five_pictures().write(folder / "in", "val2017");
  prepare(small, folder.path());
  const auto before = files_below(folder / "out");
  fs::remove(folder / "out/train-00001-of-00002.tfrecord");
  fs::remove(folder / "out/val-00002-of-00003.tfrecord");
  fs::remove(folder / "out/raw-data/annotations/instances_val2017.json");
  const std::string said = prepare(small, folder.path());
  EXPECT_NE(said.find("going on"), said.npos) << said;
  EXPECT_NE(said.find("1 shards were made now"), said.npos) << said;
  EXPECT_EQ(files_below(folder / "out"), before);

  const fs::path victim = folder / "out/train-00000-of-00002.tfrecord";
  std::string bytes = read_file(victim, Fault::bug);
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 16);
  write_bytes(victim, bytes);
  expect_refused(small, 3, {"train-00000-of-00002.tfrecord at byte"}, folder.path());
  // A sound record of another set is found too.
  fs::copy_file(folder / "out/train-00001-of-00002.tfrecord", victim,
                fs::copy_options::overwrite_existing);
  expect_refused(small, 3, {"does not belong there"}, folder.path());

  CocoSet other = five_pictures();
  other.annotations["annotations"][0]["bbox"][0] = 17;
  other.write(folder / "in", "train2017");
  expect_refused(small, 2, {"prepared from something else"}, folder.path());
}

TEST(PrepareCoco, BrokenPicturesAreNamedAndLeftOutOnRequest) {
  const TempFolder folder;
  CocoSet set = five_pictures();
  set.pictures[0].second = "no picture";
  set.write(folder / "broken", "train2017");
  expect_refused({"--input", "broken", "--output", "none"}, 3, {"000000000008.bmp"}, folder.path());
  set.annotations["images"][1]["height"] = 95;
  set.write(folder / "in", "train2017");
  const std::string said = prepare(joined(small, {"--max-bad", "2"}), folder.path());
  EXPECT_NE(said.find("64 x 96 pixels, but its annotations are about 64 x 95"), said.npos) << said;
  EXPECT_NE(said.find("1 records in 2 shards"), said.npos) << said;
}

TEST(PrepareCoco, WhatIsMissingIsNamed) {
  const TempFolder folder;
  expect_refused(small, 3, {"in"}, folder.path());
  fs::create_directories(folder / "in");
  expect_refused(small, 3, {"no annotations", "instances_train2017.json"}, folder.path());
  five_pictures().write(folder / "in", "train2017");
  expect_refused({"--input", "in", "--output", "in/train2017"}, 2, {"lie in each other"},
                 folder.path());
  write_bytes(folder / "in/annotations/instances_train2017.json", "{\"images\": [");
  expect_refused(small, 3, {"instances_train2017.json"}, folder.path());
}

TEST(PrepareCoco, RealPicturesKeepTheirBytes) {
  const auto input = shared_data("coco/tiny_coco");
  if (!input) GTEST_SKIP();
  const TempFolder folder;
  const std::string said = prepare({"--input", input->string(), "--output", "out"}, folder.path());
  EXPECT_NE(said.find("30 records in 256 shards"), said.npos) << said;
  EXPECT_NE(said.find("6 records in 32 shards"), said.npos) << said;
  EXPECT_NE(said.find("0 pictures encoded anew"), said.npos) << said;
  const auto source = boxed_source(read_coco(*input, true), true);
  const auto records = open_coco_records(folder / "out", true, 1);
  expect_same(*source, *records);
}

}  // namespace
}  // namespace convoy::test
