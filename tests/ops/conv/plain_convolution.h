// The plain reference of convolutions, for tests.
#pragma once

#include "ops/cases.h"
#include "ops/conv/convolution.h"

namespace convoy::test {

// y[n, o, h, w] = sum over the window and the channels of o's group.
inline Doubles plain_convolution(const Shape& x, const Shape& w, int64_t stride,
                                 const ops::Padding& pad, int64_t groups, const Doubles& image,
                                 const Doubles& weights) {
  const Shape y{x[0], w[0], (x[2] + pad.top + pad.bottom - w[2]) / stride + 1,
                (x[3] + pad.left + pad.right - w[3]) / stride + 1};
  Doubles out(static_cast<size_t>(y.count()), 0.0);
  for (int64_t n = 0; n < y[0]; ++n) {
    for (int64_t o = 0; o < y[1]; ++o) {
      const int64_t first_in = o / (w[0] / groups) * w[1];
      for (int64_t h = 0; h < y[2]; ++h) {
        for (int64_t v = 0; v < y[3]; ++v) {
          double sum = 0;
          for (int64_t c = 0; c < w[1]; ++c) {
            for (int64_t i = 0; i < w[2]; ++i) {
              const int64_t row = h * stride + i - pad.top;
              if (row < 0 || row >= x[2]) continue;
              for (int64_t j = 0; j < w[3]; ++j) {
                const int64_t column = v * stride + j - pad.left;
                if (column < 0 || column >= x[3]) continue;
                sum += image[at(x, n, first_in + c, row, column)] * weights[at(w, o, c, i, j)];
              }
            }
          }
          out[at(y, n, o, h, v)] = sum;
        }
      }
    }
  }
  return out;
}

struct Geometry {
  Shape x, w;
  int64_t stride = 1;
  ops::Padding padding = {};
  int64_t groups = 1;
};

}  // namespace convoy::test
