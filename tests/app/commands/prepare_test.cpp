// `convoy prepare` as a user meets it: what it makes of tars and folders, and what it refuses.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "data/sources/record_source.h"
#include "pictures/jpeg_pack.h"
#include "pictures/picture.h"
#include "records/example.h"
#include "records/tfrecord.h"
#include "support/fixture.h"
#include "support/raw_set.h"
#include "support/run_files.h"
#include "support/shared_data.h"
#include "support/small_disk.h"
#include "support/tar_writer.h"
#include "support/tiny_pictures.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

// `convoy prepare ARGUMENTS`, which must end well.
std::string prepare(const Arguments& arguments, const fs::path& folder) {
  const Finished end = run_convoy(joined({"prepare"}, arguments), folder);
  EXPECT_EQ(end.code, 0) << end.err;
  return end.out + end.err;
}

const Arguments small{"imagenet", "--input",        "in", "--output",
                      "out",      "--train-shards", "3",  "--validation-shards",
                      "2"};

void expect_refused(const Arguments& arguments, int code, const std::vector<std::string>& words,
                    const fs::path& folder) {
  const Finished end = run_convoy(joined({"prepare"}, arguments), folder);
  EXPECT_EQ(end.code, code) << testing::PrintToString(arguments) << end.err;
  ASSERT_EQ(lines_of(end.err).size(), 1u) << end.err;
  for (const std::string& word : words)
    EXPECT_NE(end.err.find(word), std::string::npos) << "no '" << word << "' in " << end.err;
}

int64_t label_of(const std::string& class_name) { return std::stoi(class_name.substr(1)); }

TEST(Prepare, TarsBecomeRecordsWithAllTheirPictures) {
  const TempFolder folder;
  const RawSet set(5, 4);
  set.write_tars(folder / "in");
  const std::string said = prepare(small, folder.path());
  EXPECT_NE(said.find("20 training and 10 validation pictures of 5 classes"), said.npos) << said;
  EXPECT_NE(said.find("1 pictures encoded anew, 0 left out"), said.npos) << said;
  EXPECT_EQ(read_file(folder / "out/synsets.txt", Fault::bug),
            "n00000001\nn00000002\nn00000003\nn00000004\nn00000005\n");

  const auto train = open_records(folder / "out", true);
  EXPECT_EQ(train->class_names().size(), 5u);
  ASSERT_EQ(train->size(), 20);
  std::map<std::string, const RawFile*> by_content;
  for (const RawFile& file : set.train) by_content[file.content] = &file;
  EncodedPicture picture;
  int shuffled = 0, anew = 0;
  for (int64_t i = 0; i < 20; ++i) {
    train->read(i, picture);
    const auto found = by_content.find(picture.bytes);
    if (found == by_content.end()) {  // the PNG
      ++anew;
      EXPECT_EQ(picture.label, 1);
      PictureDecoder decoder;
      EXPECT_EQ(decoder.open(picture.bytes, "anew").format, PictureFormat::jpeg);
      continue;
    }
    EXPECT_EQ(picture.label + 1, label_of(found->second->class_name));
    shuffled += picture.bytes != set.train[static_cast<size_t>(i)].content;
    by_content.erase(found);
  }
  EXPECT_EQ(anew, 1);
  EXPECT_EQ(by_content.size(), 1u);
  EXPECT_GT(shuffled, 10);
  EXPECT_TRUE(train->origin(6).find("train/train-00000-of-00003 at byte") != std::string::npos);
  EXPECT_TRUE(train->origin(7).find("train/train-00001-of-00003 at byte 0") != std::string::npos);

  const auto validation = open_records(folder / "out", false);
  ASSERT_EQ(validation->size(), 10);
  for (int64_t i = 0; i < 10; ++i) {
    const RawFile& file = set.validation[static_cast<size_t>(i)];
    validation->read(i, picture);
    EXPECT_EQ(picture.bytes, file.content);
    EXPECT_EQ(picture.label + 1, label_of(file.class_name));
  }
}

