// Sums vectors that arrive one after another in the order of a balanced tree over their index: the
// same bits as if all were present at once, with log2(count) buffers instead of count.
#pragma once

#include <cstdint>
#include <span>

#include "base/threads/thread_pool.h"
#include "tensor/arena.h"

namespace convoy {

class TreeAccumulator {
 public:
  // For vectors of `floats` floats: at most `count` that are pushed, and one that is not.
  TreeAccumulator(int64_t floats, int count);

  // The memory it takes.
  static int64_t bytes(int64_t floats, int count);

  // Adds the next vector, a leaf of the tree. Its memory may then be used again.
  void push(std::span<float> leaf, ThreadPool& pool);
  // Writes to `target` the sum of one range of the leaves: of all pushed leaves and of the last
  // one, which is not pushed. `last` is that range of the last leaf; it begins at float `offset`.
  // Ranges may be summed one after another, each float once; then call `clear`.
  void sum(std::span<float> last, int64_t offset, std::span<float> target, ThreadPool& pool);
  void clear() { pushed_ = 0; }

 private:
  std::span<float> level(int i) const;

  int64_t floats_;
  Arena buffers_;
  int64_t pushed_ = 0;  // bit i set: level i holds the sum of 2^i leaves
};

}  // namespace convoy
