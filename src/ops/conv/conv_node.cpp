#include "ops/conv/conv_node.h"

#include <fmt/core.h>

#include "base/error.h"
#include "ops/conv/conv_algorithm.h"
#include "ops/conv/direct_conv.h"
#include "ops/conv/grouped_conv.h"
#include "ops/conv/winograd_conv.h"

namespace convoy::ops {
namespace {

using onednn::ConvShape;

int64_t out_size(int64_t in, int64_t window, int64_t before, int64_t after, int64_t stride) {
  return (in + before + after - window) / stride + 1;
}

// oneDNN's fast kernels need blocked channels. Exceptions: an image of few channels is plain, and
// groups that are not whole blocks are plain on both sides; our own kernels take small groups
// blocked.
void choose_layouts(ConvShape& s) {
  const int64_t block = channel_block();
  const bool depthwise = s.ic == s.groups && s.oc == s.groups;
  const bool whole_blocks = depthwise
                                ? s.groups % block == 0
                                : s.ic / s.groups % block == 0 && s.oc / s.groups % block == 0;
  s.x = s.y = Layout::blocked;
  if (s.groups == 1 && s.ic <= 3) s.x = Layout::plain;
  if (s.groups > 1 && !whole_blocks && !fits_grouped(s)) s.x = s.y = Layout::plain;
}

}  // namespace

Shape ConvAttrs::y() const {
  return {x[0], w[0], out_size(x[2], w[2], padding.top, padding.bottom, stride),
          out_size(x[3], w[3], padding.left, padding.right, stride)};
}

ConvShape conv_shape(const ConvAttrs& a, DType stored) {
  const Shape y = a.y();
  ConvShape shape{.n = a.x[0],
                  .ic = a.x[1],
                  .ih = a.x[2],
                  .iw = a.x[3],
                  .oc = y[1],
                  .oh = y[2],
                  .ow = y[3],
                  .kh = a.w[2],
                  .kw = a.w[3],
                  .stride_h = a.stride,
                  .stride_w = a.stride,
                  .pad_top = a.padding.top,
                  .pad_left = a.padding.left,
                  .pad_bottom = a.padding.bottom,
                  .pad_right = a.padding.right,
                  .groups = a.groups,
                  .stored = stored};
  choose_layouts(shape);
  return shape;
}

TensorType convolved(const ConvAttrs& a, const TensorType& image, const TensorType& weights) {
  const Shape &x = image.shape, &w = weights.shape;
  if (x.rank() != 4 || w.rank() != 4 || x[1] != w[1] * a.groups || w[0] % a.groups != 0) {
    raise(Fault::usage, "a convolution of {} with weights {} in {} groups makes no sense",
          to_string(x), to_string(w), a.groups);
  }
  const Padding& p = a.padding;
  // The output size would not show it: integer division rounds towards zero, to one pixel.
  if (x[2] + p.top + p.bottom < w[2] || x[3] + p.left + p.right < w[3]) {
    raise(Fault::usage, "a {}x{} image is too small for a {}x{} window; try: a larger --image-size",
          x[2], x[3], w[2], w[3]);
  }
  return {a.y(), image.dtype};
}

std::string describe(const ConvAttrs& a) {
  return fmt::format("{}x{} stride {} pad {},{},{},{}{}", a.w[2], a.w[3], a.stride, a.padding.top,
                     a.padding.left, a.padding.bottom, a.padding.right,
                     a.groups > 1 ? fmt::format(" groups {}", a.groups) : "");
}

double flops(const ConvAttrs& a) {
  return 2.0 * static_cast<double>(a.y().count()) * static_cast<double>(a.w[1] * a.w[2] * a.w[3]);
}

std::unique_ptr<Kernel> convolution_forward(const ConvShape& s, const KernelSite& site,
                                            const onednn::ConvTail& tail) {
  constexpr auto pass = onednn::ConvPass::forward;
  if (const int64_t tile = winograd_tile(choose_algorithm(s, pass, site.choices))) {
    return winograd_forward(s, tile, site, tail);
  }
  return prefers_grouped(s, pass) ? grouped_apply(s, pass, site, tail)
                                  : direct_apply(s, pass, site, tail);
}

}  // namespace convoy::ops
