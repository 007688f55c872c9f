// Which algorithm computes a pass of a convolution: a pure function of shape, pass, ISA level and
// the user's choice, so that every machine of one level does the same.
#pragma once

#include "tensor/choices.h"
#include "tensor/onednn.h"

namespace convoy::ops {

// Whether Winograd's filters can compute it: 3x3, stride 1, one group, blocked, padded by at
// most 2.
bool winograd_can(const onednn::ConvShape& shape);

// Pixels of a side of Winograd's output tile, 4 or 2; 0: a direct convolution.
int64_t winograd_tile(const onednn::ConvShape& shape, onednn::ConvPass pass,
                      const Choices& choices);

}  // namespace convoy::ops
