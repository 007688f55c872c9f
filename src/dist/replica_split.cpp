#include "dist/replica_split.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/text/text.h"

namespace convoy {
namespace {

// The intermediate sums of a chunk fit into the first-level cache.
constexpr int64_t chunk_floats = 1024;

// A non-empty node of the replica tree, the lowest with its replicas.
struct Part {
  int first, width, count;

  void sink() {
    while (count <= width / 2) width /= 2;
  }
};

}  // namespace

ReplicaSplit::ReplicaSplit(int replicas, int processes) : replicas_(replicas) {
  expect(replicas > 0 && processes > 0, "a run of something");
  if (processes > replicas) {
    raise(Fault::usage,
          "{} processes cannot share {} replica{}; try: --replicas {}, or fewer processes",
          processes, replicas, replicas == 1 ? "" : "s", processes);
  }
  if (processes > most_processes) {
    raise(Fault::usage,
          "{} processes; gradients are exchanged among at most {}; try: fewer processes, each with "
          "several replicas",
          processes, most_processes);
  }
  const auto whole = static_cast<int>(std::bit_ceil(static_cast<unsigned>(replicas)));
  std::vector<Part> parts{{0, whole, replicas}};
  tree_.nodes_.push_back({});
  tree_.leaves_ = {0};
  while (static_cast<int>(parts.size()) < processes) {
    const auto largest = std::ranges::max_element(
        parts, [](const Part& a, const Part& b) { return a.count <= b.count; });
    const auto at = static_cast<size_t>(largest - parts.begin());
    Part left = *largest;
    left.sink();
    const Part right{left.first + left.width / 2, left.width / 2, left.count - left.width / 2};
    left.width /= 2;
    left.count = left.width;
    parts[at] = left;
    parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1, right);
    const auto next = static_cast<int>(tree_.nodes_.size());
    SumTree::Node& split = tree_.nodes_[static_cast<size_t>(tree_.leaves_[at])];
    split.left = next;
    split.right = next + 1;
    tree_.nodes_.resize(tree_.nodes_.size() + 2);
    tree_.leaves_[at] = next;
    tree_.leaves_.insert(tree_.leaves_.begin() + static_cast<std::ptrdiff_t>(at) + 1, next + 1);
  }
  for (const Part& part : parts) ranges_.push_back({part.first, part.count});
  for (size_t rank = 0; rank < tree_.leaves_.size(); ++rank) {
    SumTree::Node& leaf = tree_.nodes_[static_cast<size_t>(tree_.leaves_[rank])];
    leaf.first = static_cast<int>(rank);
    leaf.last = leaf.first + 1;
  }
  // Children come after their parents, so this goes from the leaves to the root.
  for (auto node = tree_.nodes_.rbegin(); node != tree_.nodes_.rend(); ++node) {
    if (node->is_leaf()) continue;
    node->first = tree_.nodes_[static_cast<size_t>(node->left)].first;
    node->last = tree_.nodes_[static_cast<size_t>(node->right)].last;
  }
}

bool ReplicaSplit::has_whole_groups(int span) const {
  return std::ranges::all_of(ranges_, [&](const ReplicaRange& range) {
    return range.first % span == 0 && range.count % span == 0;
  });
}

int ReplicaSplit::most() const {
  return std::ranges::max_element(ranges_, {}, &ReplicaRange::count)->count;
}

std::string ReplicaSplit::counts() const {
  std::vector<std::string> counts;
  for (const ReplicaRange& range : ranges_) counts.push_back(std::to_string(range.count));
  return join(counts, ", ");
}

std::vector<int> SumTree::whole_nodes(const std::function<bool(int rank)>& is_in) const {
  std::vector<int> found, open{root()};
  while (!open.empty()) {
    const int id = open.back();
    open.pop_back();
    const Node& node = nodes_[static_cast<size_t>(id)];
    int inside = 0;
    for (int rank = node.first; rank < node.last; ++rank) inside += is_in(rank) ? 1 : 0;
    if (inside == node.last - node.first) {
      found.push_back(id);
    } else if (inside > 0) {
      open.push_back(node.right);
      open.push_back(node.left);
    }
  }
  return found;
}

// Where the sum of the chunk is: an existing sum, or the beginning of `memory` after adding.
const float* SumTree::sum_chunk(int node, std::span<const float* const> at, int64_t offset,
                                float* memory, int64_t count) const {
  if (at[static_cast<size_t>(node)]) return at[static_cast<size_t>(node)] + offset;
  const Node& here = nodes_[static_cast<size_t>(node)];
  expect(!here.is_leaf(), "a term for every leaf of a sum");
  const float* left = sum_chunk(here.left, at, offset, memory, count);
  const float* right = sum_chunk(here.right, at, offset, memory + chunk_floats, count);
  for (int64_t i = 0; i < count; ++i) memory[i] = left[i] + right[i];
  return memory;
}

void SumTree::sum(int node, std::span<const float* const> at, float* target, int64_t count) const {
  constexpr size_t depth = 32;  // deeper than any tree over int indices
  alignas(64) float memory[(depth + 1) * chunk_floats];
  for (int64_t offset = 0; offset < count; offset += chunk_floats) {
    const int64_t n = std::min(chunk_floats, count - offset);
    std::copy_n(sum_chunk(node, at, offset, memory, n), n, target + offset);
  }
}

}  // namespace convoy
