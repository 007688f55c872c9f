// The result of a norm computed a second time, from its input and the statistics that it saved: the
// same bits, for half of the memory traffic. The `again` columns of batch and group norm write it.
#pragma once

#include "graph/builder.h"
#include "kernels/norm.h"

namespace convoy::ops {

// act(x * scale + shift (+ residual)). `saved`: [groups, 2, C'], mean and 1 / deviation; each group
// is a replica of the batch, or one image. `residual`: no value, or an image that is added.
Value norm_again(Builder& b, Value x, Value gamma, Value beta, Value saved, Value residual,
                 kernels::NormAct act);

}  // namespace convoy::ops
