// Compares tensors with their records in a fixture that PyTorch computed in float64 (parity.py).
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/state.h"

namespace convoy::test {

// Times PyTorch's own float32 error, where that is known, a tensor may be off if it is more than
// its bound.
inline constexpr double times_torch = 4;

double norm(const std::vector<double>& v);
double distance(const std::vector<double>& a, const std::vector<double>& b);
// With what lies between tensors, which is no number.
bool same_bits(std::span<const float> a, std::span<const float> b);

// The tensor that used up most of what it was allowed.
struct Worst {
  double share = -1, error = 0, torch = 0;
  std::string name;
};

// A tensor against its record; `bound` as a share of the tensor's size, which is at least `least`.
void compare(const std::string& name, std::span<const float> tensor, const nlohmann::json& truth,
             uint64_t seed, double bound, double least, Worst& worst);

// All tensors of a region. A tensor's size is at least 1e-6 of the largest.
Worst compare(const std::vector<StateLayout::Slot>& slots, std::span<const float> values,
              const nlohmann::json& truths, uint64_t seed, double bound);

}  // namespace convoy::test
