// Estimates the time of a convolution pass: a few counts that follow from the shape, each times a
// coefficient fitted to measurements (conv_cost_table.cpp, written by bench/fit_convs).
//
// All arithmetic is in integers, so that every compiler and machine of a level gets the same
// result.
#pragma once

#include <optional>
#include <span>

#include "tensor/choices.h"
#include "tensor/isa.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// The amount of work, including padding: channels that fill a block, pixels that fill a tile.
struct ConvWork {
  int64_t products = 0;  // multiply-adds
  int64_t points = 0;    // transformed values of both images' tiles, if they stay in the cache
  int64_t far = 0;       // the same, if they go to memory and back
  int64_t weights = 0;   // weights, packed or transformed
  int64_t reads = 0;     // weights that are read again for every chunk of tiles
  int64_t sums = 0;      // partial sums over slices of the batch
  int64_t pixels = 0;    // values of both images
};
// For `shape.n` images. Needs an algorithm that can compute the pass (conv_algorithm.h).
ConvWork conv_work(ConvAlgorithm algorithm, const onednn::ConvShape& shape, onednn::ConvPass pass,
                   Isa level);

// 1x1 windows and larger ones are different kernels, with different rates.
enum class ConvKind : uint8_t { pointwise, window };
ConvKind conv_kind(const onednn::ConvShape& shape);

// Picoseconds on two cores per 1024 of each count, and per call.
struct ConvRates {
  ConvKind kind;
  onednn::ConvPass pass;
  ConvAlgorithm algorithm;
  int64_t products, points, far, weights, reads, sums, pixels, call;
};
std::span<const ConvRates> conv_rates(Isa level, DType stored);

// In picoseconds; nothing if the table has no rates for it.
std::optional<int64_t> conv_estimate(ConvAlgorithm algorithm, const onednn::ConvShape& shape,
                                     onednn::ConvPass pass, Isa level);

}  // namespace convoy::ops
