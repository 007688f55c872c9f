#include "base/threads/cgroup.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/threads/cores.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

constexpr int64_t no_limit = std::numeric_limits<int64_t>::max();
constexpr double all_cores = std::numeric_limits<double>::infinity();

// A made-up /proc and /sys.
class CgroupTree : public testing::Test {
 protected:
  void groups(std::string_view text) { put("proc/self/cgroup", text); }
  void put(const std::string& path, std::string_view text) {
    const fs::path file = root_ / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void set(const std::string& path, std::string_view text) { put("sys/fs/cgroup/" + path, text); }
  double cores() const { return cgroup_limits(root_.path()).cores; }
  int64_t memory() const { return cgroup_limits(root_.path()).memory_bytes; }
  const fs::path& root() const { return root_.path(); }

 private:
  test::TempFolder root_;
};

TEST_F(CgroupTree, WithoutCgroupsThereIsNoLimit) {
  EXPECT_EQ(cores(), all_cores);
  EXPECT_EQ(memory(), no_limit);
}

TEST_F(CgroupTree, OfV2TheTightestOnTheWayUpCounts) {
  groups("0::/batch/job/step\n");
  set("batch/job/step/cpu.max", "max 100000\n");
  set("batch/job/cpu.max", "250000 100000\n");
  set("batch/cpu.max", "800000 100000\n");
  set("batch/job/step/memory.max", "max\n");
  set("batch/memory.max", "33554432\n");
  EXPECT_EQ(cores(), 2.5);
  EXPECT_EQ(memory(), 33554432);
  set("cpu.max", "50000 50000");  // the mount point itself, as in a container
  set("batch/job/memory.max", "4096");
  EXPECT_EQ(cores(), 1);
  EXPECT_EQ(memory(), 4096);
}

TEST_F(CgroupTree, OfV1EveryControllerHasItsOwnTree) {
  groups(
      "9:name=systemd:/x\n4:memory:/slurm/job_7\n3:cpuset:/slurm\n"
      "1:cpu,cpuacct:/slurm/job_7/step_0\n");
  set("cpu/slurm/job_7/step_0/cpu.cfs_quota_us", "-1\n");  // none
  set("cpu/slurm/job_7/step_0/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cores(), all_cores);
  set("cpu/slurm/job_7/cpu.cfs_quota_us", "150000\n");
  set("cpu/slurm/job_7/cpu.cfs_period_us", "50000\n");
  set("memory/slurm/memory.limit_in_bytes", "16777216\n");
  set("memory/slurm/job_7/memory.limit_in_bytes", "9223372036854771712\n");  // none, in v1
  EXPECT_EQ(cores(), 3);
  EXPECT_EQ(memory(), 16777216);
  set("cpu,cpuacct/cpu.cfs_quota_us", "100000");  // mounted under its full name alone
  set("cpu,cpuacct/cpu.cfs_period_us", "100000");
  EXPECT_EQ(cores(), 1);
}

TEST_F(CgroupTree, BothVersionsMayBeMountedAtOnce) {
  groups("2:memory:/a\n0::/b\n");
  set("memory/a/memory.limit_in_bytes", "8192\n");
  set("unified/b/memory.max", "4096\n");
  set("unified/b/cpu.max", "10000 20000\n");
  EXPECT_EQ(memory(), 4096);
  EXPECT_EQ(cores(), 0.5);
}

TEST_F(CgroupTree, APathOfTheHostStillLeadsToTheContainersOwnGroup) {
  groups("5:cpu:/docker/abc\n6:memory:/docker/abc\n");
  set("cpu/cpu.cfs_quota_us", "200000");
  set("cpu/cpu.cfs_period_us", "100000");
  set("memory/memory.limit_in_bytes", "4096");
  EXPECT_EQ(cores(), 2);
  EXPECT_EQ(memory(), 4096);
}

TEST_F(CgroupTree, AGroupOutsideOurNamespaceIsNotLookedForBesideTheMountPoint) {
  groups("0::/../../job\n");
  put("sys/job/cpu.max", "100000 100000");
  put("sys/fs/job/cpu.max", "100000 100000");
  set("cpu.max", "300000 100000");
  EXPECT_EQ(cores(), 3);
}

TEST_F(CgroupTree, RubbishIsNoLimit) {
  groups("0::/job\n");
  for (const char* text : {"", "\n", "rubbish", "100000", "100000 ", "100000 0", "0 100000",
                           "-5 100000", "100000 -5", "1e5 100000", "100000 1e5", "100000us 100000",
                           "99999999999999999999 100000", "max", "max max", "0x10 0x10"}) {
    set("job/cpu.max", text);
    EXPECT_EQ(cores(), all_cores) << text;
  }
  for (const char* text :
       {"", "rubbish", "-1", "0", "4096k", "4.5", "99999999999999999999", "max"}) {
    set("job/memory.max", text);
    EXPECT_EQ(memory(), no_limit) << text;
  }
  set("job/cpu.max", "100000 100000");
  set("job/memory.max", "4096");
  for (const char* text : {"", "\n\n", "0", "0:", ":", "::", "0:/job", "rubbish", "0::job/../..",
                           "1:cpux:/job", "1:mem:/job"}) {
    groups(text);
    EXPECT_EQ(cores(), all_cores) << text;
    EXPECT_EQ(memory(), no_limit) << text;
  }
  groups(std::string("\0\xff\n0::/job\nrubbish", 18));  // what can be read, counts
  EXPECT_EQ(cores(), 1);
}

TEST_F(CgroupTree, CoresAreThoseOfTheAffinityMaskOrTheQuotaRoundedUp) {
  const int allowed = static_cast<int>(allowed_cores().size());
  EXPECT_EQ(available_cores(root()), allowed);
  groups("0::/\n");
  set("cpu.max", "10000 100000");  // a tenth of one
  EXPECT_EQ(available_cores(root()), 1);
  set("cpu.max", "150000 100000");
  EXPECT_EQ(available_cores(root()), std::min(allowed, 2));
  set("cpu.max", "9223372036854775807 1");
  EXPECT_EQ(available_cores(root()), allowed);
}

}  // namespace
}  // namespace convoy
