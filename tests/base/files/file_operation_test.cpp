#include "base/files/file_operation.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "base/files/append_file.h"
#include "base/files/file.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

std::string oldest() {
  const auto wait = oldest_file_operation();
  return wait ? wait->verb + " " + wait->path : "";
}

TEST(FileOperation, TheOldestIsKnownWhicheverEndsFirst) {
  const fs::path a = "a", b = "b";
  EXPECT_EQ(oldest(), "");
  {
    auto first = std::make_unique<FileOperation>("read", a);
    auto second = std::make_unique<FileOperation>("sync", b);
    EXPECT_EQ(oldest(), "read a");
    first->advance("write");
    EXPECT_EQ(oldest(), "sync b");
    second.reset();
    EXPECT_EQ(oldest(), "write a");
    const FileOperation third("read", b);
    first.reset();
    EXPECT_EQ(oldest(), "read b");
  }
  EXPECT_EQ(oldest(), "");
}

TEST(FileOperation, AStallIsOneThatStaysTheOldestForTheWholeTime) {
  const fs::path path = "a";
  FileStall stall;
  EXPECT_FALSE(stall.look(0, 10));
  FileOperation operation("write", path);
  EXPECT_FALSE(stall.look(100, 10));
  EXPECT_FALSE(stall.look(109, 10));
  EXPECT_TRUE(stall.look(110, 10));
  operation.advance();
  EXPECT_FALSE(stall.look(111, 10));
  EXPECT_EQ(stall.look(121, 10)->path, "a");
}

TEST(FileOperation, FilesCountAsProgress) {
  const test::TempFolder folder;
  const uint64_t before = file_operations_done();
  write_atomically(folder / "x", "text", Fault::bug);
  EXPECT_GE(file_operations_done(), before + 3);  // written, synced, renamed
  const uint64_t then = file_operations_done();
  AppendFile(folder / "log", Fault::bug).append("line\n");
  EXPECT_EQ(read_file(folder / "log", Fault::bug), "line\n");
  EXPECT_GE(file_operations_done(), then + 2);
  EXPECT_EQ(oldest(), "");
}

TEST(FileOperation, ManyThreadsMayHaveSome) {
  std::vector<std::thread> threads;
  const uint64_t before = file_operations_done();
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      const fs::path path = "x";
      for (int i = 0; i < 1000; ++i) const FileOperation operation("read", path);
    });
  }
  for (int i = 0; i < 1000; ++i) (void)oldest_file_operation();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(file_operations_done() - before, 4000u);
  EXPECT_EQ(oldest(), "");
}

}  // namespace
}  // namespace convoy
