// Assigns replicas to processes and defines the order in which their gradients are summed.
//
// Sums over replicas follow a balanced binary tree over the replica index, padded with empty leaves
// to a power of two. Each process owns one node of that tree and contributes one partial sum; the
// sum over processes follows the rest of the tree. So the result has the same bits for any number
// of processes.
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

// The upper part of that tree, whose leaves are the processes: how their partial sums are added.
class SumTree {
 public:
  struct Node {
    int left = -1, right = -1;  // child nodes; -1: a leaf
    int first = 0, last = 0;    // ranks below it: [first, last)
    bool is_leaf() const { return left < 0; }
  };

  const std::vector<Node>& nodes() const { return nodes_; }
  int root() const { return 0; }
  int leaf(int rank) const { return leaves_[static_cast<size_t>(rank)]; }

  // The smallest set of nodes below which are exactly the ranks for which `is_in` is true.
  std::vector<int> whole_nodes(const std::function<bool(int rank)>& is_in) const;

  // Writes to `target` the sum of all ranks below `node`. `at` has an entry per node: a pointer to
  // the sum of that node, if it exists already, or null. Each rank below `node` needs such a sum,
  // at its leaf or at a node above it. `target` may be one of these sums.
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
  // Splits the node with the most replicas (the rightmost of equal ones) until there is one per
  // process: 4 replicas on 3 processes give 2, 1, 1. More processes than replicas, or than
  // `most_processes`, are Fault::usage.
  static constexpr int most_processes = 2048;  // so their tree has fewer than 4096 nodes
  ReplicaSplit(int replicas, int processes);

  int replicas() const { return replicas_; }
  int processes() const { return static_cast<int>(ranges_.size()); }
  ReplicaRange range(int rank) const { return ranges_[static_cast<size_t>(rank)]; }
  // Whether every group of `span` consecutive replicas is in one process.
  bool has_whole_groups(int span) const;
  // The most replicas that any process has; the others wait for that process.
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
