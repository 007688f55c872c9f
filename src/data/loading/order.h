// The order of an epoch: a keyed permutation that is computed where it is asked, at any place, so
// that no list is kept and a resumed run needs none.
#pragma once

#include <array>
#include <cstdint>

namespace convoy {

class Order {
 public:
  // A permutation of [0, n) fixed by seed and epoch; the identity without `shuffle`. With `run`
  // above 1 that many neighbours are read at about the same time: runs of them are permuted, then
  // the samples of 256 runs among themselves. So large files are read in long stretches.
  Order(int64_t n, uint64_t seed, int64_t epoch, bool shuffle, int64_t run = 1);

  // The sample at place i of the epoch, i in [0, n). Expected time is constant: the permutation of
  // the next power of two is walked until it lands below n, two steps on average at most.
  int64_t operator[](int64_t i) const;

 private:
  // Twelve half-rounds: small sets need that many until every place is about equally likely.
  static constexpr int rounds = 12;

  static constexpr int64_t runs_at_once = 256;

  Order(int64_t n, uint64_t key);
  int64_t permuted(int64_t i) const;
  uint64_t permute(uint64_t x) const;

  int64_t n_;  // of what is permuted: samples, or whole runs
  bool shuffle_ = true;
  int64_t samples_, run_ = 1, shift_ = 0;
  uint64_t seed_ = 0, epoch_ = 0;
  int low_bits_ = 0;
  uint64_t low_mask_ = 0, high_mask_ = 0;
  std::array<uint64_t, rounds> keys_{};
};

}  // namespace convoy
