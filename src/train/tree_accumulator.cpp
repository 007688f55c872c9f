#include "train/tree_accumulator.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
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

}  // namespace

int64_t TreeAccumulator::bytes(int64_t floats, int count) {
  return 4 * round_up(floats, 16) * std::bit_width(static_cast<unsigned>(count));
}

TreeAccumulator::TreeAccumulator(int64_t floats, int count)
    : floats_(round_up(floats, 16)), buffers_(static_cast<size_t>(bytes(floats, count))) {}

std::span<float> TreeAccumulator::level(int i) const {
  return {reinterpret_cast<float*>(buffers_.data()) + i * floats_, static_cast<size_t>(floats_)};
}

// Like counting in binary: a full level carries into the next. The earlier sum is always the left
// operand.
void TreeAccumulator::push(std::span<float> leaf, ThreadPool& pool) {
  int i = 0;
  std::span<float> carry = leaf;
  for (; pushed_ >> i & 1; ++i) {
    const std::span<float> left = level(i).first(leaf.size());
    add(left, carry, pool);
    carry = left;
  }
  std::copy(carry.begin(), carry.end(), level(i).begin());
  ++pushed_;
}

void TreeAccumulator::finish_with(std::span<float> leaf, int64_t offset, std::span<float> target,
                                  ThreadPool& pool) {
  const int64_t full = pushed_ + 1;
  std::span<float> sum = leaf;
  for (int i = 0; full >> i; ++i) {
    // Below the first free level all are carries, above it what a finished sum has left.
    if (!(pushed_ >> i & 1)) continue;
    const std::span<float> left = level(i).subspan(static_cast<size_t>(offset), leaf.size());
    add(left, sum, pool);
    sum = left;
  }
  if (sum.data() != target.data()) std::copy(sum.begin(), sum.end(), target.begin());
}

void TreeAccumulator::finish(std::span<float> target, ThreadPool& pool) {
  expect(pushed_ > 0, "a sum of something");
  // What is left over on the right joins the lower levels first, as a tree padded with nothing
  // does.
  int i = std::countr_zero(static_cast<uint64_t>(pushed_));
  std::span<float> sum = level(i).first(target.size());
  for (++i; pushed_ >> i; ++i) {
    if (!(pushed_ >> i & 1)) continue;
    const std::span<float> left = level(i).first(target.size());
    add(left, sum, pool);
    sum = left;
  }
  std::copy(sum.begin(), sum.end(), target.begin());
  pushed_ = 0;
}

}  // namespace convoy
