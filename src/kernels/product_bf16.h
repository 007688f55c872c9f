// The matrix product of weight gradients in bf16, by the CPU's dot products: c(i, j) (+)= sum over
// pixels of a(pixel, i) * b(pixel, j). Both images are in blocks of 16 channels; they are first
// written as pairs of pixels. Needs has_bf16_products(isa_level()).
#pragma once

#include <cstdint>
#include <span>

#include "tensor/number_types.h"

namespace convoy::kernels {

// Pairs of pixels of one block of channels: to[p * 16 + lane] has pixels 2 p and 2 p + 1 of channel
// `lane`, the first one in the lower half. Pixel i is at from + i * step * 16; an odd last one is
// paired with zeros.
void pair_pixels(const Bf16* from, int64_t pixels, int64_t step, uint32_t* to);

struct PixelProduct {
  int64_t pairs;               // of pixels
  int64_t a_blocks, b_blocks;  // of channels: rows and columns of c
  int64_t a_block, b_block;    // pairs from one block of channels to the next, in words
  int64_t c_row;               // floats from one channel of a to the next
  bool add;                    // add the sums to c instead of overwriting it
  // Memory that is read next: 64 * pairs bytes at each address are prefetched meanwhile.
  std::span<const Bf16* const> next = {};
};
// c[i * c_row + j] for all channels i of a and j of b.
void product_of_pixels(const PixelProduct& p, const uint32_t* a, const uint32_t* b, float* c);

}  // namespace convoy::kernels
