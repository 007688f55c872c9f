#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// Where the smoothed-away share of the true class goes (spec C.5).
enum class Smoothing {
  uniform,  // s / K to every class, the true one too (Habana, torchvision)
  others,   // s / (K - 1) to every other class (Graphcore)
};

struct CrossEntropyOptions {
  float smoothing = 0;
  Smoothing kind = Smoothing::uniform;
};

// logits [n, k], label s32 [n] -> the loss of each sample [n].
Value softmax_cross_entropy(Builder& b, Value logits, Value label,
                            const CrossEntropyOptions& options = {});

// How many classes beat the true one, for each sample [n] f32: 0 is a top-1 hit, below 5 a top-5
// hit. Equal logits count in favour of the lower class, as a stable sort would; a NaN beats all.
Value label_rank(Builder& b, Value logits, Value label);

// The gradient training starts with, for each sample: weight * loss_scale / samples of a replica.
Value loss_seed(Builder& b, Value per_sample, Value loss_scale, float weight);

}  // namespace convoy::ops
