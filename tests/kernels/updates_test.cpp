#include "kernels/updates.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "kernels/random_values.h"

namespace convoy::kernels {
namespace {

TEST(Updates, SgdFollowsTheFormula) {
  for (const bool momentum : {false, true}) {
    for (const bool nesterov : {false, true}) {
      if (nesterov && !momentum) continue;
      const SgdStep step{.lr = 0.1f,
                         .grad_scale = 0.25f,
                         .momentum = 0.9f,
                         .weight_decay = 0.01f,
                         .damping = 0.2f,
                         .nesterov = nesterov};
      std::vector<float> w = random_values(37, 3), m = random_values(37, 4);
      const std::vector<float> g = random_values(37, 5), w0 = w, m0 = m;
      sgd_update(step, g.data(), momentum ? m.data() : nullptr, w.data(), 37);
      for (size_t i = 0; i < 37; ++i) {
        const double grad = g[i] * 0.25 + 0.01 * w0[i];
        const double buffer = 0.9 * m0[i] + 0.8 * grad;
        const double move = !momentum ? grad : nesterov ? grad + 0.9 * buffer : buffer;
        EXPECT_NEAR(w[i], w0[i] - 0.1 * move, 1e-6);
        EXPECT_NEAR(m[i], momentum ? buffer : m0[i], 1e-6);
      }
    }
  }
}

TEST(Updates, AMovingAverageFollowsTheFormula) {
  const std::vector<float> w = random_values(37, 6);
  std::vector<float> average = random_values(37, 7);
  const std::vector<float> before = average;
  moving_average(0.99f, w.data(), average.data(), 37);
  for (size_t i = 0; i < 37; ++i) EXPECT_NEAR(average[i], 0.99 * before[i] + 0.01 * w[i], 1e-6);
}

TEST(Updates, ClippedValuesAreScaledFirst) {
  std::vector<float> grad{4, -4, 1, -1, 0, 3, 2};
  clip_values(0.5f, 1.25f, grad.data(), static_cast<int64_t>(grad.size()));
  EXPECT_EQ(grad, (std::vector<float>{1.25f, -1.25f, 0.5f, -0.5f, 0, 1.25f, 1}));
}

// Where an element lies in its piece must not matter: pieces are cut by shape. (What each computes
// is compared with its reference in tests/train/optimizer_fixture_test.cpp.)
TEST(Updates, DoNotDependOnHowTheyAreCut) {
  using Update = std::function<void(const float* g, float* a, float* b, float* w, int64_t n)>;
  const RmspropStep rms{.lr = 0.1f,
                        .grad_scale = 0.3f,
                        .momentum = 0.9f,
                        .weight_decay = 0.01f,
                        .decay = 0.9f,
                        .epsilon = 0.01f};
  const std::vector<Update> updates{
      [](const float* g, float* a, float*, float* w, int64_t n) {
        sgd_update({.lr = 0.1f,
                    .grad_scale = 0.3f,
                    .momentum = 0.9f,
                    .weight_decay = 0.01f,
                    .damping = 0.1f,
                    .nesterov = true},
                   g, a, w, n);
      },
      [](const float* g, float* a, float*, float* w, int64_t n) {
        keras_sgd_update({0.1f, 0.3f, 0.9f, 0.01f, true}, g, a, w, n);
      },
      [&](const float* g, float* a, float* b, float* w, int64_t n) {
        rmsprop_update(rms, g, a, b, w, n);
      },
      [&](const float* g, float* a, float* b, float* w, int64_t n) {
        tf_rmsprop_update(rms, false, g, a, b, w, n);
      },
      [](const float* g, float* a, float* b, float* w, int64_t n) {
        adamw_update({.lr = 0.1f,
                      .grad_scale = 0.3f,
                      .weight_decay = 0.01f,
                      .beta1 = 0.9f,
                      .beta2 = 0.999f,
                      .epsilon = 1e-8f,
                      .correction1 = 0.1f,
                      .correction2 = 0.001f},
                     g, a, b, w, n);
      },
      [](const float* g, float* a, float*, float*, int64_t n) { moving_average(0.9f, g, a, n); }};
  for (size_t u = 0; u < updates.size(); ++u) {
    const std::vector<float> g = random_values(100, 8);
    std::vector<float> w = random_values(100, 9), a = random_values(100, 10),
                       b = random_values(100, 11);
    // Means of squares are never negative.
    for (float& x : a) x = x * x;
    for (float& x : b) x = x * x;
    std::vector<float> w2 = w, a2 = a, b2 = b;
    updates[u](g.data(), a.data(), b.data(), w.data(), 100);
    for (size_t i = 0; i < 100; ++i) {
      updates[u](g.data() + i, a2.data() + i, b2.data() + i, w2.data() + i, 1);
    }
    EXPECT_EQ(w, w2) << u;
    EXPECT_EQ(a, a2) << u;
    EXPECT_EQ(b, b2) << u;
  }
}

}  // namespace
}  // namespace convoy::kernels
