// The order of an epoch: a keyed permutation. Each element is computed on its own, so no list is
// stored and a resumed run needs none.
#pragma once

#include <array>
#include <cstdint>

namespace convoy {

class Order {
 public:
  // A permutation of [0, n) determined by seed and epoch; the identity without `shuffle`. With
  // `run` > 1 the samples are taken in runs of that many neighbours: the runs are permuted, then
  // the samples within each 256 runs. So neighbours are used at about the same time, and large
  // files are read in long ranges.
  Order(int64_t n, uint64_t seed, int64_t epoch, bool shuffle, int64_t run = 1);

  // The sample at position i of the epoch, i in [0, n). Expected time is constant: the permutation
  // of the next power of two is iterated until the result is below n, at most twice on average.
  int64_t operator[](int64_t i) const;

 private:
  // Twelve half-rounds: small sets need them so that all positions are about equally likely.
  static constexpr int rounds = 12;

  static constexpr int64_t runs_at_once = 256;

  Order(int64_t n, uint64_t key);
  int64_t permuted(int64_t i) const;
  uint64_t permute(uint64_t x) const;

  int64_t n_;  // size of the permutation: samples, or whole runs
  bool shuffle_ = true;
  int64_t samples_, run_ = 1, shift_ = 0;
  uint64_t seed_ = 0, epoch_ = 0;
  int low_bits_ = 0;
  uint64_t low_mask_ = 0, high_mask_ = 0;
  std::array<uint64_t, rounds> keys_{};
};

}  // namespace convoy