TEST(Prepare, ARecordSaysAllThatImageNetsSay) {
  const TempFolder folder;
  const RawSet set(2, 2);
  set.write_folders(folder / "in");
  prepare(small, folder.path());
  const TfRecordFile file(folder / "out/validation/validation-00000-of-00002");
  std::string payload;
  file.read(file.scan().at(0), payload);
  const Example example(payload, "record");
  PictureDecoder decoder;
  const PictureInfo info = decoder.open(set.validation[0].content, "picture");
  EXPECT_EQ(example.bytes("image/encoded"), set.validation[0].content);
  EXPECT_EQ(example.bytes("image/filename"), "ILSVRC2012_val_00000001.JPEG");
  EXPECT_EQ(example.bytes("image/class/synset"), set.validation[0].class_name);
  EXPECT_EQ(example.bytes("image/format"), "JPEG");
  EXPECT_EQ(example.bytes("image/colorspace"), "RGB");
  EXPECT_EQ(example.integer("image/channels"), 3);
  EXPECT_EQ(example.integer("image/height"), info.height);
  EXPECT_EQ(example.integer("image/width"), info.width);
}

TEST(Prepare, TarsFoldersAndThreadsGiveTheSameBytes) {
  const TempFolder folder;
  const RawSet set(4, 5);
  set.write_tars(folder / "in");
  prepare(joined(small, {"--threads", "1"}), folder.path());
  const auto wanted = files_below(folder / "out");
  fs::rename(folder / "in", folder / "tars");
  set.write_folders(folder / "in");
  write_bytes(folder / "in/train/n00000001/Thumbs.db", "none of ours");
  fs::remove_all(folder / "out");
  const std::string said = prepare(joined(small, {"--threads", "3"}), folder.path());
  EXPECT_NE(said.find("1 other files passed over"), said.npos) << said;
  EXPECT_TRUE(files_below(folder / "out") == wanted);
  fs::remove_all(folder / "out");
  prepare(joined(small, {"--seed", "1"}), folder.path());
  EXPECT_FALSE(files_below(folder / "out") == wanted);
}

