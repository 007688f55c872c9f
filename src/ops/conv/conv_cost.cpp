#include "ops/conv/conv_cost.h"

#include <algorithm>

#include "ops/conv/winograd_parts.h"
#include "ops/slices.h"

namespace convoy::ops {
namespace {

using onednn::ConvPass;
using onednn::ConvShape;

// The stored number of channels: rounded up to whole blocks if blocked.
struct Sides {
  int64_t in, out;
};
Sides stored_channels(const ConvShape& s, Isa level) {
  const int64_t block = channel_block(level);
  return {s.x == Layout::blocked ? round_up(s.ic, block) : s.ic,
          s.y == Layout::blocked ? round_up(s.oc, block) : s.oc};
}

int64_t pixels_of(const ConvShape& s, const Sides& c) {
  return s.n * (c.in * s.ih * s.iw + c.out * s.oh * s.ow);
}

// In a weight gradient each slice of the batch has its own partial sum.
int64_t partial_sums(const ConvShape& s, ConvPass pass, int64_t weights) {
  return pass == ConvPass::grad_weights ? weights * Slices::cut(s.n, 1).tasks() : 0;
}

ConvWork direct_work(const ConvShape& s, ConvPass pass, const Sides& c) {
  const int64_t weights = s.kh * s.kw * c.in * c.out / s.groups;
  return {.products = s.n * s.oh * s.ow * weights,
          .weights = weights,
          .sums = partial_sums(s, pass, weights),
          .pixels = pixels_of(s, c)};
}

ConvWork winograd_work(int64_t tile, const ConvShape& s, ConvPass pass, const Sides& c) {
  const bool back = pass == ConvPass::grad_input;  // tiles cover the output of the pass
  const int64_t tiles = divide_up(back ? s.ih : s.oh, tile) * divide_up(back ? s.iw : s.ow, tile);
  const int64_t points = (tile + 2) * (tile + 2), weights = points * c.in * c.out;
  const int64_t image = tiles * points * (c.in + c.out);  // transformed
  ConvWork work{.products = s.n * tiles * weights, .weights = weights, .pixels = pixels_of(s, c)};
  // As in winograd_apply.cpp and winograd_grad_weights.cpp.
  const bool sums = pass == ConvPass::grad_weights;
  if (sums ? has_large_weights(weights * 4, s.n * tiles) : weights * 4 > large_weights) {
    work.far = s.n * image;
    work.weights = weights * divide_up(s.n, std::clamp<int64_t>(group_bytes / (image * 4), 1, s.n));
  } else if (sums) {
    const int64_t slices = std::clamp<int64_t>(s.n * tiles / 32, std::min<int64_t>(s.n, 8), 16);
    work.points = s.n * image;
    work.weights = weights * std::max(slices, divide_up(work.points * 4, 8 * megabyte));
    work.sums = slices * 9 * c.in * c.out;
  } else {
    work.points = s.n * image;
    work.reads =
        weights * divide_up(s.n * tiles, chunk_of_tiles(points, c.in + c.out, s.n * tiles));
  }
  return work;
}

}  // namespace

ConvWork conv_work(ConvAlgorithm algorithm, const ConvShape& shape, ConvPass pass, Isa level) {
  const Sides channels = stored_channels(shape, level);
  switch (algorithm) {
    case ConvAlgorithm::winograd_f2:
      return winograd_work(2, shape, pass, channels);
    case ConvAlgorithm::winograd_f4:
      return winograd_work(4, shape, pass, channels);
    case ConvAlgorithm::direct:
      break;
  }
  return direct_work(shape, pass, channels);
}

ConvKind conv_kind(const ConvShape& shape) {
  return shape.kh == 1 && shape.kw == 1 ? ConvKind::pointwise : ConvKind::window;
}

std::optional<int64_t> conv_estimate(ConvAlgorithm algorithm, const ConvShape& shape, ConvPass pass,
                                     Isa level) {
  for (const ConvRates& rates : conv_rates(level, shape.stored)) {
    if (rates.kind != conv_kind(shape) || rates.pass != pass || rates.algorithm != algorithm)
      continue;
    const ConvWork work = conv_work(algorithm, shape, pass, level);
    // Divided first: for the largest images the product would overflow.
    const auto cost = [](int64_t count, int64_t rate) { return divide_up(count, 1024) * rate; };
    return cost(work.products, rates.products) + cost(work.points, rates.points) +
           cost(work.far, rates.far) + cost(work.weights, rates.weights) +
           cost(work.reads, rates.reads) + cost(work.sums, rates.sums) +
           cost(work.pixels, rates.pixels) + rates.call;
  }
  return {};
}

}  // namespace convoy::ops
