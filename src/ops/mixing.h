#pragma once

#include "graph/builder.h"
#include "ops/loss/cross_entropy.h"

namespace convoy::ops {

// Images [n, c, h, w] of which each becomes a mixture of up to four of its replica's: the tensors
// `mix_source`, `mix_box` and `mix_share` of data/mixing/mixing.h. A share of 0 leaves its source
// unread, so that what is not mixed keeps its bits. No gradient: images are what a network starts
// from.
Value mix_images(Builder& b, Value image, Value source, Value box, Value share);

// The loss of each sample [n] where its target is the mixture of the (smoothed) targets of four
// labels: logits [n, k], label s32 [n], `mix_source` and `mix_weight` [n, 4].
Value mixed_cross_entropy(Builder& b, Value logits, Value label, Value source, Value weight,
                          const CrossEntropyOptions& options = {});

}  // namespace convoy::ops
