#include "kernels/product_bf16.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "tensor/isa.h"

namespace convoy::kernels {
namespace {

struct Image {
  int64_t blocks, pixels;
  std::vector<Bf16> values;

  Image(int64_t channel_blocks, int64_t count, uint64_t key)
      : blocks(channel_blocks), pixels(count) {
    Random random(key);
    for (int64_t i = 0; i < blocks * pixels * 16; ++i)
      values.push_back(narrowed(static_cast<float>(random.normal())));
  }
  double at(int64_t channel, int64_t pixel) const {
    const int64_t place = (channel / 16 * pixels + pixel) * 16 + channel % 16;
    return static_cast<double>(widened(values[static_cast<size_t>(place)]));
  }
  // Pairs of `count` pixels, `step` apart.
  std::vector<uint32_t> pairs(int64_t count, int64_t step) const {
    const int64_t words = (count + 1) / 2 * 16;
    std::vector<uint32_t> made(static_cast<size_t>(blocks * words));
    for (int64_t b = 0; b < blocks; ++b) {
      pair_pixels(values.data() + b * pixels * 16, count, step, made.data() + b * words);
    }
    return made;
  }
};

// a's pixels are two apart; an odd number of them leaves half a pair.
TEST(ProductBf16, SumsTheProductsOfPixels) {
  if (!has_bf16_products(isa_level())) GTEST_SKIP() << "this machine multiplies no bf16";
  for (const int64_t a_blocks : {1, 3}) {
    for (const int64_t b_blocks : {1, 2, 5, 7}) {
      for (const int64_t count : {1, 2, 9, 40}) {
        const Image a(a_blocks, 2 * count, 1), b(b_blocks, count, 2);
        const std::vector<uint32_t> as = a.pairs(count, 2), bs = b.pairs(count, 1);
        const int64_t pairs = (count + 1) / 2, row = b_blocks * 16 + 3;
        std::vector<float> c(static_cast<size_t>(a_blocks * 16 * row), -1.0f);
        PixelProduct product{pairs, a_blocks, b_blocks, pairs * 16, pairs * 16, row, false};
        product_of_pixels(product, as.data(), bs.data(), c.data());
        product.add = true;
        product_of_pixels(product, as.data(), bs.data(), c.data());
        for (int64_t i = 0; i < a_blocks * 16; ++i) {
          for (int64_t j = 0; j < row; ++j) {
            double want = j < b_blocks * 16 ? 0 : -1, size = 0;
            for (int64_t p = 0; p < count && j < b_blocks * 16; ++p) {
              want += 2 * a.at(i, 2 * p) * b.at(j, p);
              size += std::abs(2 * a.at(i, 2 * p) * b.at(j, p));
            }
            EXPECT_NEAR(c[static_cast<size_t>(i * row + j)], want, 1e-6 * size);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace convoy::kernels
