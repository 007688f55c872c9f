// Softmax cross-entropy with label smoothing, the rank of the true class, and the gradient that
// training starts from.
#pragma once

#include "graph/builder.h"

namespace convoy::ops {

// How smoothing distributes the part s of the target.
enum class Smoothing {
  uniform,  // s / K to every class, including the true one (Habana, torchvision)
  others,   // s / (K - 1) to every other class (Graphcore)
};

struct CrossEntropyOptions {
  float smoothing = 0;
  Smoothing kind = Smoothing::uniform;
};

// logits [n, k], label s32 [n] -> the loss of each sample [n].
Value softmax_cross_entropy(Builder& b, Value logits, Value label,
                            const CrossEntropyOptions& options = {});

// For each sample [n], f32: how many classes have a larger logit than the true one; 0 is a top-1
// hit, below 5 a top-5 hit. Of equal logits the lower class comes first, as in a stable sort; a NaN
// on either side counts against the true class.
Value label_rank(Builder& b, Value logits, Value label);

// The initial gradient of training, for each sample: weight * loss_scale / samples of a replica.
Value loss_seed(Builder& b, Value per_sample, Value loss_scale, float weight);

}  // namespace convoy::ops
