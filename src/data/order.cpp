#include "data/order.h"

#include <bit>

#include "base/error.h"
#include "base/random.h"

namespace convoy {

Order::Order(int64_t n, uint64_t seed, int64_t epoch, bool shuffle) : n_(n), shuffle_(shuffle) {
  expect(n > 0, "an order of nothing");
  const int bits = std::bit_width(static_cast<uint64_t>(n - 1));
  low_bits_ = (bits + 1) / 2;
  low_mask_ = (uint64_t{1} << low_bits_) - 1;
  high_mask_ = (uint64_t{1} << (bits - low_bits_)) - 1;
  Random random(random_key(seed, Purpose::order, static_cast<uint64_t>(epoch)));
  for (uint64_t& key : keys_) key = random.bits();
}

int64_t Order::operator[](int64_t i) const {
  if (!shuffle_) return i;
  auto x = static_cast<uint64_t>(i);
  do {
    x = permute(x);
  } while (x >= static_cast<uint64_t>(n_));
  return static_cast<int64_t>(x);
}

// A Feistel network whose halves may differ by a bit: each half-round changes one half by a
// function of the other, which can be undone, so the whole is a permutation.
uint64_t Order::permute(uint64_t x) const {
  uint64_t low = x & low_mask_, high = x >> low_bits_;
  for (size_t round = 0; round < rounds; round += 2) {
    low ^= mix(keys_[round] + high) & low_mask_;
    high ^= mix(keys_[round + 1] + low) & high_mask_;
  }
  return high << low_bits_ | low;
}

}  // namespace convoy
