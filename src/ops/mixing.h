// Mixup and cutmix: mixes the pixels of images, and the loss for mixed targets.
#pragma once

#include "graph/builder.h"
#include "ops/loss/cross_entropy.h"

namespace convoy::ops {

// Each image of [n, c, h, w] becomes a mixture of up to four images of its replica, by the tensors
// `mix_source`, `mix_box` and `mix_share` of data/mixing/mixing.h. If the first share is 1 and the
// second 0, pixels are copied, so that an unmixed image keeps its bits. No gradient: images are
// inputs of the network.
Value mix_images(Builder& b, Value image, Value source, Value box, Value share);

// The loss of each sample [n], with a mixture of the (smoothed) targets of four labels: logits [n,
// k], label s32 [n], `mix_source` and `mix_weight` [n, 4].
Value mixed_cross_entropy(Builder& b, Value logits, Value label, Value source, Value weight,
                          const CrossEntropyOptions& options = {});

}  // namespace convoy::ops
