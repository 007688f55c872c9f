#include "ops/conv_algorithm.h"

#include <algorithm>

#include "ops/winograd_conv.h"

namespace convoy::ops {

bool winograd_can(const onednn::ConvShape& s) {
  return s.kh == 3 && s.kw == 3 && s.stride_h == 1 && s.stride_w == 1 && s.groups == 1 &&
         s.x == Layout::blocked && s.y == Layout::blocked && s.pad_top <= 2 && s.pad_left <= 2 &&
         s.pad_bottom <= 2 && s.pad_right <= 2;
}

int64_t winograd_tile(const onednn::ConvShape& s, onednn::ConvPass pass, const Choices& choices) {
  if (choices.winograd == Winograd::off || !winograd_can(s)) return 0;
  // Below these the transforms cost more than the products save (docs/decisions/0008).
  const int64_t channels = std::min(s.ic, s.oc);
  const int64_t least = pass == onednn::ConvPass::grad_weights ? 32 : 24;
  if (channels < least || std::min(s.oh, s.ow) < 4) return 0;
  return choices.winograd == Winograd::f2 ? 2 : 4;
}

}  // namespace convoy::ops
