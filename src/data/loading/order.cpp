#include "data/loading/order.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/random.h"

namespace convoy {

Order::Order(int64_t n, uint64_t seed, int64_t epoch, bool shuffle, int64_t run)
    : Order(run > 1 && n >= run ? n / run : n,
            random_key(seed, Purpose::order, static_cast<uint64_t>(epoch))) {
  shuffle_ = shuffle;
  samples_ = n;
  seed_ = seed;
  epoch_ = static_cast<uint64_t>(epoch);
  if (run <= 1 || n < run) return;
  run_ = run;
  // The samples after the last whole run are at another position in each epoch.
  shift_ =
      static_cast<int64_t>(random_key(seed, Purpose::order, epoch_, 1) % static_cast<uint64_t>(n));
}

Order::Order(int64_t n, uint64_t key) : n_(n), samples_(n) {
  expect(n > 0, "an order of nothing");
  const int bits = std::bit_width(static_cast<uint64_t>(n - 1));
  low_bits_ = (bits + 1) / 2;
  low_mask_ = (uint64_t{1} << low_bits_) - 1;
  high_mask_ = (uint64_t{1} << (bits - low_bits_)) - 1;
  Random random(key);
  for (uint64_t& round : keys_) round = random.bits();
}

int64_t Order::operator[](int64_t i) const {
  if (!shuffle_) return i;
  if (run_ == 1) return permuted(i);
  i = (i + shift_) % samples_;
  if (i >= n_ * run_) return i;
  const int64_t group = i / (runs_at_once * run_), first = group * runs_at_once;
  const int64_t runs = std::min(runs_at_once, n_ - first);
  const Order inside(runs * run_,
                     random_key(seed_, Purpose::order, epoch_, 2 + static_cast<uint64_t>(group)));
  const int64_t at = inside.permuted(i - first * run_);
  return permuted(first + at / run_) * run_ + at % run_;
}

int64_t Order::permuted(int64_t i) const {
  auto x = static_cast<uint64_t>(i);
  do {
    x = permute(x);
  } while (x >= static_cast<uint64_t>(n_));
  return static_cast<int64_t>(x);
}

// A Feistel network whose halves may differ by one bit. Each half-round changes one half by a
// function of the other, which is invertible, so the whole is a permutation.
uint64_t Order::permute(uint64_t x) const {
  uint64_t low = x & low_mask_, high = x >> low_bits_;
  for (size_t round = 0; round < rounds; round += 2) {
    low ^= mix(keys_[round] + high) & low_mask_;
    high ^= mix(keys_[round + 1] + low) & high_mask_;
  }
  return high << low_bits_ | low;
}

}  // namespace convoy
