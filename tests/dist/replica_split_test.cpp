#include "dist/replica_split.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kernels/sums.h"
#include "support/raises.h"

namespace convoy {
namespace {

std::vector<float> leaves(int count) {
  std::vector<float> values;
  for (int i = 0; i < count; ++i) values.push_back(1.0f / static_cast<float>(3 + i * i));
  return values;
}

TEST(ReplicaSplit, KnowsWhetherGroupsAreWholeInEveryProcess) {
  EXPECT_TRUE(ReplicaSplit(8, 1).has_whole_groups(2));
  EXPECT_TRUE(ReplicaSplit(8, 2).has_whole_groups(4));
  EXPECT_TRUE(ReplicaSplit(8, 3).has_whole_groups(2)) << ReplicaSplit(8, 3).counts();
  EXPECT_FALSE(ReplicaSplit(8, 4).has_whole_groups(4)) << "two replicas each";
  EXPECT_FALSE(ReplicaSplit(4, 3).has_whole_groups(2)) << "2, 1, 1";
}

TEST(ReplicaSplit, EveryProcessHasOneNodeOfTheTree) {
  const auto counts = [](int replicas, int instances) {
    return ReplicaSplit(replicas, instances).counts();
  };
  EXPECT_EQ(counts(1, 1), "1");
  EXPECT_EQ(counts(4, 1), "4");
  EXPECT_EQ(counts(4, 2), "2, 2");
  EXPECT_EQ(counts(4, 3), "2, 1, 1");
  EXPECT_EQ(counts(4, 4), "1, 1, 1, 1");
  EXPECT_EQ(counts(6, 2), "4, 2");
  EXPECT_EQ(counts(6, 3), "2, 2, 2");
  EXPECT_EQ(counts(5, 2), "4, 1");
  EXPECT_EQ(counts(3, 2), "2, 1");
  EXPECT_EQ(counts(5, 5), "1, 1, 1, 1, 1");
  EXPECT_EQ(counts(8, 3), "4, 2, 2");
  EXPECT_EQ(ReplicaSplit(8, 3).most(), 4);
}

TEST(ReplicaSplit, CoversEveryReplicaOnceAndInOrder) {
  for (int replicas = 1; replicas <= 40; ++replicas) {
    for (int instances = 1; instances <= replicas; ++instances) {
      const ReplicaSplit split(replicas, instances);
      int next = 0;
      for (int rank = 0; rank < instances; ++rank) {
        EXPECT_EQ(split.range(rank).first, next);
        EXPECT_GT(split.range(rank).count, 0);
        next += split.range(rank).count;
      }
      EXPECT_EQ(next, replicas) << replicas << " on " << instances;
    }
  }
}

// The bits of one process that has all replicas, for any number of processes.
TEST(ReplicaSplit, SumsAsTheTreeOverAllReplicasDoes) {
  for (int replicas = 1; replicas <= 33; ++replicas) {
    std::vector<float> all = leaves(replicas);
    kernels::tree_sum(all.data(), 1, replicas, 1);
    for (int instances = 1; instances <= replicas; ++instances) {
      const ReplicaSplit split(replicas, instances);
      std::vector<float> mine = leaves(replicas);
      std::vector<const float*> at(split.tree().nodes().size(), nullptr);
      for (int rank = 0; rank < instances; ++rank) {
        float* first = mine.data() + split.range(rank).first;
        kernels::tree_sum(first, 1, split.range(rank).count, 1);
        at[static_cast<size_t>(split.tree().leaf(rank))] = first;
      }
      float sum = 0;
      split.tree().sum(split.tree().root(), at, &sum, 1);
      EXPECT_EQ(sum, all[0]) << replicas << " on " << instances;
    }
  }
}

TEST(ReplicaSplit, SumsLongVectorsInPlace) {
  const ReplicaSplit split(3, 3);
  constexpr int64_t count = 5000;
  std::vector<std::vector<float>> terms(3, std::vector<float>(count));
  std::vector<float> expected(count);
  std::vector<const float*> at(split.tree().nodes().size(), nullptr);
  for (size_t r = 0; r < 3; ++r) {
    for (size_t i = 0; i < count; ++i) terms[r][i] = 1.0f / static_cast<float>(i + 7 * r + 1);
    at[static_cast<size_t>(split.tree().leaf(static_cast<int>(r)))] = terms[r].data();
  }
  for (size_t i = 0; i < count; ++i) expected[i] = (terms[0][i] + terms[1][i]) + terms[2][i];
  split.tree().sum(split.tree().root(), at, terms[2].data(), count);
  EXPECT_EQ(terms[2], expected);
}

TEST(ReplicaSplit, KnowsTheNodesThatAHostHoldsAlone) {
  const ReplicaSplit split(8, 8);
  const auto ranks_of = [&](const std::vector<int>& nodes) {
    std::string text;
    for (const int id : nodes) {
      const SumTree::Node& node = split.tree().nodes()[static_cast<size_t>(id)];
      text += std::to_string(node.first) + "-" + std::to_string(node.last) + " ";
    }
    return text;
  };
  const SumTree& tree = split.tree();
  EXPECT_EQ(ranks_of(tree.whole_nodes([](int r) { return r < 4; })), "0-4 ");
  EXPECT_EQ(ranks_of(tree.whole_nodes([](int r) { return r >= 1 && r < 7; })), "1-2 2-4 4-6 6-7 ");
  EXPECT_EQ(ranks_of(tree.whole_nodes([](int r) { return r % 2 == 0; })), "0-1 2-3 4-5 6-7 ");
  EXPECT_EQ(ranks_of(tree.whole_nodes([](int) { return true; })), "0-8 ");
  EXPECT_EQ(ranks_of(tree.whole_nodes([](int) { return false; })), "");
}

TEST(ReplicaSplit, RefusesProcessesWithoutReplicas) {
  test::expect_raises(Fault::usage, {"5 processes", "4 replicas", "try: --replicas 5"},
                      [] { ReplicaSplit(4, 5); });
  EXPECT_LT(ReplicaSplit(4096, 2048).tree().nodes().size(), 4096U);
  test::expect_raises(Fault::usage, {"2049 processes", "at most 2048", "try: fewer processes"},
                      [] { ReplicaSplit(4096, 2049); });
}

}  // namespace
}  // namespace convoy
