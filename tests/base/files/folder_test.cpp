#include "base/files/folder.h"

#include <gtest/gtest.h>

#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy {
namespace {

using test::expect_raises;
using test::TempFolder;
using test::write_bytes;

std::vector<std::string> names_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : files_below(folder, Fault::data)) {
    names.push_back(path.lexically_relative(folder).string());
  }
  return names;
}

TEST(Folder, FilesBelowComeInOrderWithoutHiddenOnes) {
  const TempFolder folder;
  fs::create_directories(folder / "b/deep");
  fs::create_directories(folder / ".hidden");
  for (const char* name : {"c", "a", "b/deep/x", "b/1", ".secret", ".hidden/y"}) {
    write_bytes(folder / name, "");
  }
  EXPECT_EQ(names_below(folder.path()), (std::vector<std::string>{"a", "b/1", "b/deep/x", "c"}));
}

TEST(Folder, LinksAreFollowedButNotInCircles) {
  const TempFolder folder;
  fs::create_directories(folder / "a/b");
  write_bytes(folder / "a/b/x", "");
  fs::create_directory_symlink("a/b", folder / "again");
  EXPECT_EQ(names_below(folder.path()), (std::vector<std::string>{"a/b/x", "again/x"}));
  fs::create_directory_symlink("../..", folder / "a/b/up");
  expect_raises(Fault::data, {"a/b/up leads back", "try: "},
                [&] { files_below(folder.path(), Fault::data); });
  // Also where it leads to a folder around the one that is looked through.
  expect_raises(Fault::data, {"a/b/up leads back"},
                [&] { files_below(folder / "a/b", Fault::data); });
}

TEST(Folder, ALinkThatLeadsNowhereOrToItselfIsAFileToBeRead) {
  const TempFolder folder;
  fs::create_symlink("nothing", folder / "dangling.jpg");
  fs::create_symlink("self.jpg", folder / "self.jpg");
  EXPECT_EQ(names_below(folder.path()), (std::vector<std::string>{"dangling.jpg", "self.jpg"}));
  EXPECT_FALSE(is_folder(folder / "self.jpg"));
}

TEST(Folder, WhatIsNoFolderHasTheFaultOfTheCaller) {
  const TempFolder folder;
  write_bytes(folder / "file", "");
  expect_raises(Fault::usage, {"file", "Not a directory"},
                [&] { folder_entries(folder / "file", Fault::usage); });
  expect_raises(Fault::data, {"none", "No such file"},
                [&] { folder_entries(folder / "none", Fault::data); });
}

}  // namespace
}  // namespace convoy
