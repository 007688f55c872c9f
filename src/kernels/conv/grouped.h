// Convolutions whose groups are smaller than a block of channels (depthwise included), row by row.
// A vector contains whole groups. A row of the input is first written `members` times: copy i has
// channel i of each group in all lanes of the group. After that every pass is a product of whole
// vectors, with any stride.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

// Whether a vector of this machine contains whole groups of `members` channels.
bool groups_fit(int64_t members, int64_t block);

// rows[i][p][lane] = x[p][lane / members * members + i] for i in [0, members); a row has `stride`
// floats. `x` is a row of `pixels` blocks.
struct GroupedSpread {
  int64_t pixels, block, members, stride;
};
void grouped_spread(const GroupedSpread& s, const float* x, float* rows);
void grouped_spread(const GroupedSpread& s, const Bf16* x, float* rows);
void grouped_spread(const GroupedSpread& s, const F16* x, float* rows);

// One row of outputs: y[p] = sum over h, i, w of spread[h][i][p * step + columns[w]] * weights.
// Overwrites y.
struct GroupedRow {
  int64_t count;  // outputs
  int64_t block, members;
  int64_t heights, widths;   // taps of the window
  const float* const* rows;  // [heights], rows made by grouped_spread
  int64_t stride;            // floats between the `members` copies of a row
  const int64_t* columns;    // [widths], pixels
  int64_t step;              // input pixels from one output to the next
  int64_t y_step;            // blocks of y from one output to the next
};
// weights: [heights][members][widths][block]
void grouped_row(const GroupedRow& r, const float* weights, float* y);
void grouped_row(const GroupedRow& r, const float* weights, Bf16* y);
void grouped_row(const GroupedRow& r, const float* weights, F16* y);

// sums[h][i][w][lane] += sum over p of spread[h][i][p * step + columns[w]][lane] * d_y[p][lane].
void grouped_row_grad(const GroupedRow& r, const float* d_y, float* sums);
void grouped_row_grad(const GroupedRow& r, const Bf16* d_y, float* sums);
void grouped_row_grad(const GroupedRow& r, const F16* d_y, float* sums);

}  // namespace convoy::kernels
