// Against sums in double precision: matrices in blocks as convolutions have them, and plain ones.

#include "kernels/product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "kernels/random_values.h"
#include "tensor/isa.h"
#include "tensor/shape.h"

namespace convoy::kernels {
namespace {

std::vector<float> noise(int64_t count, uint64_t key) {
  return random_values(static_cast<size_t>(count), key);
}

void expect_product(const Product& p, int64_t a_floats, int64_t b_floats, int64_t c_floats) {
  const std::vector<float> a = noise(a_floats, 1), b = noise(b_floats, 2);
  const std::vector<float> before = noise(c_floats, 3);
  std::vector<float> c = before, expected = before;
  const auto in_block = [&](int64_t k) { return k % p.k_block; };
  for (int64_t i = 0; i < p.rows; ++i) {
    for (int64_t j = 0; j < p.vectors; ++j) {
      for (int64_t lane = 0; lane < channel_block(); ++lane) {
        const auto at = static_cast<size_t>(i * p.c_row + j * p.c_vector + lane);
        double sum = 0;
        for (int64_t k = 0; k < p.depth; ++k) {
          const int64_t block = k / p.k_block;
          sum +=
              static_cast<double>(
                  a[static_cast<size_t>(i * p.a_row + in_block(k) * p.a_k + block * p.a_block)]) *
              static_cast<double>(b[static_cast<size_t>(j * p.b_vector + in_block(k) * p.b_k +
                                                        block * p.b_block + lane)]);
        }
        expected[at] = static_cast<float>(sum + (p.add ? static_cast<double>(before[at]) : 0));
      }
    }
  }
  product(p, a.data(), b.data(), c.data());
  // The rounding of a sum of `depth` products of size one, in parts.
  const double bound = 1e-6 * std::sqrt(static_cast<double>(p.depth)) * 3;
  for (size_t i = 0; i < c.size(); ++i) ASSERT_NEAR(c[i], expected[i], bound) << i;
}

template <class Body>
void for_sizes(const Body& body) {
  for (const int64_t rows : {1, 2, 5, 6, 7, 13, 64}) {
    for (const int64_t depth : {1, 3, 16, 128, 129, 400}) {
      for (const int64_t vectors : {1, 2, 3, 4, 5, 9}) {
        SCOPED_TRACE(testing::Message() << rows << " rows, " << depth << " deep, " << vectors);
        for (const bool add : {false, true}) body(rows, depth, vectors, add);
      }
    }
  }
}

// Pixels by channels, with packed weights: what is between the rows of c stays as it was.
TEST(Product, OfBlockedRowsIsTheSum) {
  const int64_t block = channel_block();
  for_sizes([&](int64_t rows, int64_t depth, int64_t vectors, bool add) {
    const int64_t blocks = divide_up(depth, block);
    const int64_t a_plane = (rows + 1) * block, c_plane = (rows + 2) * block;
    expect_product({.rows = rows,
                    .depth = depth,
                    .vectors = vectors,
                    .a_row = block,
                    .a_k = 1,
                    .b_k = vectors * block,
                    .b_vector = block,
                    .c_row = block,
                    .c_vector = c_plane,
                    .k_block = block,
                    .a_block = a_plane,
                    .b_block = block * vectors * block,
                    .add = add,
                    .a_ahead = rows % 2 * block},
                   blocks * a_plane, blocks * block * vectors * block, vectors * c_plane);
  });
}

// Channels by channels, summed over pixels.
TEST(Product, OfTurnedRowsIsTheSum) {
  const int64_t block = channel_block();
  for_sizes([&](int64_t rows, int64_t depth, int64_t vectors, bool add) {
    const int64_t some = std::min(rows, block);
    expect_product({.rows = some,
                    .depth = depth,
                    .vectors = vectors,
                    .a_row = 1,
                    .a_k = block,
                    .b_k = block,
                    .b_vector = depth * block,
                    .c_row = vectors * block,
                    .c_vector = block,
                    .k_block = depth,
                    .a_block = 0,
                    .b_block = 0,
                    .add = add},
                   depth * block, vectors * depth * block, some * vectors * block);
  });
}

TEST(Product, APartOfTheDepthIsAWholeNumberOfBlocks) {
  for (const int64_t block : {1, 8, 16}) EXPECT_EQ(product_depth % block, 0);
  EXPECT_GE(product_vectors(), 2);
}

}  // namespace
}  // namespace convoy::kernels
