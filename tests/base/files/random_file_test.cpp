#include "base/files/random_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/raises.h"
#include "support/temp_folder.h"
#include "support/tiny_sets.h"

namespace convoy::test {
namespace {

TEST(RandomFile, ReadsAnyPartAndNothingBehindTheEnd) {
  const TempFolder folder;
  write_bytes(folder / "x", "0123456789");
  const RandomFile file(folder / "x", Fault::data);
  EXPECT_EQ(file.size(), 10u);
  EXPECT_EQ(file.read(3, 4), "3456");
  EXPECT_EQ(file.read(0, 10), "0123456789");
  EXPECT_EQ(file.read(10, 0), "");
  file.expect_jumps();
  file.announce_read(0, 1000);
  expect_raises(Fault::data, {"x", "ends before byte 10"}, [&] { file.read(8, 3); });
  fs::resize_file(folder / "x", 2);
  expect_raises(Fault::data, {"x", "ends before byte 2"}, [&] { file.read(1, 3); });
}

TEST(RandomFile, WhatCannotBeReadHasTheFaultOfTheCaller) {
  const TempFolder folder;
  expect_raises(Fault::checkpoint, {"nothing", "No such file"},
                [&] { RandomFile(folder / "nothing", Fault::checkpoint); });
  expect_raises(Fault::data, {"Is a directory"}, [&] { RandomFile(folder.path(), Fault::data); });
  expect_raises(Fault::data, {"/dev/null"}, [] { RandomFile("/dev/null", Fault::data); });
}

TEST(RandomFile, RoomForOpenFilesIsMadeAsFarAsAllowed) {
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  struct rlimit low = before;
  low.rlim_cur = 64;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  EXPECT_TRUE(allow_open_files(50));
  EXPECT_TRUE(allow_open_files(100));
  struct rlimit now {};
  ::getrlimit(RLIMIT_NOFILE, &now);
  EXPECT_EQ(now.rlim_cur, 100u);
  if (before.rlim_max != RLIM_INFINITY) {
    EXPECT_FALSE(allow_open_files(before.rlim_max + 1));
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
}

}  // namespace
}  // namespace convoy::test