TEST(Prepare, ValidationListsOfAllForms) {
  const TempFolder folder;
  const RawSet set(3, 2);
  set.write_folders(folder / "in");
  prepare(small, folder.path());
  // prepare.json tells the command, which is another one each time.
  const auto made = [&] {
    auto files = files_below(folder / "out");
    files.erase("prepare.json");
    return files;
  };
  const auto wanted = made();
  fs::remove_all(folder / "in/val");
  fs::create_directories(folder / "in/img_val");
  std::string order, pairs, kaggle = "ImageId,PredictionString\n";
  for (const RawFile& file : set.validation) {
    write_bytes(folder / "in/img_val" / file.name, file.content);
    order += file.class_name + "\r\n";
    pairs = file.name + " " + file.class_name + "\n" + pairs;
    const std::string stem = fs::path(file.name).stem();
    kaggle += stem + "," + file.class_name + " 1 2 3 4 " + file.class_name + " 5 6 7 8\n";
  }
  for (const std::string& list : {order, pairs, kaggle}) {
    write_bytes(folder / "list", list);
    fs::remove_all(folder / "out");
    prepare(joined(small, {"--validation-labels", "list"}), folder.path());
    EXPECT_TRUE(made() == wanted) << list;
  }
  fs::remove_all(folder / "out");
  const auto refused = [&](const std::string& list, const std::vector<std::string>& words) {
    write_bytes(folder / "list", list);
    expect_refused(joined(small, {"--validation-labels", "list"}), 3, words, folder.path());
  };
  expect_refused(small, 3, {"in/img_val", "--validation-labels"}, folder.path());
  refused(order + "n00000001\n", {"list", "7 pictures", "there are 6"});
  refused("65\n970\n230\n809\n516\n57\n", {"list:1", "65", "number", "synset_labels.txt"});
  refused("a b\n" + order.substr(11), {"list:2", "some lines"});
  refused("x.JPEG n1\ny n1\nz n1\na n1\nb n1\nc n1\n", {"does not name", "img_val"});
  refused("x n1\nx n1\nz n1\na n1\nb n1\nc n1\n", {"list:2", "twice"});
  refused("../x\nn1\nn1\nn1\nn1\nn1\n", {"no name of a class"});
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Prepare, BrokenPicturesAreNamedOrLeftOut) {
  const TempFolder folder;
  const RawSet set(3, 6);
  set.write_folders(folder / "in");
  write_bytes(folder / "in/train/n00000002/n00000002_74.JPEG", "no picture");
  write_bytes(folder / "in/val/n00000001/ILSVRC2012_val_00000003.JPEG", "");
  const Arguments one_thread = joined(small, {"--threads", "1"});
  expect_refused(one_thread, 3, {"n00000002_74.JPEG", "--max-bad 1"}, folder.path());
  // Whatever has a name is complete, and nothing else is there.
  for (const auto& [name, content] : files_below(folder / "out")) {
    EXPECT_EQ(name.find(".tmp"), name.npos) << name;
    if (name.find("-of-") == name.npos) continue;
    EXPECT_EQ(TfRecordFile(folder.path() / "out" / name).scan().size(), 6u) << name;
  }
  const Finished end =
      run_convoy(joined({"prepare"}, joined(small, {"--max-bad", "2"})), folder.path());
  EXPECT_EQ(end.code, 0) << end.err;
  EXPECT_NE(end.err.find("left out: "), end.err.npos);
  EXPECT_NE(end.err.find("n00000002_74.JPEG"), end.err.npos);
  EXPECT_NE(end.err.find("ILSVRC2012_val_00000003.JPEG is empty"), end.err.npos);
  EXPECT_EQ(open_records(folder / "out", true)->size(), 17);
  EXPECT_EQ(open_records(folder / "out", false)->size(), 5);
  // The shards are there now, but they are still short of two pictures.
  expect_refused(small, 3, {"out", "2 pictures", "--max-bad 0"}, folder.path());
  prepare(joined(small, {"--max-bad", "2"}), folder.path());
}

TEST(Prepare, AShardThatWasDamagedIsNamed) {
  const TempFolder folder;
  RawSet(3, 4).write_tars(folder / "in");
  prepare(small, folder.path());
  const fs::path shard = folder / "out/train/train-00001-of-00003";
  std::string bytes = read_file(shard, Fault::bug);
  bytes[bytes.size() / 2] ^= 4;
  write_bytes(shard, bytes);
  expect_refused(small, 3, {"train-00001-of-00003 at byte", "checksum"}, folder.path());
  fs::copy_file(folder / "out/train/train-00002-of-00003", shard,
                fs::copy_options::overwrite_existing);
  expect_refused(small, 3, {"train-00001-of-00003 at byte 0", "does not belong", "remove"},
                 folder.path());
  fs::remove(shard);
  prepare(small, folder.path());
}

