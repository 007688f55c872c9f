// Winograd's minimal filtering for 3x3 convolutions of stride 1 (Lavin 2015): output tiles of 4x4
// or 2x2 pixels from input tiles of 6x6 or 4x4. A tile is transformed into `points` numbers per
// channel; there the convolution is one matrix product over channels for each point (product.h).
//
// Images are blocked: a plane is [h][w][block] numbers, and `block` is the vector's length. They
// may be stored in 16 bits (T is float, Bf16 or F16): transforms widen them when they read, and
// round when they write. Points and weights are fp32.
#pragma once

#include <cstdint>

#include "kernels/norm.h"
#include "tensor/number_types.h"

namespace convoy::kernels {

// How an image is divided into tiles.
struct WinogradPlane {
  int64_t tile;               // side of an output tile in pixels: 4 or 2
  int64_t in_h, in_w;         // of the input image
  int64_t out_h, out_w;       // of the output image
  int64_t pad_top, pad_left;  // of the input
  int64_t block;              // channels of a plane

  int64_t side() const { return tile + 2; }
  int64_t points() const { return side() * side(); }
  int64_t tiles_h() const { return (out_h + tile - 1) / tile; }
  int64_t tiles_w() const { return (out_w + tile - 1) / tile; }
  int64_t tiles() const { return tiles_h() * tiles_w(); }
};

// Where the transformed tiles of a channel block are: point p of tile t at data + p * point + t *
// block. So a transform writes one stream for each point.
struct WinogradField {
  float* data;
  int64_t point;
};

// Transforms the input tiles [first, first + count) of a plane: B^T d B. Pixels outside the image
// are zeros.
template <class T>
void winograd_input(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                    const WinogradField& to);
// What is done with an output pixel before it is stored: act(pixel + shift + residual).
template <class T>
struct WinogradTail {
  const float* shift = nullptr;  // of the plane's channels; null: nothing is done
  const T* residual = nullptr;   // a plane like the output's, perhaps the same; null: none
  NormAct act = NormAct::none;
};

// Transforms the products into output pixels: A^T m A. Pixels beyond the image are dropped.
template <class T>
void winograd_output(const WinogradPlane& p, const WinogradField& from, int64_t first,
                     int64_t count, const WinogradTail<T>& tail, T* plane);
// Transforms gradients of output pixels into gradients of the products: A dy A^T.
template <class T>
void winograd_output_grad(const WinogradPlane& p, const T* plane, int64_t first, int64_t count,
                          const WinogradField& to);

// Transforms `block` filters, g[9][block]: G g G^T; point p goes to u + p * point. The second one
// is for their gradients: G^T u G.
void winograd_weights(int64_t tile, int64_t block, const float* g, float* u, int64_t point);
void winograd_weights_grad(int64_t tile, int64_t block, const float* u, int64_t point, float* g);

}  // namespace convoy::kernels
