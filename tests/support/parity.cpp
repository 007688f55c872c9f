#include "support/parity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fixtures/formula.h"

namespace convoy::test {
namespace {

using Json = nlohmann::json;
using Doubles = std::vector<double>;

Doubles at_positions(std::span<const float> tensor) {
  Doubles picked;
  for (const size_t i : formula::positions(tensor.size())) {
    picked.push_back(static_cast<double>(tensor[i]));
  }
  return picked;
}

}  // namespace

double norm(const Doubles& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return std::sqrt(sum);
}

double distance(const Doubles& a, const Doubles& b) {
  Doubles difference(b);
  for (size_t i = 0; i < b.size(); ++i) difference[i] -= a[i];
  return norm(difference);
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}

void compare(const std::string& name, std::span<const float> tensor, const Json& truth,
             uint64_t seed, double bound, double least, Worst& worst) {
  int64_t count = 1;
  for (const Json& extent : truth.at("shape")) count *= extent.get<int64_t>();
  ASSERT_EQ(static_cast<int64_t>(tensor.size()), count) << name;
  const double size = std::max(truth.at("norm").get<double>(), least);
  const double torch = truth.value("torch_fp32_error", 0.0) / size;
  const double allowed = std::max(bound, times_torch * torch);
  const double error =
      formula::distance(seed, name, tensor, truth.at("projections").get<Doubles>()) / size;
  EXPECT_LE(error, allowed) << name;
  const auto entries = truth.at("entries").get<Doubles>();
  EXPECT_LE(distance(at_positions(tensor), entries), allowed * size) << name;
  if (error / allowed > worst.share) worst = {error / allowed, error, torch, name};
}

Worst compare(const std::vector<StateLayout::Slot>& slots, std::span<const float> values,
              const Json& truths, uint64_t seed, double bound) {
  EXPECT_EQ(slots.size(), truths.size());
  double largest = 0;
  for (const Json& truth : truths) largest = std::max(largest, truth.at("norm").get<double>());
  Worst worst;
  for (const auto& slot : slots) {
    const Json& truth = truths.at(slot.name);
    EXPECT_EQ(std::vector<int64_t>(slot.shape.begin(), slot.shape.end()),
              truth.at("shape").get<std::vector<int64_t>>());
    const auto tensor = values.subspan(size_t(slot.offset), size_t(slot.count));
    compare(slot.name, tensor, truth, seed, bound, 1e-6 * largest, worst);
  }
  return worst;
}

}  // namespace convoy::test