TEST(Prepare, RefusesWhatCannotBeMeant) {
  const TempFolder folder;
  RawSet(2, 2).write_folders(folder / "in");
  const auto refused = [&](const Arguments& arguments, int code,
                           const std::vector<std::string>& words) {
    expect_refused(arguments, code, words, folder.path());
  };
  const Arguments dirs{"--input", "in", "--output", "out"};
  refused({}, 2, {"boxes|coco|folder|imagenet|pack"});
  refused({"imagnet"}, 2, {"imagnet", "nearest: imagenet"});
  refused({"folder", "--input", "in"}, 2, {"--output"});
  refused(joined({"pack", "--seed", "3"}, dirs), 2, {"seed"});
  refused(joined({"folder", "--seed", "3"}, dirs), 2, {"seed", "--val-share"});
  refused(joined({"folder", "--train-shards", "3"}, dirs), 2, {"train-shards"});
  refused({"folder", "--input", "in", "--output", "in/train/"}, 2, {"lie in each other"});
  refused({"folder", "--input", "in/", "--output", "in"}, 2, {"lie in each other"});
  refused({"folder", "--input", "none", "--output", "out"}, 3, {"none"});
  refused({"pack", "--input", "none", "--output", "out"}, 3, {"none"});
  refused({"folder", "--input", "in/train", "--output", "out"}, 3, {"neither", "--val-share 0.1"});
  // Split already: train and val are no classes.
  refused({"folder", "--input", "in", "--output", "out", "--val-share", "0.1"}, 2,
          {"split already", "try: --input in/train"});
  write_bytes(folder / "list", "n00000001\n");
  refused(joined({"imagenet", "--synsets", "list"}, dirs), 3, {"n00000002", "list of classes"});
  refused(joined({"imagenet", "--validation-labels", "list"}, dirs), 2, {"validation-labels"});
  fs::create_directories(folder / "in/img_train/n00000001");
  refused(joined({"imagenet"}, dirs), 3, {"in/train", "in/img_train"});
  fs::remove_all(folder / "in/img_train");
  fs::create_directories(folder / "in/train/n00000009");
  refused(joined({"imagenet"}, dirs), 3, {"n00000009", "no picture"});
  fs::remove_all(folder / "in/train/n00000009");
  fs::create_directories(folder / "out");
  write_bytes(folder / "out/precious", "do not touch");
  refused(joined({"imagenet"}, dirs), 2, {"out holds other files than prepared data"});
  fs::remove_all(folder / "out");
  prepare(small, folder.path());
  refused(joined({"imagenet", "--train-shards", "4", "--validation-shards", "2"}, dirs), 2,
          {"--train-shards 3", "--train-shards 4"});
  write_bytes(folder / "in/train/n00000001/new.jpg", tiny_jpeg(99));
  refused(small, 2, {"something else", "have changed since"});

  RawSet(2, 2).write_tars(folder / "tars");
  const std::string tar = read_file(folder / "tars/ILSVRC2012_img_train.tar", Fault::bug);
  write_bytes(folder / "tars/ILSVRC2012_img_train.tar", tar.substr(0, tar.size() / 2));
  refused({"imagenet", "--input", "tars", "--output", "out2"}, 3,
          {"ILSVRC2012_img_train.tar", "; try: "});
  EXPECT_FALSE(fs::exists(folder / "out2"));
}

TEST(Prepare, AFullDiskIsCodeSixAndIsGoneOnWith) {
  const TempFolder folder;
  const RawSet set(6, 40);
  set.write_tars(folder / "in");
  size_t bytes = 0;
  for (const auto* files : {&set.train, &set.validation}) {
    for (const RawFile& file : *files) bytes += file.content.size();
  }
  for (const Arguments& kind : {Arguments{"imagenet", "--train-shards", "20", "--validation-shards",
                                          "2", "--input", "in", "--output"},
                                {"folder", "--input", "in", "--output"}}) {
    SmallDisk disk(100);
    if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
    const fs::path output = disk.path() / "out";
    // The pictures alone are more: nothing is begun. Then only what is around them is too much.
    expect_refused(joined(kind, {output.string()}), 6, {"out", "more", "; try: "}, folder.path());
    EXPECT_LE(files_below(output).size(), 2u);
    disk.grow(static_cast<int>(bytes / 1024) + 40);
    expect_refused(joined(kind, {output.string()}), 6, {"; try: "}, folder.path());
    for (const auto& [name, content] : files_below(output)) {
      EXPECT_EQ(name.find(".tmp"), name.npos) << name;
      if (name.find("-of-") != name.npos) {
        EXPECT_EQ(TfRecordFile(output / name).scan().size(), 12u) << name;
      }
    }
    EXPECT_GT(files_below(output).size(), 2u);
    disk.grow(8192);
    prepare(joined(kind, {output.string()}), folder.path());
    fs::remove_all(folder / "whole");
    prepare(joined(kind, {"whole"}), folder.path());
    EXPECT_TRUE(files_below(output) == files_below(folder / "whole"));
  }
}

