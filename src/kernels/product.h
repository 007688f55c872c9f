// The one matrix product of our convolutions: c(i, j) (+)= sum over k of a(i, k) * b(k, j). The
// matrices are images in blocks of channels: a row is a pixel (or a tile), and a vector contains
// the channels of a block. So rows, vectors and blocks of k each have their own stride.
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
  bool add;  // add the sums to c instead of overwriting it
  // Offset from this product's a to the next one's, to prefetch it: one cache line for each row and
  // block of k. 0: no prefetch.
  int64_t a_ahead = 0;
};

// Terms are summed in the order of k, in pieces of about `product_depth` terms (a whole number of
// blocks); the pieces are summed in c. This limits the rounding error of long sums, and one piece
// of b stays in the L1 cache while all rows are computed.
constexpr int64_t product_depth = 128;
void product(const Product& p, const float* a, const float* b, float* c);

// The number of column vectors computed in one pass over a: pack b in panels of this width.
int64_t product_vectors();
// The number of rows computed at once.
constexpr int64_t product_rows = 6;

}  // namespace convoy::kernels
