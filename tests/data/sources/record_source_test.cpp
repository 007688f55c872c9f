#include "data/sources/record_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "data/sources/record_shards.h"
#include "records/example.h"
#include "records/tfrecord.h"
#include "support/fixture.h"
#include "support/raises.h"
#include "support/records.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

// Record k of a set has the label k % 3 + 1 and the picture "picture k".
std::string numbered(int k) {
  return picture_record({.label = k % 3 + 1,
                         .synset = fmt::format("n{}", k % 3 + 1),
                         .encoded = fmt::format("picture {}", k)});
}

// `shards` files <folder>/<prefix>-… of two records each.
void write_set(const fs::path& folder, const std::string& prefix, int shards,
               const std::string& ending = "") {
  for (int i = 0; i < shards; ++i) {
    write_records(folder / (shard_name(prefix, i, shards) + ending),
                  {numbered(2 * i), numbered(2 * i + 1)});
  }
}

void expect_numbered(const PictureSource& source, int64_t count) {
  ASSERT_EQ(source.size(), count);
  EncodedPicture picture;
  for (int64_t k = 0; k < count; ++k) {
    source.announce_read(k);
    source.read(k, picture);
    EXPECT_EQ(picture.bytes, fmt::format("picture {}", k));
    EXPECT_EQ(picture.label, k % 3);
    EXPECT_TRUE(picture.boxes.empty());
  }
}

TEST(RecordSource, EveryRecipesNamesAreFound) {
  struct Layout {
    const char *folder, *train, *validation_folder, *validation, *ending;
  };
  for (const Layout& layout :
       {Layout{"", "train", "", "validation", ""},
        {"train", "train", "validation", "validation", ""},
        {"train", "train", "val", "validation", ""},
        {"train", "train", "val", "val", ".tfrecord"},
        {"img_train", "img_train", "img_val", "img_val", ""},
        {"imagenet_train_subset", "imagenet_train_subset", "imagenet_val_subset",
         "imagenet_val_subset", ""},
        {"tf_records/img_train", "img_train", "tf_records/img_val", "img_val", ""},
        {"imagenet-data", "train", "imagenet-data", "validation", ""}}) {
    const TempFolder folder;
    EXPECT_FALSE(has_records(folder.path(), true));
    EXPECT_FALSE(has_records(folder.path(), false));
    write_set(folder / layout.folder, layout.train, 3, layout.ending);
    EXPECT_TRUE(has_records(folder.path(), true));
    EXPECT_FALSE(has_records(folder.path(), false)) << layout.train;
    write_set(folder / layout.validation_folder, layout.validation, 2, layout.ending);
    EXPECT_TRUE(has_records(folder.path(), false));
    for (const int threads : {1, 3}) {
      expect_numbered(*open_records(folder.path(), true, threads), 6);
      expect_numbered(*open_records(folder.path(), false, threads), 4);
    }
  }
}

TEST(RecordSource, SaysWhereARecordIs) {
  const TempFolder folder;
  write_set(folder.path(), "train", 2);
  const auto source = open_records(folder.path(), true);
  EXPECT_EQ(source->run_length(), 32);
  EXPECT_EQ(source->origin(2), (folder / "train-00001-of-00002").string() + " at byte 0");
  EXPECT_EQ(source->origin(3), (folder / "train-00001-of-00002").string() +
                                   fmt::format(" at byte {}", framed_record(numbered(2)).size()));
}

TEST(RecordSource, MissingAndDoubleShardsAreNamed) {
  const TempFolder folder;
  const auto refused = [&](std::initializer_list<std::string_view> words) {
    expect_raises(Fault::data, words, [&] { open_records(folder.path(), true); });
  };
  refused({"no record files", "train-00000-of", "; try: "});
  write_set(folder.path(), "train", 4);
  fs::remove(folder / "train-00002-of-00004");
  refused({"train-00002-of-00004 is missing", "3 of 4"});
  EXPECT_TRUE(has_records(folder.path(), true));
  fs::remove(folder / "train-00001-of-00004");
  refused({"train-00001-of-00004 (and 1 more) is missing"});
  write_set(folder / "train", "train", 2);
  refused({"two sets of shards", "train-*-of-00004", "train/train-*-of-00002"});
}

TEST(RecordSource, DamageIsFoundWhenTheRecordIsRead) {
  const TempFolder folder(memory_folder());
  write_set(folder.path(), "train", 2);
  const fs::path victim = folder / "train-00001-of-00002";
  const std::string sound = read_file(victim, Fault::bug);
  const size_t second = framed_record(numbered(2)).size();
  EncodedPicture picture;
  // A bit of each byte of the last record's payload: the others are read, and there are three
  // classes.
  for (size_t bit = (second + 12) * 8; bit < sound.size() * 8; bit += 7) {
    std::string bytes = sound;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    write_bytes(victim, bytes);
    const auto source = open_records(folder.path(), true, 1);
    ASSERT_EQ(source->class_names(), (std::vector<std::string>{"n1", "n2", "n3"}));
    for (const int64_t i : {0, 1, 2}) source->read(i, picture);
    expect_raises(Fault::data, {source->origin(3), "damaged"}, [&] { source->read(3, picture); });
  }
  std::string bytes = sound;
  bytes[second] ^= 1;  // its length: the rest of the file cannot be found
  write_bytes(victim, bytes);
  expect_raises(Fault::data, {"train-00001-of-00002", fmt::format("at byte {}", second)},
                [&] { open_records(folder.path(), true); });
}

