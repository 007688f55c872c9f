#include "data/policy/augmix.h"

#include <cmath>
#include <numeric>

namespace convoy::policy {
namespace {

constexpr uint32_t most_effects = 3;

// Random weights that sum to 1: the Dirichlet distribution with all parameters 1.
template <size_t n>
std::array<double, n> parts(Random& random) {
  std::array<double, n> each{};
  for (double& part : each) part = -std::log(1 - random.uniform());
  const double sum = std::accumulate(each.begin(), each.end(), 0.0);
  for (double& part : each) part = sum > 0 ? part / sum : 1.0 / n;
  return each;
}

}  // namespace

AugMixDraw draw_augmix(const EffectSpace& space, int severity, Random random) {
  AugMixDraw drawn;
  const auto [image, mixture] = parts<2>(random);
  const auto shares = parts<AugMixDraw::copies>(random);
  drawn.image_weight = static_cast<float>(image);
  for (size_t i = 0; i < AugMixDraw::copies; ++i) {
    drawn.weights[i] = static_cast<float>(shares[i] * mixture);
    const uint32_t depth = 1 + random.below(most_effects);
    for (uint32_t k = 0; k < depth; ++k) {
      const auto bin = static_cast<int>(random.below(static_cast<uint32_t>(severity)));
      drawn.effects[i].add(space.draw(bin, random));
    }
  }
  return drawn;
}

}  // namespace convoy::policy
