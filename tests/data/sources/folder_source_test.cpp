#include "data/sources/folder_source.h"

#include <gtest/gtest.h>

#include <set>

#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

void put(const fs::path& path, const std::string& content = "x") {
  fs::create_directories(path.parent_path());
  write_atomically(path, content, Fault::bug);
}

TEST(FolderSource, ClassesAndPicturesComeInTheOrderOfTheirNames) {
  const test::TempFolder folder;
  put(folder / "train/zebra/2.jpg", "z2");
  put(folder / "train/zebra/10.JPEG", "z10");
  put(folder / "train/Ant/b.png", "b");
  put(folder / "train/Ant/deep/er/a.jpg", "a");
  put(folder / "train/Ant/notes.txt");
  put(folder / "train/Ant/.hidden.jpg");
  put(folder / "train/.git/x.jpg");
  put(folder / "train/loose.jpg");
  put(folder / "val/zebra/1.jpg", "v");
  const auto train = open_split(folder.path(), true);
  EXPECT_EQ(train->class_names(), (std::vector<std::string>{"Ant", "zebra"}));
  ASSERT_EQ(train->size(), 4);
  std::vector<std::string> content;
  EncodedPicture picture;
  for (int64_t i = 0; i < 4; ++i) {
    train->read(i, picture);
    content.push_back(picture.bytes);
    EXPECT_EQ(picture.label, i < 2 ? 0 : 1);
    train->announce_read(i);
  }
  EXPECT_EQ(content, (std::vector<std::string>{"b", "a", "z10", "z2"}));
  EXPECT_EQ(train->origin(1), (folder / "train/Ant/deep/er/a.jpg").string());
  // The other split has the classes of the first, though it has no picture of an ant.
  const auto val = open_split(folder.path(), false);
  EXPECT_EQ(val->class_names(), train->class_names());
  val->read(0, picture);
  EXPECT_EQ(picture.label, 1);
  EXPECT_EQ(pictures_below(folder / "train").size(), 5u);
}

TEST(FolderSource, AnUnsplitFolderGivesEachPictureToOneUse) {
  const test::TempFolder folder;
  for (const char* name : {"ant", "bee"}) {
    for (int i = 0; i < 40; ++i) put(folder / name / (std::to_string(i) + ".jpg"));
  }
  put(folder / "bee/deep/1.png");
  const auto train = open_share(folder.path(), true, 0.2);
  const auto test = open_share(folder.path(), false, 0.2);
  EXPECT_EQ(train->class_names(), (std::vector<std::string>{"ant", "bee"}));
  EXPECT_EQ(test->class_names(), train->class_names());
  EXPECT_EQ(train->size() + test->size(), 81);
  std::set<std::string> seen;
  for (const auto* split : {train.get(), test.get()}) {
    for (int64_t i = 0; i < split->size(); ++i) seen.insert(split->origin(i));
  }
  EXPECT_EQ(seen.size(), 81u);
  for (const int64_t count : test->class_counts()) {
    EXPECT_GT(count, 2);
    EXPECT_LT(count, 20);
  }
  EXPECT_EQ(count_pictures(folder.path(), 1000), 81);
  EXPECT_EQ(count_pictures(folder.path(), 10), 10);
  EXPECT_EQ(count_pictures(folder / "none", 10), 0);
}

TEST(FolderSource, WhatIsSplitIsNotSplitAgain) {
  const test::TempFolder folder;
  put(folder / "train/a/1.jpg");
  put(folder / "val/a/1.jpg");
  EXPECT_TRUE(is_split(folder.path()));
  EXPECT_FALSE(is_split(folder / "train"));
  test::expect_raises(Fault::usage, {"split already", "--val-share 0"},
                      [&] { open_share(folder.path(), true, 0.1); });
  test::expect_raises(Fault::data, {"no folder of a class"},
                      [&] { open_share(folder / "train/a", true, 0.1); });
  test::expect_raises(Fault::data, {"leaves none for evaluation"},
                      [&] { open_share(folder / "train", false, 0.1); });
}

TEST(FolderSource, WhatIsMissingIsNamed) {
  const test::TempFolder folder;
  test::expect_raises(Fault::data, {"train", "prepare folder"},
                      [&] { open_split(folder.path(), true); });
  put(folder / "train/a/1.jpg");
  test::expect_raises(Fault::data, {"val"}, [&] { open_split(folder.path(), false); });
  fs::create_directories(folder / "train/empty");
  test::expect_raises(Fault::data, {"no picture in", "empty"},
                      [&] { open_split(folder.path(), true); });
  put(folder / "val/b/1.jpg");
  test::expect_raises(Fault::data, {"val/b", "training does not know"},
                      [&] { open_split(folder.path(), false); });
  fs::remove_all(folder / "train/empty");
  const auto train = open_split(folder.path(), true);
  fs::remove(folder / "train/a/1.jpg");
  EncodedPicture picture;
  test::expect_raises(Fault::data, {"train/a/1.jpg"}, [&] { train->read(0, picture); });
  fs::create_directories(folder / "none/train");
  test::expect_raises(Fault::data, {"no folder of a class"},
                      [&] { open_split(folder / "none", true); });
  fs::create_directory_symlink(folder / "train", folder / "train/a/again");
  test::expect_raises(Fault::data, {"leads back into a folder"},
                      [&] { open_split(folder.path(), true); });
}

}  // namespace
}  // namespace convoy
