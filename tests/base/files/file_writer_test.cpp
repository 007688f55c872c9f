#include "base/files/file_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/raises.h"
#include "support/small_disk.h"

namespace convoy::test {
namespace {

TEST(FileWriter, TheFileAppearsWhole) {
  const TempFolder folder;
  for (const bool durable : {true, false}) {
    std::string wanted;
    FileWriter writer(folder / "x", Fault::usage);
    for (int i = 0; i < 1000; ++i) {
      const std::string part(static_cast<size_t>(i), static_cast<char>('a' + i % 26));
      writer.write(part);
      wanted += part;
    }
    EXPECT_FALSE(fs::exists(folder / "x"));
    writer.flush();
    EXPECT_EQ(read_file(writer.temporary(), Fault::bug), wanted);
    writer.commit(durable);
    EXPECT_EQ(read_file(folder / "x", Fault::bug), wanted);
    EXPECT_FALSE(fs::exists(writer.temporary()));
    fs::remove(folder / "x");
  }
}

TEST(FileWriter, WithoutACommitNothingIsLeft) {
  const TempFolder folder;
  { FileWriter(folder / "x", Fault::usage).write("abc"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  expect_raises(Fault::usage, {"none/x", "; try: "},
                [&] { FileWriter(folder / "none/x", Fault::usage); });
}

// A file that takes the name of a device or a pipe would remove it from the system. The name may be
// a link to one, such as /dev/stdout.
TEST(FileWriter, WhatIsNoRegularFileIsNeverReplaced) {
  const TempFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  fs::create_symlink("pipe", folder / "link");
  fs::create_directory(folder / "place");
  for (const char* name : {"pipe", "link", "place"}) {
    expect_raises(Fault::usage, {name, "no regular file", "; try: "}, [&] {
      FileWriter writer(folder / name, Fault::usage);
      writer.write("x");
      writer.commit(false);
    });
  }
  EXPECT_TRUE(fs::is_fifo(folder / "pipe"));
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 3);
}

TEST(FileWriter, AFullDiskIsNoSpace) {
  const SmallDisk disk(64);
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  for (const bool durable : {true, false}) {
    expect_raises(Fault::no_space, {"/x", "; try: "}, [&] {
      FileWriter writer(disk.path() / "x", Fault::usage);
      writer.write(std::string(100000, 'x'));
      writer.commit(durable);
    });
    EXPECT_TRUE(fs::is_empty(disk.path()));
  }
}

}  // namespace
}  // namespace convoy::test
