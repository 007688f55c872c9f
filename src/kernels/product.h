// The one matrix product of our convolutions: c(i, j) (+)= sum over k of a(i, k) * b(k, j). Its
// matrices are images in blocks of channels, where a row is a pixel (or a tile) and a vector holds
// the channels of a block; so rows, vectors and blocks of k each have a stride of their own.
#pragma once

#include <cstdint>

namespace convoy::kernels {

struct Product {
  int64_t rows, depth, vectors;  // of c; columns are counted in vectors of channel_block() floats
  int64_t a_row, a_k;            // a(i, k) at i * a_row + k % k_block * a_k + k / k_block * a_block
  int64_t b_k, b_vector;         // b(k, j) at j * b_vector + k % k_block * b_k + k / k_block *
                                 // b_block
  int64_t c_row, c_vector;       // c(i, j) at i * c_row + j * c_vector
  int64_t k_block, a_block, b_block;
  bool add;  // the sums to what is in c
  // Where the next product finds its a, from this one's: fetched meanwhile, a line for each row and
  // block of k. 0: nothing is.
  int64_t a_ahead = 0;
};

// Terms add up in the order of k, in parts of `product_depth` terms or a whole number of blocks
// nearby; the parts add up in c. So a sum's rounding error grows with the root of either count, not
// of their product, and a part of b stays in the nearest cache while all rows pass.
constexpr int64_t product_depth = 128;
void product(const Product& p, const float* a, const float* b, float* c);

// Vectors of columns that share a pass over a: b is read best in panels of so many.
int64_t product_vectors();
// The rows of a pass.
constexpr int64_t product_rows = 6;

}  // namespace convoy::kernels
