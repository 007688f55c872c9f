#include "train/step/tree_accumulator.h"

#include <algorithm>
#include <bit>

#include "kernels/sums.h"
#include "tensor/kernel.h"

namespace convoy {
namespace {

void add(std::span<float> target, std::span<const float> term, ThreadPool& pool) {
  const Chunks chunks{static_cast<int64_t>(target.size())};
  pool.run(chunks.tasks(), [&](int task, int) {
    kernels::accumulate(target.data() + chunks.begin(task), term.data() + chunks.begin(task),
                        chunks.length(task));
  });
}

void put(std::span<const float> from, std::span<float> to, ThreadPool& pool) {
  const Chunks chunks{static_cast<int64_t>(from.size())};
  pool.run(chunks.tasks(), [&](int task, int) {
    std::copy_n(from.data() + chunks.begin(task), chunks.length(task),
                to.data() + chunks.begin(task));
  });
}

}  // namespace

int64_t TreeAccumulator::bytes(int64_t floats, int count) {
  return 4 * round_up(floats, 16) * std::bit_width(static_cast<unsigned>(count));
}

TreeAccumulator::TreeAccumulator(int64_t floats, int count)
    : floats_(round_up(floats, 16)), buffers_(static_cast<size_t>(bytes(floats, count))) {}

std::span<float> TreeAccumulator::level(int i) const {
  return {reinterpret_cast<float*>(buffers_.data()) + i * floats_, static_cast<size_t>(floats_)};
}

// Works like a binary counter: an occupied level is added to the carry. The earlier sum is always
// the left operand.
void TreeAccumulator::push(std::span<float> leaf, ThreadPool& pool) {
  int i = 0;
  std::span<float> carry = leaf;
  for (; pushed_ >> i & 1; ++i) {
    const std::span<float> left = level(i).first(leaf.size());
    add(left, carry, pool);
    carry = left;
  }
  put(carry, level(i), pool);
  ++pushed_;
}

// Adds the occupied levels from the lowest to the highest, each as the left operand: the same order
// as in a tree that is padded with empty leaves.
void TreeAccumulator::sum(std::span<float> last, int64_t offset, std::span<float> target,
                          ThreadPool& pool) {
  std::span<float> sum = last;
  for (int i = 0; pushed_ >> i; ++i) {
    if (!(pushed_ >> i & 1)) continue;
    const std::span<float> left = level(i).subspan(static_cast<size_t>(offset), last.size());
    add(left, sum, pool);
    sum = left;
  }
  if (sum.data() != target.data()) put(sum, target, pool);
}

}  // namespace convoy
