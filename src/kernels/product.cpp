#include "kernels/product.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/product.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace convoy::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// The vectors per row whose sums fit in registers: with six rows, four of 32 registers, two of 16.
constexpr int most_vectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// Every loop over the sums is unrolled: else gcc keeps them in memory.
template <int rows, int vectors>
HWY_INLINE void tile(const Product& p, const float* a, const float* b, float* c) {
  const D d;
  V sum[rows][vectors];
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) sum[i][j] = hn::Zero(d);
  }
  for (int64_t done = 0; done < p.depth; done += p.k_block, a += p.a_block, b += p.b_block) {
    const int64_t count = std::min(p.k_block, p.depth - done);
    const float* ak = a;
    const float* bk = b;
    if (p.a_ahead != 0) {
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) hwy::Prefetch(a + p.a_ahead + i * p.a_row);
    }
    for (int64_t k = 0; k < count; ++k, ak += p.a_k, bk += p.b_k) {
      V column[vectors];
#pragma GCC unroll 4
      for (int j = 0; j < vectors; ++j) column[j] = hn::LoadU(d, bk + j * p.b_vector);
#pragma GCC unroll 8
      for (int i = 0; i < rows; ++i) {
        const V factor = hn::Set(d, ak[i * p.a_row]);
#pragma GCC unroll 4
        for (int j = 0; j < vectors; ++j) sum[i][j] = hn::MulAdd(factor, column[j], sum[i][j]);
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 4
    for (int j = 0; j < vectors; ++j) {
      float* to = c + i * p.c_row + j * p.c_vector;
      hn::StoreU(p.add ? hn::Add(hn::LoadU(d, to), sum[i][j]) : sum[i][j], d, to);
    }
  }
}

// Rows are divided evenly over the tiles: a tile of one row would have too few independent sums.
template <int vectors>
HWY_INLINE void panel(const Product& p, const float* a, const float* b, float* c) {
  const int64_t tiles = (p.rows + product_rows - 1) / product_rows;
  for (int64_t t = 0, row = 0; t < tiles; ++t) {
    const int64_t rows = p.rows / tiles + (t < p.rows % tiles);
    const float* from = a + row * p.a_row;
    float* to = c + row * p.c_row;
    row += rows;
    switch (rows) {
      case 6:
        tile<6, vectors>(p, from, b, to);
        break;
      case 5:
        tile<5, vectors>(p, from, b, to);
        break;
      case 4:
        tile<4, vectors>(p, from, b, to);
        break;
      case 3:
        tile<3, vectors>(p, from, b, to);
        break;
      case 2:
        tile<2, vectors>(p, from, b, to);
        break;
      default:
        tile<1, vectors>(p, from, b, to);
    }
  }
}

void columns(const Product& p, const float* a, const float* b, float* c) {
  int64_t j = 0;
  for (; j + most_vectors <= p.vectors; j += most_vectors) {
    panel<most_vectors>(p, a, b + j * p.b_vector, c + j * p.c_vector);
  }
  b += j * p.b_vector;
  c += j * p.c_vector;
  switch (p.vectors - j) {
    case 3:
      return panel<3>(p, a, b, c);
    case 2:
      return panel<2>(p, a, b, c);
    case 1:
      return panel<1>(p, a, b, c);
    default:
      return;
  }
}

// Blocks have at least eight channels; shorter vectors process a block in several passes.
void part(const Product& p, const float* a, const float* b, float* c) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t lane = 0; lane < std::max<int64_t>(8, lanes); lane += lanes) {
    columns(p, a, b + lane, c + lane);
  }
}

void product_impl(const Product& whole, const float* a, const float* b, float* c) {
  Product p = whole;
  if (p.k_block >= p.depth) {
    for (int64_t k = 0; k < whole.depth; k += product_depth) {
      p.depth = p.k_block = std::min(product_depth, whole.depth - k);
      part(p, a + k * p.a_k, b + k * p.b_k, c);
      p.add = true;
    }
    return;
  }
  const int64_t blocks = std::max<int64_t>(1, product_depth / p.k_block);
  for (int64_t k = 0; k < whole.depth; k += blocks * p.k_block) {
    p.depth = std::min(blocks * p.k_block, whole.depth - k);
    part(p, a, b, c);
    a += blocks * p.a_block;
    b += blocks * p.b_block;
    p.add = true;
  }
}

int64_t product_vectors_impl() { return most_vectors; }

}  // namespace convoy::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace convoy::kernels {

HWY_EXPORT(product_impl);
HWY_EXPORT(product_vectors_impl);

void product(const Product& p, const float* a, const float* b, float* c) {
  HWY_DYNAMIC_DISPATCH(product_impl)(p, a, b, c);
}

int64_t product_vectors() { return HWY_DYNAMIC_DISPATCH(product_vectors_impl)(); }

}  // namespace convoy::kernels
#endif