TEST(Prepare, FoldersOfClasses) {
  const TempFolder folder;
  const RawSet set(3, 4);
  set.write_tars(folder / "in");
  prepare({"folder", "--input", "in", "--output", "out"}, folder.path());
  set.write_folders(folder / "wanted");
  auto made = files_below(folder / "out");
  EXPECT_EQ(made.erase("prepare.json"), 1u);
  EXPECT_EQ(lines_of(made.at(".prepare.hashes")).size(), made.size() - 1);
  EXPECT_EQ(made.erase(".prepare.hashes"), 1u);
  EXPECT_TRUE(made == files_below(folder / "wanted"));
}

// Damage that leaves the size and the header as they were.
TEST(Prepare, AFileThatWasDamagedIsNamed) {
  const TempFolder folder;
  const RawSet set(2, 3);
  set.write_folders(folder / "in");
  const auto jpeg = std::ranges::find_if(
      set.train, [](const RawFile& file) { return file.content.starts_with("\xff\xd8"); });
  const std::string victim = "train/" + jpeg->class_name + "/" + jpeg->name;
  for (const char* kind : {"folder", "pack"}) {
    SCOPED_TRACE(kind);
    const Arguments command{kind, "--input", "in", "--output", std::string("out-") + kind};
    const fs::path output = folder / command.back();
    prepare(command, folder.path());
    const auto wanted = files_below(output);
    ASSERT_TRUE(wanted.contains(victim));
    std::string bytes = wanted.at(victim);
    bytes[bytes.size() - 10] ^= 1;
    write_bytes(output / victim, bytes);
    expect_refused(command, 3, {victim, "damaged", "remove it"}, folder.path());
    expect_refused(joined(command, {"--max-bad", "9"}), 3, {victim, "damaged"}, folder.path());
    fs::remove(output / victim);
    prepare(command, folder.path());
    EXPECT_TRUE(files_below(output) == wanted);
    // Of a run that was stopped it may be what the machine had not written yet; without the list of
    // hashes, what is there is compared with what would be written.
    for (const bool has_list : {true, false}) {
      Json journal = Json::parse(wanted.at("prepare.json"));
      journal.erase("result");
      write_bytes(output / "prepare.json", journal.dump());
      write_bytes(output / victim, bytes);
      if (!has_list) fs::remove(output / ".prepare.hashes");
      EXPECT_NE(prepare(command, folder.path()).find("1 were written now"), std::string::npos);
      EXPECT_TRUE(files_below(output) == wanted);
    }
  }
}

TEST(Prepare, MayWriteBelowItsInputWhereItDoesNotRead) {
  const TempFolder folder;
  RawSet(2, 2).write_folders(folder / "in");
  const Arguments below{"imagenet",
                        "--input",
                        "in",
                        "--output",
                        "in/tfrecords",
                        "--train-shards",
                        "2",
                        "--validation-shards",
                        "1"};
  prepare(below, folder.path());
  prepare(below, folder.path());
  prepare({"folder", "--input", "in", "--output", "in/deep/copy"}, folder.path());
  EXPECT_EQ(open_records(folder / "in/tfrecords", true)->size(), 4);
  for (const char* output : {"in", "in/train", "in/val/x", "in/img_train", "in/validation", "."}) {
    expect_refused({"imagenet", "--input", "in", "--output", output}, 2, {"lie in each other"},
                   folder.path());
  }
  expect_refused({"pack", "--input", "in", "--output", "in/packed"}, 2, {"lie in each other"},
                 folder.path());
  expect_refused({"folder", "--input", "in/train", "--output", "in/train/x", "--val-share", "0.5"},
                 2, {"lie in each other"}, folder.path());
}

