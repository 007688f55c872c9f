// Convolutions in small groups (grouped.h) by the CPU's dot products of pairs of bf16. Results and
// sums are as in grouped.h, but for the order of additions; a spread row has a pair where that of
// grouped.h has a number. Needs has_bf16_products(isa_level()); blocks have 16 channels.
#pragma once

#include "kernels/conv/grouped.h"

namespace convoy::kernels {

// Two bf16, the first one in the lower half.
using Bf16Pair = uint32_t;
constexpr Bf16Pair pair_of(Bf16 first, Bf16 second) {
  return first.bits | static_cast<uint32_t>(second.bits) << 16;
}

// Pairs of channels: rows[j][p][lane] = channels 2 j and 2 j + 1 of the group of `lane`, for j in
// [0, s.members): a group has twice as many channels.
void grouped_spread_channels(const GroupedSpread& s, const Bf16* x, Bf16Pair* rows);

// y[p] = sum over h, j, w of the products of both channels; `r.rows` are pairs of channels.
// weights: [heights][pairs][widths][16].
void grouped_pairs_row(const GroupedRow& r, const Bf16Pair* weights, Bf16* y);

// Pairs of pixels: rows[i][before + p][lane] = pixels p and p + step of channel i of the group of
// `lane`, for p in [-before, s.pixels + behind) and i in [0, s.members). Pixels outside are zeros.
struct GroupedMargins {
  int64_t before, behind, step;
};
void grouped_spread_pixels(const GroupedSpread& s, const GroupedMargins& m, const Bf16* x,
                           Bf16Pair* rows);

// Adds to sums as grouped_row_grad does; `r.rows` are pairs of pixels, `r.step` pixels apart.
void grouped_pairs_row_grad(const GroupedRow& r, const Bf16* d_y, float* sums);

}  // namespace convoy::kernels
