// A small residual network with everything a real one has, for tests of whole plans.
#pragma once

#include "graph/builder.h"

namespace convoy::test {

struct SmallNet {
  Value loss;        // of each sample
  Value loss_scale;  // of a training graph
};

// Inputs: image [n, 3, size, size], label s32 [n], and while training key s64 [n] and loss_scale.
// Outputs: logits, loss, rank. `width`: the channels of the first stage.
SmallNet small_net(Builder& b, int64_t batch, int64_t size, int64_t width = 16);

}  // namespace convoy::test
