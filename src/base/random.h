// Random numbers are functions, not streams. A sample's values depend on (seed, purpose, epoch,
// sample) alone, so they are the same for any number of threads or processes and in a resumed run.
#pragma once

#include <cmath>
#include <cstdint>

namespace convoy {

// Each use has its own number, so that two uses never share values. Append, never renumber: runs
// and checkpoints depend on the numbers.
enum class Purpose : uint64_t {
  init = 1,
  order = 2,
  augment = 3,
  dropout = 4,
  generated = 5,
  batch_key = 6,
  view = 7,
  mixing = 8,
  shapes = 9,
  mosaic = 10,
  rounding = 11,
};

// A good 64-bit mixer (the finaliser of SplitMix64).
constexpr uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr uint64_t random_key(uint64_t seed, Purpose purpose, uint64_t a = 0, uint64_t b = 0) {
  constexpr uint64_t golden = 0x9e3779b97f4a7c15u;
  uint64_t key = mix(seed + golden);
  key = mix(key ^ (static_cast<uint64_t>(purpose) + golden * 2));
  key = mix(key ^ (a + golden * 3));
  return mix(key ^ (b + golden * 4));
}

// The values of one key, in order.
class Random {
 public:
  explicit constexpr Random(uint64_t key) : key_(key) {}

  constexpr uint64_t bits() { return mix(key_ += 0x9e3779b97f4a7c15u); }
  // In [0, 1), all 53 bits.
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  // In [0, n), n > 0 and below 2^32.
  constexpr uint32_t below(uint32_t n) { return static_cast<uint32_t>(((bits() >> 32) * n) >> 32); }
  // Standard normal: mean 0, deviation 1.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * 3.14159265358979323846 * uniform());
  }

 private:
  uint64_t key_;
};

}  // namespace convoy
