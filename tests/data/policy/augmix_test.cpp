#include "data/policy/augmix.h"

#include <cmath>
#include <map>
#include <set>

#include "data/augment/augment_chain.h"
#include "data/policy/effects.h"

namespace convoy::test {
namespace {

using policy::AugMixDraw;
using policy::Effect;

constexpr Shape image{3, 12, 17};

TEST(AugMix, DrawsWhatTorchvisionDraws) {
  constexpr int draws = 20000;
  const policy::EffectSpace space = policy::augmix_space(image);
  for (const int severity : {1, 3, 10}) {
    std::map<size_t, int> depths;
    std::map<Effect, int> effects;
    std::set<double> angles, bits;
    double image_mean = 0, image_square = 0, share_mean = 0, share_square = 0;
    int total = 0;
    for (uint64_t key = 0; key < draws; ++key) {
      const AugMixDraw drawn = draw_augmix(space, severity, Random(mix(key)));
      const double of_image = drawn.image_weight;
      double sum = of_image;
      for (size_t i = 0; i < AugMixDraw::copies; ++i) {
        sum += drawn.weights[i];
        ++depths[drawn.effects[i].count];
        for (size_t k = 0; k < drawn.effects[i].count; ++k) {
          const policy::EffectStep& step = drawn.effects[i].steps[k];
          ++effects[step.effect];
          ++total;
          if (step.effect == Effect::rotate) angles.insert(std::abs(step.amount));
          if (step.effect == Effect::posterize) bits.insert(step.amount);
        }
      }
      ASSERT_NEAR(sum, 1, 1e-5);
      const double share = drawn.weights[0] / (1 - of_image);
      image_mean += of_image / draws;
      image_square += of_image * of_image / draws;
      share_mean += share / draws;
      share_square += share * share / draws;
    }
    // Beta(1, 1) and Dirichlet(1, 1, 1): moments 1/2, 1/3 and 1/3, 1/6.
    EXPECT_NEAR(image_mean, 1.0 / 2, 0.01);
    EXPECT_NEAR(image_square, 1.0 / 3, 0.01);
    EXPECT_NEAR(share_mean, 1.0 / 3, 0.01);
    EXPECT_NEAR(share_square, 1.0 / 6, 0.01);
    ASSERT_EQ(depths.size(), 3u);
    for (const size_t depth : {1, 2, 3}) EXPECT_NEAR(depths[depth], draws, 600);
    EXPECT_EQ(effects.size(), 13u);
    for (const auto& [effect, count] : effects) EXPECT_NEAR(count * 13.0 / total, 1, 0.06);
    EXPECT_EQ(angles.size(), static_cast<size_t>(severity));
    EXPECT_EQ(*angles.rbegin(), space.step(Effect::rotate, severity - 1, false).amount);
    EXPECT_EQ(*bits.begin(), space.step(Effect::posterize, severity - 1, false).amount);
  }
}

TEST(AugMix, IsTheSumOfWhatItDrew) {
  constexpr int severity = 8;
  const AugmentOptions options{.own = {{"augmix-severity", std::to_string(severity)}}};
  const AugmentChain chain({"augmix"}, options, image);
  std::vector<uint8_t> pixels, out(static_cast<size_t>(image.count()));
  for (int64_t i = 0; i < image.count(); ++i) pixels.push_back(static_cast<uint8_t>(i * 59 % 256));
  std::vector<std::byte> scratch(chain.scratch_bytes());
  std::vector<uint8_t> copy, more(static_cast<size_t>(policy::effect_scratch(image.count())));
  bool changed = false;
  for (uint64_t key = 0; key < 200; ++key) {
    chain.run_bytes(pixels.data(), out.data(), mix(key), scratch.data());
    // The first step of a chain draws by this key.
    const AugMixDraw drawn = draw_augmix(policy::augmix_space(image), severity,
                                         Random(random_key(mix(key), Purpose::augment, 0)));
    std::vector<double> want(pixels.size());
    for (size_t i = 0; i < want.size(); ++i) want[i] = double{drawn.image_weight} * pixels[i];
    for (size_t k = 0; k < AugMixDraw::copies; ++k) {
      copy = pixels;
      for (size_t e = 0; e < drawn.effects[k].count; ++e) {
        policy::apply(drawn.effects[k].steps[e], {copy.data(), image[0], image[1], image[2], false},
                      policy::Sampling::nearest, more.data());
      }
      for (size_t i = 0; i < want.size(); ++i) want[i] += double{drawn.weights[k]} * copy[i];
    }
    for (size_t i = 0; i < want.size(); ++i) {  // cut off: a whole number may come out one less
      ASSERT_NEAR(out[i], want[i] - 0.5, 0.5 + 1e-3) << i;
    }
    changed = changed || out != pixels;
  }
  EXPECT_TRUE(changed);
}

}  // namespace
}  // namespace convoy::test
