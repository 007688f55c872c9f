#include "launch/topology.h"

#include <gtest/gtest.h>

#include "support/raises.h"

namespace convoy {
namespace {

using test::expect_raises;

std::string placed(const char* hosts, int ranks, bool oversubscribe = false) {
  return place_ranks(parse_hosts(hosts, "-H"), ranks, oversubscribe).text();
}

TEST(Topology, SlotsAreFilledInTheOrderOfHosts) {
  EXPECT_EQ(placed("a:2,b:2", 0), "a:2,b:2");
  EXPECT_EQ(placed("a:2,b:2", 3), "a:2,b:1");
  EXPECT_EQ(placed("a:2,b:2", 2), "a:2");
}

TEST(Topology, WithoutSlotsRanksAreSharedOutEvenly) {
  EXPECT_EQ(placed("a,b", 4), "a:2,b:2");
  EXPECT_EQ(placed("a,b", 3), "a:2,b:1");
  EXPECT_EQ(placed("a,b,c", 2), "a:1,b:1");
  EXPECT_EQ(placed("a,b", 0), "a:1,b:1");
}

TEST(Topology, MoreRanksThanSlotsMustBeAllowed) {
  expect_raises(Fault::usage, {"5 instances", "a:2,b:2", "4 slots", "--oversubscribe"},
                [] { placed("a:2,b:2", 5); });
  EXPECT_EQ(placed("a:2,b:2", 5, true), "a:3,b:2");
  expect_raises(Fault::usage, {"some hosts have slots", "b:1"}, [] { placed("a:2,b", 2); });
}

TEST(Topology, RanksKnowTheirHost) {
  const RankPlacement placement = place_ranks(parse_hosts("a:2,b:1,c:2", "-H"), 0, false);
  std::string hosts;
  for (int rank = 0; rank < placement.ranks(); ++rank) hosts += placement.host_of(rank);
  EXPECT_EQ(hosts, "aabcc");
}

TEST(Topology, TheTableIsPopruns) {
  const RankPlacement one = place_ranks({{"localhost", 0}}, 2, false);
  EXPECT_EQ(topology_table(one, {4, 4}),
            " ===========================================\n"
            "|              poprun topology              |\n"
            "|===========================================|\n"
            "| hosts     |           localhost           |\n"
            "|-----------|-------------------------------|\n"
            "| ILDs      |               0               |\n"
            "|-----------|-------------------------------|\n"
            "| instances |       0       |       1       |\n"
            "|-----------|-------------------------------|\n"
            "| replicas  | 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n"
            " -------------------------------------------\n");
  const RankPlacement two = place_ranks(parse_hosts("alpha:2,beta:1", "-H"), 0, false);
  EXPECT_EQ(topology_table(two, {2, 1, 1}),
            " =======================================\n"
            "|            poprun topology            |\n"
            "|=======================================|\n"
            "| hosts     |       alpha        | beta |\n"
            "|-----------|---------------------------|\n"
            "| ILDs      |         0          |  1   |\n"
            "|-----------|---------------------------|\n"
            "| instances |      0      |  1   |  2   |\n"
            "|-----------|---------------------------|\n"
            "| replicas  |  0   |  1   |  2   |  3   |\n"
            " ---------------------------------------\n");
  EXPECT_EQ(topology_table(two, {}).find("replicas"), std::string::npos);
}

}  // namespace
}  // namespace convoy
