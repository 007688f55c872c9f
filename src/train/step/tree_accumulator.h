// Sums vectors that come one after another as a balanced tree over their index would: the same
// bits as if all had been there at once (design 2.4). Needs log2(count) buffers, not count.
#pragma once

#include <cstdint>
#include <span>

#include "base/threads/thread_pool.h"
#include "tensor/arena.h"

namespace convoy {

class TreeAccumulator {
 public:
  // For at most `count` vectors of `floats`, and one more that is not pushed.
  TreeAccumulator(int64_t floats, int count);

  // What one takes.
  static int64_t bytes(int64_t floats, int count);

  // Adds the next leaf; `leaf` is spent (it may be overwritten).
  void push(std::span<float> leaf, ThreadPool& pool);
  // The sum of what was pushed and of `last`, for the floats [offset, …) that `last` holds of its
  // leaf, goes to `target`. All floats may come so, piece by piece, each once; then `clear`.
  void sum(std::span<float> last, int64_t offset, std::span<float> target, ThreadPool& pool);
  void clear() { pushed_ = 0; }

 private:
  std::span<float> level(int i) const;

  int64_t floats_;
  Arena buffers_;
  int64_t pushed_ = 0;  // bit i set: level i holds the sum of 2^i leaves
};

}  // namespace convoy
