// Elementwise loops on contiguous numbers, T being float or Bf16. Pointers may be equal (in place)
// but must not overlap otherwise; no alignment needed. Bf16 is converted to fp32, computed, and
// rounded to nearest once. All of these propagate NaN.
#pragma once

#include <cstdint>

#include "tensor/number_types.h"

namespace convoy::kernels {

template <class T>
void relu(const T* x, T* y, int64_t n);
template <class T>
void relu_grad(const T* y, const T* d_y, T* d_x, int64_t n);  // y is the result of relu
// y = x where x is positive, slope * x elsewhere; slope > 0, so that y has the sign of x.
template <class T>
void leaky_relu(const T* x, float slope, T* y, int64_t n);
template <class T>
void leaky_relu_grad(const T* y, const T* d_y, float slope, T* d_x, int64_t n);
template <class T>
void sigmoid(const T* x, T* y, int64_t n);
template <class T>
void sigmoid_grad(const T* y, const T* d_y, T* d_x, int64_t n);
template <class T>
void swish(const T* x, T* y, int64_t n);
template <class T>
void swish_grad(const T* x, const T* d_y, T* d_x, int64_t n);
template <class T>
void add(const T* a, const T* b, T* y, int64_t n);
template <class T>
void multiply(const T* a, const T* b, T* y, int64_t n);
template <class T>
void scale(const T* x, float factor, T* y, int64_t n);
// y = a_share * a + b_share * b.
template <class T>
void blend(const T* a, float a_share, const T* b, float b_share, T* y, int64_t n);

// y[i] = x[i] * gate[i % width], for one plane [pixels][width].
template <class T>
void multiply_rows(const T* x, const T* gate, T* y, int64_t pixels, int64_t width);
// sum[i] = sum over pixels of a * b, for one plane.
template <class T>
void dot_rows(const T* a, const T* b, T* sum, int64_t pixels, int64_t width);
// sum[i] = sum over pixels of x.
template <class T>
void sum_rows(const T* x, float* sum, int64_t pixels, int64_t width);

void fill(float value, float* y, int64_t n);

}  // namespace convoy::kernels
