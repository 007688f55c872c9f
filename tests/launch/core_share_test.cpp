#include "launch/core_share.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "support/raises.h"
#include "support/temp_folder.h"

namespace convoy {
namespace {

using test::expect_raises;
using test::TempFolder;

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text << "\n";
}

std::vector<int> all(int count) {
  std::vector<int> cpus;
  for (int i = 0; i < count; ++i) cpus.push_back(i);
  return cpus;
}

// Two nodes of two cores of two threads each, numbered as Linux likes: 0 and 4 are one core.
std::vector<CpuPlace> small_server() {
  const TempFolder root;
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string folder =
        "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/thread_siblings_list";
    write(root / folder, std::to_string(cpu % 4) + "," + std::to_string(cpu % 4 + 4));
  }
  write(root / "sys/devices/system/node/node0/cpulist", "0-1,4-5");
  write(root / "sys/devices/system/node/node1/cpulist", "2-3,6-7");
  return cpu_places(all(8), root.path());
}

std::vector<std::vector<int>> shares(const std::vector<CpuPlace>& places, ShareRequest request) {
  std::vector<std::vector<int>> result;
  for (request.index = 0; request.index < request.count; ++request.index) {
    result.push_back(share_of_cores(places, request).cpus);
  }
  return result;
}

using Sets = std::vector<std::vector<int>>;

TEST(CoreShare, HyperThreadsStayTogether) {
  const std::vector<CpuPlace> server = small_server();
  EXPECT_EQ(shares(server, {.count = 2, .usable = 8}), (Sets{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  EXPECT_EQ(shares(server, {.count = 4, .usable = 8}), (Sets{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(shares(server, {.count = 3, .usable = 8}), (Sets{{0, 4, 1}, {5, 2, 6}, {3, 7}}));
}

TEST(CoreShare, WithNumaNoRankIsOnTwoNodes) {
  const std::vector<CpuPlace> server = small_server();
  EXPECT_EQ(shares(server, {.count = 3, .usable = 8, .numa = true}),
            (Sets{{0, 4}, {1, 5}, {2, 6, 3, 7}}));
  EXPECT_EQ(shares(server, {.count = 1, .usable = 8, .numa = true}),
            (Sets{{0, 4, 1, 5, 2, 6, 3, 7}}));
}

TEST(CoreShare, ThreadsAreNeverMoreThanCores) {
  for (const int cores : {1, 2, 3, 5, 8}) {
    const std::vector<CpuPlace> places = cpu_places(all(cores), "/nowhere");
    for (int usable = 1; usable <= cores; ++usable) {
      for (int count = 1; count <= usable; ++count) {
        int threads = 0;
        std::multiset<int> cpus;
        for (int index = 0; index < count; ++index) {
          const CoreShare share =
              share_of_cores(places, {.index = index, .count = count, .usable = usable});
          threads += share.threads;
          EXPECT_LE(share.threads, static_cast<int>(share.cpus.size()));
          cpus.insert(share.cpus.begin(), share.cpus.end());
        }
        EXPECT_EQ(threads, usable) << cores << " cores, " << count << " ranks";
        EXPECT_EQ(cpus.size(), static_cast<size_t>(cores));
        EXPECT_EQ(std::set<int>(cpus.begin(), cpus.end()).size(), static_cast<size_t>(cores));
      }
    }
  }
}

TEST(CoreShare, MoreThanThereIsMustBeAllowed) {
  const std::vector<CpuPlace> two = cpu_places(all(2), "/nowhere");
  expect_raises(Fault::usage, {"3 ranks", "2 cores", "--oversubscribe"},
                [&] { share_of_cores(two, {.index = 0, .count = 3, .usable = 2}); });
  expect_raises(Fault::usage, {"2 ranks of 2 threads", "2 cores"},
                [&] { share_of_cores(two, {.index = 0, .count = 2, .usable = 2, .per_rank = 2}); });
  expect_raises(Fault::usage, {"2 ranks", "1 cores"}, [&] {  // a cgroup grants one
    share_of_cores(two, {.index = 0, .count = 2, .usable = 1});
  });
  EXPECT_EQ(shares(two, {.count = 3, .usable = 2, .oversubscribe = true}), (Sets{{0}, {1}, {0}}));
  const CoreShare share = share_of_cores(
      two, {.index = 1, .count = 2, .usable = 2, .per_rank = 2, .oversubscribe = true});
  EXPECT_EQ(share.threads, 2);
  EXPECT_EQ(share.cpus, all(2));
}

TEST(CoreShare, AsManyThreadsAsAskedFor) {
  const std::vector<CpuPlace> places = cpu_places(all(8), "/nowhere");
  const CoreShare share =
      share_of_cores(places, {.index = 1, .count = 2, .usable = 8, .per_rank = 1});
  EXPECT_EQ(share.threads, 1);
  EXPECT_EQ(share.cpus, (std::vector<int>{4, 5, 6, 7}));  // room, and none of the other's
}

TEST(CoreShare, FilesThatMakeNoSenseAreIgnored) {
  for (const char* text : {"", "x", "-", "1-", "0-99999999", "5-1", ",,", "\x01"}) {
    const TempFolder root;
    write(root / "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", text);
    write(root / "sys/devices/system/node/node0/cpulist", text);
    EXPECT_EQ(cpu_places(all(2), root.path()).size(), 2u) << text;
  }
}

}  // namespace
}  // namespace convoy
