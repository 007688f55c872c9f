// What a pass of a convolution costs by an algorithm: a few counts that follow from the shape, each
// times a coefficient that was fitted on measurements (conv_cost_table.cpp, made by
// bench/fit_convs).
//
// All of it in whole numbers, so that every compiler and every machine of a level finds the same.
#pragma once

#include <optional>
#include <span>

#include "tensor/choices.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// The work, with what is computed in vain: channels that fill a block, pixels that fill a tile.
struct ConvWork {
  int64_t products = 0;  // multiply-adds
  int64_t points = 0;    // numbers into which tiles of both images are transformed, in the cache
  int64_t far = 0;       // likewise, where they travel to memory and back
  int64_t weights = 0;   // numbers of weights, packed or transformed
  int64_t reads = 0;     // of those, read again for every chunk of tiles
  int64_t sums = 0;      // of partial sums over slices of the batch
  int64_t pixels = 0;    // numbers of both images
};
// `shape.n` images. Needs an algorithm that can (conv_algorithm.h).
ConvWork conv_work(ConvAlgorithm algorithm, const onednn::ConvShape& shape, onednn::ConvPass pass,
                   Isa level);

// Windows of one pixel and others are different kernels, with different rates.
enum class ConvKind : uint8_t { pointwise, window };
ConvKind conv_kind(const onednn::ConvShape& shape);

// Picoseconds that 1024 of each count take on two cores, and that a call takes besides.
struct ConvRates {
  ConvKind kind;
  onednn::ConvPass pass;
  ConvAlgorithm algorithm;
  int64_t products, points, far, weights, reads, sums, pixels, call;
};
std::span<const ConvRates> conv_rates(Isa level);

// Picoseconds; none when the table has no rates for it.
std::optional<int64_t> conv_estimate(ConvAlgorithm algorithm, const onednn::ConvShape& shape,
                                     onednn::ConvPass pass, Isa level);

}  // namespace convoy::ops
