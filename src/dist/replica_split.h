// Which process runs which replicas, and in what order their sums meet.
//
// Sums over replicas are a balanced tree over the replica index, padded to a power of two with
// nothing (design 2.4). Every process owns one node of that tree, so that it has one partial sum
// to give, and the sum over processes follows the same tree: the same bits for any number of them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace convoy {

struct ReplicaRange {
  int first = 0, count = 0;
  bool operator==(const ReplicaRange&) const = default;
};

// The upper part of the tree: its leaves are the processes.
class SumTree {
 public:
  struct Node {
    int left = -1, right = -1;  // nodes; none: a leaf
    int first = 0, last = 0;    // the ranks below it: [first, last)
    bool is_leaf() const { return left < 0; }
  };

  const std::vector<Node>& nodes() const { return nodes_; }
  int root() const { return 0; }
  int leaf(int rank) const { return leaves_[static_cast<size_t>(rank)]; }

  // The fewest nodes that have exactly these ranks below them.
  std::vector<int> whole_nodes(const std::function<bool(int rank)>& is_in) const;

  // target[i] = the sum at `node`. `at`: by node, what is there already, or null; every leaf must
  // have something at or above it. The target may be one of them.
  void sum(int node, std::span<const float* const> at, float* target, int64_t count) const;

 private:
  friend class ReplicaSplit;
  const float* sum_chunk(int node, std::span<const float* const> at, int64_t offset, float* memory,
                         int64_t count) const;

  std::vector<Node> nodes_;
  std::vector<int> leaves_;
};

class ReplicaSplit {
 public:
  // The largest node, the rightmost of equals, is split until there are enough: 4 on 3 are 2, 1,
  // 1. More processes than
  // replicas are Fault::usage.
  ReplicaSplit(int replicas, int instances);

  int replicas() const { return replicas_; }
  int instances() const { return static_cast<int>(ranges_.size()); }
  ReplicaRange range(int rank) const { return ranges_[static_cast<size_t>(rank)]; }
  // The most replicas of one process: the others wait for it.
  int most() const;
  const SumTree& tree() const { return tree_; }
  // "2, 1, 1".
  std::string counts() const;

 private:
  int replicas_;
  std::vector<ReplicaRange> ranges_;
  SumTree tree_;
};

}  // namespace convoy
