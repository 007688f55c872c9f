// Winograd's minimal filtering for 3x3 convolutions of stride 1 (Lavin 2015): output tiles of 4x4
// or 2x2 pixels from input tiles of 6x6 or 4x4. A tile is transformed into `points` numbers a
// channel, where the convolution is a matrix product over channels at each point (product.h).
//
// Images are blocked: a plane holds [h][w][block] floats, and `block` is the vector's length.
#pragma once

#include <cstdint>

namespace convoy::kernels {

// How an image is covered with tiles.
struct WinogradPlane {
  int64_t tile;               // pixels of an output tile's side: 4 or 2
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

// Where the transformed tiles of a channel block lie: point p of tile t at data + p * point + t *
// block. So a transform writes one stream a point.
struct WinogradField {
  float* data;
  int64_t point;
};

// Input tiles [first, first + count) of a plane: B^T d B. Pixels outside the image are zeros.
void winograd_input(const WinogradPlane& p, const float* plane, int64_t first, int64_t count,
                    const WinogradField& to);
// The products back to output pixels: A^T m A. Pixels beyond the image are dropped.
void winograd_output(const WinogradPlane& p, const WinogradField& from, int64_t first,
                     int64_t count, float* plane);
// Gradients of output pixels to gradients of the products: A dy A^T.
void winograd_output_grad(const WinogradPlane& p, const float* plane, int64_t first, int64_t count,
                          const WinogradField& to);

// G g G^T of `block` filters side by side, g[9][block]; point p goes to u + p * point. And back for
// their gradients: G^T u G.
void winograd_weights(int64_t tile, int64_t block, const float* g, float* u, int64_t point);
void winograd_weights_grad(int64_t tile, int64_t block, const float* u, int64_t point, float* g);

}  // namespace convoy::kernels
