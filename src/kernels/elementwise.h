// Elementwise loops on contiguous floats. Pointers may be equal (in place) but must not overlap
// otherwise; no alignment needed. Bf16 is converted to fp32, computed, and rounded to nearest.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

// All of these propagate NaN.
void relu(const float* x, float* y, int64_t n);
void relu(const Bf16* x, Bf16* y, int64_t n);
void relu_grad(const float* y, const float* d_y, float* d_x, int64_t n);  // y is the result of relu
void relu_grad(const Bf16* y, const Bf16* d_y, Bf16* d_x, int64_t n);
// y = x where x is positive, slope * x elsewhere; slope > 0, so that y has the sign of x.
void leaky_relu(const float* x, float slope, float* y, int64_t n);
void leaky_relu_grad(const float* y, const float* d_y, float slope, float* d_x, int64_t n);
void sigmoid(const float* x, float* y, int64_t n);
void sigmoid_grad(const float* y, const float* d_y, float* d_x, int64_t n);
void swish(const float* x, float* y, int64_t n);
void swish_grad(const float* x, const float* d_y, float* d_x, int64_t n);
void add(const float* a, const float* b, float* y, int64_t n);
void add(const Bf16* a, const Bf16* b, Bf16* y, int64_t n);
void multiply(const float* a, const float* b, float* y, int64_t n);
void scale(const float* x, float factor, float* y, int64_t n);
void fill(float value, float* y, int64_t n);
// y = a_share * a + b_share * b.
void blend(const float* a, float a_share, const float* b, float b_share, float* y, int64_t n);

// y[i] = x[i] * gate[i % width], for one plane [pixels][width].
void multiply_rows(const float* x, const float* gate, float* y, int64_t pixels, int64_t width);
// sum[i] = sum over pixels of a * b, for one plane.
void dot_rows(const float* a, const float* b, float* sum, int64_t pixels, int64_t width);
// sum[i] = sum over pixels of x.
void sum_rows(const float* x, float* sum, int64_t pixels, int64_t width);

}  // namespace convoy::kernels
