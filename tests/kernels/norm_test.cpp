// Going past the caches, and keeping what arrived, change no bit.

#include "kernels/norm.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "base/random.h"
#include "tensor/arena.h"
#include "tensor/isa.h"

namespace convoy::kernels {
namespace {

constexpr int64_t pixels = 53;

// Aligned as activations are.
struct Buffer {
  explicit Buffer(int64_t floats, uint64_t key = 0)
      : arena(static_cast<size_t>(floats) * sizeof(float)), count(static_cast<size_t>(floats)) {
    Random random(key);
    for (float& v : values()) v = key ? static_cast<float>(random.normal()) : -1.0f;
  }
  float* data() const { return reinterpret_cast<float*>(arena.data()); }
  std::span<float> values() const { return {data(), count}; }
  std::vector<float> copy() const { return {data(), data() + count}; }

  Arena arena;
  size_t count;
};

struct Norm : testing::Test {
  int64_t block = channel_block(), floats = pixels * block;
  Buffer x{floats, 1}, y{floats, 2}, first{floats, 3}, second{floats, 4};
  Buffer scale{block, 5}, shift{block, 6}, mean{block, 7};

  NormGradPlane<float> grad(bool stream) const {
    return {.plane = {pixels, block, stream},
            .mask = NormMask::output,
            .x = x.data(),
            .y = y.data(),
            .d_y = first.data(),
            .d_y2 = second.data(),
            .mean = mean.data(),
            .scale = scale.data(),
            .shift = shift.data()};
  }
};

TEST_F(Norm, ApplyingPastTheCachesGivesTheSame) {
  const Buffer usual(floats), streamed(floats);
  for (const NormAct act : {NormAct::none, NormAct::relu}) {
    norm_apply({pixels, block, false}, x.data(), y.data(), scale.data(), shift.data(), act,
               usual.data());
    norm_apply({pixels, block, true}, x.data(), y.data(), scale.data(), shift.data(), act,
               streamed.data());
    EXPECT_EQ(usual.copy(), streamed.copy());
  }
}

TEST_F(Norm, TheGradientFromWhatArrivedIsTheSame) {
  const Buffer sums(2 * block), kept_sums(2 * block), arrived(floats);
  norm_grad_sums(grad(false), sums.data(), sums.data() + block, nullptr);
  norm_grad_sums(grad(false), kept_sums.data(), kept_sums.data() + block, arrived.data());
  EXPECT_EQ(sums.copy(), kept_sums.copy());
  for (int64_t i = 0; i < floats; ++i) {
    const float both = first.data()[i] + second.data()[i];
    ASSERT_EQ(arrived.data()[i], y.data()[i] > 0 ? both : 0.0f);
  }

  const Buffer d_x(floats), from_arrived(floats);
  norm_grad_apply(grad(false), scale.data(), shift.data(), mean.data(), d_x.data());
  NormGradPlane<float> again = grad(true);
  again.mask = NormMask::none;
  again.d_y = arrived.data();
  again.d_y2 = nullptr;
  norm_grad_apply(again, scale.data(), shift.data(), mean.data(), from_arrived.data());
  EXPECT_EQ(d_x.copy(), from_arrived.copy());
}

}  // namespace
}  // namespace convoy::kernels
