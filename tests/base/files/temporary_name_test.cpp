#include "base/files/temporary_name.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "base/files/file_writer.h"
#include "support/temp_folder.h"

namespace convoy::test {
namespace {

void put(const fs::path& path) { std::ofstream(path) << "x"; }

TEST(TemporaryName, IsAnotherOneEveryTimeBesideTheFile) {
  const fs::path one = temporary_name("a/b.txt"), two = temporary_name("a/b.txt");
  EXPECT_NE(one, two);
  EXPECT_EQ(one.parent_path(), "a");
  EXPECT_TRUE(one.filename().string().starts_with(".b.txt.")) << one;
  EXPECT_TRUE(one.filename().string().ends_with(".tmp")) << one;
  EXPECT_EQ(temporary_name("b.txt").parent_path(), "");
}

// The names that files were written under before: a link there led the bytes anywhere.
TEST(TemporaryName, ALinkUnderTheOldNameIsNotFollowed) {
  const TempFolder folder;
  put(folder / "precious");
  for (const char* name : {".model.onnx.tmp", ".last.tmp"}) {
    fs::create_symlink(folder / "precious", folder / name);
  }
  write_atomically(folder / "model.onnx", "new", Fault::bug);
  { FileWriter(folder / "model.onnx", Fault::bug).write("newer"); }
  replace_link(folder / "last", "model.onnx", Fault::bug);
  EXPECT_EQ(read_file(folder / "precious", Fault::bug), "x");
  EXPECT_EQ(read_file(folder / "last", Fault::bug), "new");
  EXPECT_TRUE(fs::is_symlink(folder / ".model.onnx.tmp"));
}

TEST(TemporaryName, WhatADeadProcessLeftGoesAndWhatALiveOneWritesStays) {
  const TempFolder folder;
  put(temporary_name(folder / "a"));
  put(temporary_name(folder / "b"));
  put(folder / ".a.tmp");                   // not ours
  put(folder / ".a.0123456789abcdeX.tmp");  // nor this
  fs::create_directory(folder / "below");
  put(temporary_name(folder / "below" / "c"));
  fs::create_symlink("nowhere", temporary_name(folder / "link"));
  const FileWriter live(folder / "a", Fault::bug);
  const auto count = [&] {
    int all = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
      all += !fs::is_directory(entry.symlink_status());
    }
    return all;
  };
  ASSERT_EQ(count(), 7);
  remove_leftovers_of(folder / "a");
  EXPECT_EQ(count(), 6);
  remove_leftovers_in(folder.path());
  EXPECT_EQ(count(), 4);
  remove_leftovers_below(folder.path());
  EXPECT_EQ(count(), 3);
  EXPECT_TRUE(fs::exists(live.temporary()));
  EXPECT_TRUE(fs::exists(folder / ".a.tmp"));
}

TEST(TemporaryName, AnAtomicWriteTakesAwayWhatAKilledOneLeft) {
  const TempFolder folder;
  const fs::path left = temporary_name(folder / "a"), other = temporary_name(folder / "ab");
  put(left);
  put(other);
  write_atomically(folder / "a", "1", Fault::bug);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(other));
}

}  // namespace
}  // namespace convoy::test