TEST(Prepare, LinksInACircleAreNamed) {
  const TempFolder folder;
  RawSet(2, 2).write_folders(folder / "in");
  const auto refused = [&](const std::string& name) {
    for (const char* kind : {"imagenet", "folder", "pack"}) {
      expect_refused({kind, "--input", "in", "--output", "out"}, 3, {name}, folder.path());
    }
  };
  fs::create_directory_symlink("..", folder / "in/train/n00000001/up");
  refused("in/train/n00000001/up");
  fs::remove(folder / "in/train/n00000001/up");
  fs::create_symlink("self.JPEG", folder / "in/train/n00000001/self.JPEG");
  refused("in/train/n00000001/self.JPEG");
  fs::remove(folder / "in/train/n00000001/self.JPEG");
  fs::remove_all(folder / "in/val");
  fs::create_symlink("val", folder / "in/val");
  expect_refused({"imagenet", "--input", "in", "--output", "out"}, 3, {"in/val"}, folder.path());
  fs::create_symlink("loop", folder / "loop");
  expect_refused({"imagenet", "--input", "loop", "--output", "out"}, 3, {"loop"}, folder.path());
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Prepare, APipeIsNotWaitedFor) {
  const TempFolder folder;
  RawSet(2, 2).write_folders(folder / "in");
  ASSERT_EQ(::mkfifo((folder / "in/train/n00000001/pipe.JPEG").c_str(), 0600), 0);
  for (const char* kind : {"imagenet", "folder", "pack"}) {
    expect_refused({kind, "--input", "in", "--output", "out"}, 3, {"pipe.JPEG", "it is a pipe"},
                   folder.path());
  }
}

// As Tiny ImageNet has it: train/CLASS/images/*.JPEG.
TEST(Prepare, FoldersInAClassBelongToIt) {
  const TempFolder folder;
  fs::create_directories(folder / "in/train/n1/images");
  write_bytes(folder / "in/train/n1/images/a.JPEG", tiny_jpeg(1));
  write_bytes(folder / "in/train/n1/n1_boxes.txt", "a 0 0 1 1");
  write_bytes(folder / "in/train/n1/b.png", tiny_png(2));
  prepare({"folder", "--input", "in", "--output", "out"}, folder.path());
  const auto made = files_below(folder / "out");
  EXPECT_EQ(made.at("train/n1/a.JPEG"), tiny_jpeg(1));
  EXPECT_EQ(made.at("train/n1/b.png"), tiny_png(2));
  EXPECT_EQ(made.size(), 4u);  // with prepare.json and the hashes
  write_bytes(folder / "in/train/n1/images/b.png", tiny_png(3));
  expect_refused({"folder", "--input", "in", "--output", "out2"}, 3, {"images/b.png", "one name"},
                 folder.path());
}

TEST(Prepare, OneFolderIsSplitClassByClass) {
  const TempFolder folder;
  const RawSet set(4, 10);
  set.write_folders(folder / "in");
  const auto split = [&](const char* output, const char* seed) {
    prepare(
        {"folder", "--input", "in/train", "--output", output, "--val-share", "0.3", "--seed", seed},
        folder.path());
    return files_below(folder / output);
  };
  const auto first = split("a", "0");
  EXPECT_TRUE(first == split("b", "0"));
  EXPECT_FALSE(first == split("c", "1"));
  std::map<std::string, int> counts;
  for (const RawFile& file : set.train) {
    const std::string below = file.class_name + "/" + file.name;
    EXPECT_EQ(first.count("train/" + below) + first.count("val/" + below), 1u);
    counts[file.class_name] += static_cast<int>(first.count("val/" + below));
  }
  for (const auto& [name, count] : counts) EXPECT_EQ(count, 3) << name;
}

