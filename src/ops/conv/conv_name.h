// Convolutions as text, for tables and for files of --algorithms: `64@56x56->128/3x3/s2/p1` has 64
// channels of 56x56 pixels, 128 output channels, 3x3 weights, stride 2, padding 1. `/p0.0.1.1`:
// padding at top, left, bottom, right; `/g32`: 32 groups; `/bf16` at the end: images stored in
// bf16. The batch is not part of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "tensor/onednn.h"

namespace convoy::ops {

inline constexpr std::array conv_passes{onednn::ConvPass::forward, onednn::ConvPass::grad_input,
                                        onednn::ConvPass::grad_weights};

std::string_view pass_name(onednn::ConvPass pass);  // "forward", "grad_input", "grad_weights"
std::string conv_name(const onednn::ConvShape& shape);

// The convolution of this name with a batch of one, blocked on both sides; nothing if the text is
// not such a name or the convolution has no output.
std::optional<onednn::ConvShape> conv_by_name(std::string_view name);

}  // namespace convoy::ops
