#include "base/process.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/files/append_file.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

TEST(Process, KnowsItselfAndItsMachine) {
  EXPECT_GT(peak_rss_bytes(), 1 << 20);
  EXPECT_FALSE(host_name().empty());
  EXPECT_FALSE(cpu_model().empty());
  EXPECT_GT(memory_limit_bytes(), 1 << 26);
}

TEST(Process, MemoryIsWhatTheMachineHasOrTheCgroupGrants) {
  const test::TempFolder root;
  const int64_t physical = memory_limit_bytes(root.path());  // no cgroup at all
  EXPECT_GT(physical, 1 << 26);
  put(root / "proc/self/cgroup", "0::/job\n");
  put(root / "sys/fs/cgroup/job/memory.max", "33554432\n");
  EXPECT_EQ(memory_limit_bytes(root.path()), 33554432);
  put(root / "sys/fs/cgroup/job/memory.max", "9223372036854771712\n");  // "no limit" of v1
  EXPECT_EQ(memory_limit_bytes(root.path()), physical);
}

TEST(AppendFile, GrowsAtTheEndEvenAfterACut) {
  const test::TempFolder folder;
  AppendFile file(folder / "log", Fault::usage);
  file.append("one\ntwo\n");
  fs::resize_file(folder / "log", 4);
  file.append("three\n");
  EXPECT_EQ(read_file(folder / "log", Fault::usage), "one\nthree\n");
  EXPECT_EQ(file.size(), 10u);
  EXPECT_THROW(AppendFile(folder / "no/log", Fault::usage), Error);
}

}  // namespace
}  // namespace convoy