TEST(Prepare, EveryFormatBecomesARecordAndIsCopiedByTheOthers) {
  const TempFolder folder;
  const std::vector<std::string> names{"rgb.bmp", "sixteen_grey.tif", "lossless.webp", "grey.png",
                                       "rgb.jpg"};
  for (const std::string& name : names) {
    fs::create_directories(folder / "in/train/n1");
    fs::copy_file(fixture_path("pictures/" + name), folder / ("in/train/n1/" + name));
  }
  const std::string said = prepare(
      {"imagenet", "--input", "in", "--output", "records", "--train-shards", "1"}, folder.path());
  EXPECT_NE(said.find("5 training"), said.npos) << said;
  EXPECT_NE(said.find("4 pictures encoded anew"), said.npos) << said;
  const auto train = open_records(folder / "records", true);
  EncodedPicture picture;
  for (int64_t i = 0; i < train->size(); ++i) {
    train->read(i, picture);
    EXPECT_EQ(PictureDecoder().open(picture.bytes, "anew").format, PictureFormat::jpeg);
  }
  for (const char* kind : {"folder", "pack"}) {
    prepare({kind, "--input", "in", "--output", kind}, folder.path());
    const auto made = files_below(folder / kind);
    for (const std::string& name : names) {
      ASSERT_TRUE(made.contains("train/n1/" + name)) << kind << " " << name;
      if (name == "rgb.jpg") continue;  // which pack rewrites
      EXPECT_EQ(made.at("train/n1/" + name),
                read_file(folder / ("in/train/n1/" + name), Fault::bug));
    }
  }
}

TEST(Prepare, PackedPicturesAreTheSame) {
  const TempFolder folder;
  const RawSet set(2, 3);
  set.write_folders(folder / "in");
  write_bytes(folder / "in/notes.txt", "copied as it is");
  prepare({"pack", "--input", "in", "--output", "out"}, folder.path());
  const auto made = files_below(folder / "out");
  int packed = 0;
  for (const auto& [name, content] : files_below(folder / "in")) {
    ASSERT_TRUE(made.contains(name)) << name;
    if (!content.starts_with("\xff\xd8")) {
      EXPECT_EQ(made.at(name), content);
      continue;
    }
    ++packed;
    EXPECT_TRUE(is_packed(made.at(name)));
    EXPECT_EQ(decode_picture(made.at(name), name, false).bytes,
              decode_picture(content, name, false).bytes);
  }
  EXPECT_EQ(packed, 9);
  EXPECT_EQ(made.size(), 13u);  // with a PNG, a text, prepare.json and the hashes
  prepare({"pack", "--input", "out", "--output", "again"}, folder.path());
}

TEST(Prepare, PrintedColoursBecomeScreenColours) {
  const auto cmyk = shared_data("fixtures/jpeg");
  if (!cmyk) GTEST_SKIP() << "no shared data";
  const TempFolder folder;
  fs::create_directories(folder / "in/train/n1");
  int found = 0;
  for (const auto& entry : fs::recursive_directory_iterator(*cmyk)) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = read_file(entry.path(), Fault::bug);
    try {
      PictureDecoder decoder;
      if (!decoder.open(bytes, "x").cmyk) continue;
      decode_picture(bytes, "x", false);
    } catch (const Error&) {
      continue;
    }
    write_bytes(folder / fmt::format("in/train/n1/{}.jpg", found++), bytes);
  }
  ASSERT_GT(found, 0);
  prepare({"imagenet", "--input", "in", "--output", "out", "--train-shards", "1"}, folder.path());
  const auto source = open_records(folder / "out", true);
  ASSERT_EQ(source->size(), found);
  EncodedPicture picture;
  for (int64_t i = 0; i < source->size(); ++i) {
    source->read(i, picture);
    PictureDecoder decoder;
    EXPECT_EQ(decoder.open(picture.bytes, "now").components, 3);
  }
}

}  // namespace
}  // namespace convoy::test