TEST(RecordSource, RecordsThatMakeNoSense) {
  const TempFolder folder;
  const fs::path file = folder / "train-00000-of-00001";
  const auto refused = [&](const std::string& record, std::string_view words) {
    write_records(file, {numbered(0), record});
    const auto source = open_records(folder.path(), true);
    EncodedPicture picture;
    source->read(0, picture);
    expect_raises(Fault::data, {file.string(), "at byte", words},
                  [&] { source->read(1, picture); });
  };
  refused("no message at all", "damaged");
  refused(picture_record({.label = 0, .synset = "", .encoded = "x"}), "label is 0");
  refused(picture_record({.label = -5, .synset = "", .encoded = "x"}), "label is -5");
  refused(encode_example({{"image/class/label", std::vector<int64_t>{1}}}), "image/encoded");
  refused(encode_example({{"image/encoded", std::vector<std::string>{"x"}}}), "image/class/label");
  refused(encode_example({{"image/encoded", std::vector<std::string>{"x"}},
                          {"image/class/label", std::vector<int64_t>{1}},
                          {"image/object/bbox/ymin", std::vector<float>{0}}}),
          "1 values ymin, but 0 values xmin");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  refused(picture_record({.label = 1, .synset = "", .encoded = "x", .boxes = {{nan, 0, 1, 1}}}),
          "side nan");
  write_records(file, {});
  expect_raises(Fault::data, {"no record"}, [&] { open_records(folder.path(), true); });
}

TEST(RecordSource, BoxesAreCutToThePicture) {
  const TempFolder folder;
  write_records(folder / "train-00000-of-00001",
                {picture_record({.label = 1,
                                 .synset = "",
                                 .encoded = "x",
                                 .boxes = {{-1, 0.25f, 0.5f, 2}, {0.5f, 0.5f, 0.5f, 1}}})});
  EncodedPicture picture;
  open_records(folder.path(), true)->read(0, picture);
  ASSERT_EQ(picture.boxes.size(), 1u);
  EXPECT_EQ(picture.boxes[0].ymin, 0);
  EXPECT_EQ(picture.boxes[0].xmin, 0.25f);
  EXPECT_EQ(picture.boxes[0].ymax, 0.5f);
  EXPECT_EQ(picture.boxes[0].xmax, 1);
}

TEST(RecordSource, ClassesAreThoseOfAListOrOfBothSplits) {
  using Names = std::vector<std::string>;
  const TempFolder folder;
  const auto record = [](int64_t label, const std::string& synset) {
    return picture_record({.label = label, .synset = synset, .encoded = "x"});
  };
  write_records(folder / "train-00000-of-00001", {record(5, "n5"), record(2, "")});
  EXPECT_EQ(open_records(folder.path(), true)->class_names(), (Names{"1", "2", "3", "4", "n5"}));
  write_records(folder / "validation-00000-of-00001", {record(1, "n1"), record(6, "n6")});
  const Names both{"n1", "2", "3", "4", "n5", "n6"};
  EXPECT_EQ(open_records(folder.path(), true)->class_names(), both);
  EXPECT_EQ(open_records(folder.path(), false)->class_names(), both);

  write_bytes(folder / "synsets.txt", "a tench\r\n\nb\nc\nd\ne");
  const auto source = open_records(folder.path(), false);
  EXPECT_EQ(source->class_names(), (Names{"a", "b", "c", "d", "e"}));
  EncodedPicture picture;
  expect_raises(Fault::data, {"at byte", "label is 6", "5 classes", "synsets.txt"},
                [&] { source->read(1, picture); });
  write_bytes(folder / "synsets.txt", "a\nb\na\n");
  expect_raises(Fault::data, {"synsets.txt:3", "a is there twice"},
                [&] { open_records(folder.path(), true); });
}

TEST(RecordSource, ReadsWhatTensorFlowWrote) {
  const nlohmann::json told = fixture("tfrecords").at("shards");
  for (const bool train : {true, false}) {
    const auto source = open_records(fixture_path("tfrecords"), train);
    EXPECT_EQ(source->class_names(),
              (std::vector<std::string>{"n01440764", "n01443537", "n01484850", "n01491361"}));
    int64_t at = 0;
    EncodedPicture picture;
    for (const auto& [name, rows] : told.items()) {
      if (name.starts_with("train") != train) continue;
      for (const auto& row : rows) {
        ASSERT_LT(at, source->size());
        EXPECT_TRUE(source->origin(at).find(name) != std::string::npos);
        source->read(at++, picture);
        EXPECT_EQ(picture.label + 1, row.at("label"));
        EXPECT_EQ(picture.bytes.size(), row.at("bytes"));
        EXPECT_EQ(::crc32(0, reinterpret_cast<const Bytef*>(picture.bytes.data()),
                          static_cast<uInt>(picture.bytes.size())),
                  row.at("crc32"));
        ASSERT_EQ(picture.boxes.size(), row.at("boxes").size());
        for (size_t b = 0; b < picture.boxes.size(); ++b) {
          const auto box = row.at("boxes")[b].get<std::vector<float>>();
          EXPECT_EQ(picture.boxes[b].ymin, box[0]);
          EXPECT_EQ(picture.boxes[b].xmin, box[1]);
          EXPECT_EQ(picture.boxes[b].ymax, box[2]);
          EXPECT_EQ(picture.boxes[b].xmax, box[3]);
        }
      }
    }
    EXPECT_EQ(at, source->size());
  }
}

}  // namespace
}  // namespace convoy::test
